/** Copies a string and confirms briefly. */
import { useState } from 'react'
import { copyText } from '../../lib/copy-text.ts'
import { text } from '../../messages/text.ts'

const SAID_MS = 1500

export function CopyButton({ value, label = text.copy }: { value: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(value))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SAID_MS)
  }
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {copied ? text.copied : label}
    </button>
  )
}
