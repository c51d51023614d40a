/** A menu of actions. Forbidden actions stay visible and explain why. */
import { Menu as Base } from '@base-ui/react/menu'
import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'
import { useRefusal } from '../../lib/rights.ts'
import styles from './menu.module.css'

type Props = {
  readonly label: string
  readonly button?: ReactNode
  /** Set when the menu replaces a plain button at the moment it is pressed. */
  readonly isOpenAtFirst?: boolean
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}

/** `button` is the content of the trigger; three dots by default. */
export function Menu({ label, button, isOpenAtFirst = false, align = 'end', children }: Props) {
  const [trigger, setTrigger] = useState<HTMLElement | null>(null)
  return (
    <Base.Root modal={false} defaultOpen={isOpenAtFirst}>
      <Base.Trigger
        ref={setTrigger}
        aria-label={label}
        className={button === undefined ? `${styles.trigger} ${styles.dots}` : styles.trigger}
      >
        {button ?? '⋯'}
      </Base.Trigger>
      {/* Rendered inside the dialog, which would otherwise cover the menu. */}
      <Base.Portal container={trigger?.closest('dialog') ?? undefined}>
        <Base.Positioner className={styles.positioner} sideOffset={4} align={align}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The trigger of an action menu, used where the menu is created on demand. */
export function Dots(given: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" aria-haspopup="menu" {...given} className={`${styles.trigger} ${styles.dots}`}>
      ⋯
    </button>
  )
}

type Item = {
  /** The scope needed for the action. */
  readonly needs?: string
  /** Why the action is not available, besides the scope. */
  readonly reason?: string | undefined
  readonly isDanger?: boolean | undefined
  readonly onClick: () => void
  readonly children: ReactNode
}

export function MenuItem({ needs, reason, isDanger, onClick, children }: Item) {
  const why = useRefusal(needs) ?? reason
  return (
    <Base.Item
      className={isDanger ? `${styles.item} ${styles.danger}` : styles.item}
      disabled={why !== undefined}
      onClick={onClick}
    >
      {children}
      {why !== undefined && <span className={styles.why}>{why}</span>}
    </Base.Item>
  )
}

type Checked = {
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}

export function MenuCheck({ isChecked, onChange, children }: Checked) {
  return (
    <Base.CheckboxItem
      className={styles.item}
      checked={isChecked}
      onCheckedChange={onChange}
      closeOnClick={false}
    >
      <span aria-hidden="true" className={styles.tick}>
        {isChecked ? '✓' : ''}
      </span>
      {children}
    </Base.CheckboxItem>
  )
}

type Choice<Id> = {
  readonly chosen: Id
  readonly options: readonly (readonly [id: Id, title: string])[]
  readonly onChoose: (id: Id) => void
}

/** A group of options, exactly one of which is chosen. */
export function MenuChoice<Id extends string>({ chosen, options, onChoose }: Choice<Id>) {
  return (
    <Base.RadioGroup value={chosen} onValueChange={onChoose}>
      {options.map(([id, title]) => (
        <Base.RadioItem key={id} className={styles.item} value={id} closeOnClick>
          <span aria-hidden="true" className={styles.tick}>
            {id === chosen ? '✓' : ''}
          </span>
          {title}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}

export function MenuLine() {
  return <Base.Separator className={styles.line} />
}

export function MenuLink({
  href,
  isCurrent = false,
  children,
}: {
  href: string
  isCurrent?: boolean
  children: ReactNode
}) {
  return (
    <Base.Item
      className={styles.item}
      render={<a href={href} aria-current={isCurrent ? 'page' : undefined} />}
    >
      {children}
    </Base.Item>
  )
}
