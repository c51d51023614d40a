import { useRef } from 'react'

type Props = {
  readonly label: string
  readonly isTicked: boolean
  readonly onTick: (isTicked: boolean, isRange: boolean) => void
}

/** The checkbox of a table row. With Shift, it also selects all rows from the last selected one. */
export function Tick({ label, isTicked, onTick }: Props) {
  const isShift = useRef(false)
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isTicked}
      onClick={(event) => {
        isShift.current = event.shiftKey
      }}
      onChange={(event) => onTick(event.target.checked, isShift.current)}
    />
  )
}
