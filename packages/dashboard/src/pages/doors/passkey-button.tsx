/** The other way in, below a form: by passkey, where this browser has them. */

import { Complaint } from '../../parts/complaint.tsx'
import { canUsePasskeys } from '../../passkeys.ts'
import { text } from '../../text/text.ts'

type Given = {
  readonly label: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onClick: () => void
}

export function PasskeyButton({ label, isPending, error, onClick }: Given) {
  if (!canUsePasskeys()) return null
  return (
    <>
      <div className="divider">{text.or}</div>
      <button type="button" className="wide" onClick={onClick} disabled={isPending}>
        {label}
      </button>
      <Complaint of={error} />
    </>
  )
}
