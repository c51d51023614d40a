/** A secret that is shown this one time. */
import { text } from '../text/text.ts'
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
