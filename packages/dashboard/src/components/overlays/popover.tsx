/** A button that opens a small panel next to it. The library loads when a panel is first opened. */
import { type ReactNode, useState } from 'react'
import { useWhenUsed } from './use-when-used.ts'

type Library = typeof import('@base-ui/react/popover').Popover

const loadLibrary = async () => (await import('@base-ui/react/popover')).Popover

type Props = {
  /** Accessible name of the panel. */
  readonly title: string
  /** Accessible name of the button, if its content alone is not clear. */
  readonly label?: string
  readonly button: ReactNode
  readonly classNames: Readonly<Record<'button' | 'positioner' | 'popup', string | undefined>>
  /** Content of the panel, which has to close the panel itself. */
  readonly children: (close: () => void) => ReactNode
}

export function Popover(given: Props) {
  const { code: library, prepare, use } = useWhenUsed(loadLibrary)
  if (library !== undefined) return <OpenPopover {...given} library={library} />
  const { label, button, classNames } = given
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={false}
      aria-label={label}
      className={classNames.button}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={use}
    >
      {button}
    </button>
  )
}

function OpenPopover({
  library: Base,
  title,
  label,
  button,
  classNames,
  children,
}: Props & { library: Library }) {
  const [isOpen, setIsOpen] = useState(true)
  return (
    <Base.Root open={isOpen} onOpenChange={setIsOpen}>
      <Base.Trigger className={classNames.button} aria-label={label}>
        {button}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={classNames.positioner} sideOffset={4} align="start">
          <Base.Popup className={classNames.popup} aria-label={title}>
            {children(() => setIsOpen(false))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
