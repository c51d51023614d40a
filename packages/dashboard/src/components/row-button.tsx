/** A button in a list row. Its accessible name includes the row. */
import { text } from '../messages/text.ts'
import { GuardedButton } from './guarded.tsx'

type Props = {
  readonly needs: string
  readonly label: string
  /** Name of the row. */
  readonly of: string
  readonly isDanger?: boolean
  readonly onClick: () => void
}

export function RowButton({ needs, label, of, isDanger, onClick }: Props) {
  return (
    <GuardedButton
      needs={needs}
      {...(isDanger && { className: 'danger' })}
      aria-label={text.itsName(label, of)}
      onClick={onClick}
    >
      {label}
    </GuardedButton>
  )
}
