/** A secret that is shown only once. */
import type { ReactNode } from 'react'
import { text } from '../../messages/text.ts'
import { Dialog } from '../overlays/dialog.tsx'
import { CopyButton } from './copy-button.tsx'

export function Secret({ value, hint = text.shownOnce }: { value: string; hint?: string }) {
  return (
    <div className="stack tight">
      <div className="secret">
        <code>{value}</code>
        <CopyButton value={value} />
      </div>
      <p className="hint">{hint}</p>
    </div>
  )
}

type Props = {
  readonly title: string
  readonly value: string
  readonly hint?: string
  readonly onClose: () => void
  /** Instructions for using the secret. */
  readonly children?: ReactNode
}

export function SecretDialog({ title, value, hint, onClose, children }: Props) {
  return (
    <Dialog title={title} isKept onClose={onClose}>
      <Secret value={value} {...(hint !== undefined && { hint })} />
      {children}
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {text.done}
        </button>
      </div>
    </Dialog>
  )
}
