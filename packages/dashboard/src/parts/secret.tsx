/** A secret that is shown this one time. */
import type { ReactNode } from 'react'
import { text } from '../text/text.ts'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

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

type Given = {
  readonly title: string
  readonly value: string
  readonly hint?: string
  readonly onClose: () => void
  /** What to do with it. */
  readonly children?: ReactNode
}

export function SecretDialog({ title, value, hint, onClose, children }: Given) {
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
