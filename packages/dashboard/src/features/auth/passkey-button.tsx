/** Signs in with a passkey, if the browser supports it. */

import { ErrorMessage } from '../../components/error-message.tsx'
import { canUsePasskeys } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'

type Props = {
  readonly label: string
  /** Whether there is no other way to sign in. */
  readonly isAlone?: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onClick: () => void
}

export function PasskeyButton({ label, isAlone = false, isPending, error, onClick }: Props) {
  if (!canUsePasskeys()) return null
  return (
    <>
      {!isAlone && <div className="divider">{text.or}</div>}
      <button type="button" className="wide" onClick={onClick} disabled={isPending}>
        {label}
      </button>
      <ErrorMessage of={error} />
    </>
  )
}
