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
  readonly children: ReactNode
}

/** `button` is the content of the trigger; three dots by default. */
export function Menu({ label, button, isOpenAtFirst = false, children }: Props) {
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
        <Base.Positioner className={styles.positioner} sideOffset={4} align="end">
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
  readonly isDanger?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

export function MenuItem({ needs, isDanger, onClick, children }: Item) {
  const why = useRefusal(needs)
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
