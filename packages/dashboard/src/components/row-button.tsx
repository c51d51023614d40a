/** A button of one row of a list, whose name for screen readers has the row in it. */
import { text } from '../messages/text.ts'
import { GuardedButton } from './guarded.tsx'

type Props = {
  readonly needs: string
  readonly label: string
  /** What the row is called. */
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
