/** The actions of a list row: buttons, or a menu in narrow windows, where a row has two lines. */
import { useIsPhone } from '../lib/narrow.ts'
import { text } from '../messages/text.ts'
import { GuardedButton } from './guarded.tsx'
import { Menu, MenuItem } from './overlays/menu.tsx'

type RowAction = {
  /** An arrow alone is unclear in a menu, which shows `name` instead. */
  readonly label: string
  /** Accessible name of the button, which includes the row. */
  readonly name: string
  readonly needs: string
  readonly reason?: string | undefined
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  readonly onClick: () => void
}

type Props = {
  /** Name of the row. */
  readonly of: string
  readonly actions: readonly RowAction[]
}

export function RowActions({ of, actions }: Props) {
  const isPhone = useIsPhone()
  if (isPhone)
    return (
      <div className="actions">
        <Menu label={text.itsName(text.frame.actions, of)}>
          {actions
            .filter(({ isDisabled }) => !isDisabled)
            .map(({ label, name, isDisabled, ...action }) => (
              <MenuItem key={label} {...action}>
                {label.length === 1 ? name : label}
              </MenuItem>
            ))}
        </Menu>
      </div>
    )
  return (
    <div className="actions">
      {actions.map(({ label, name, isDanger, isDisabled = false, ...action }) => (
        <GuardedButton
          key={label}
          className={isDanger ? 'danger' : undefined}
          aria-label={name}
          disabled={isDisabled}
          {...action}
        >
          {label}
        </GuardedButton>
      ))}
    </div>
  )
}
