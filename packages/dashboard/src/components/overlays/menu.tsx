/** Actions behind one button. What a person may not do stays in the list and says why. */
import { Menu as Base } from '@base-ui/react/menu'
import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'
import { useRefusal } from '../../lib/rights.ts'
import styles from './menu.module.css'

type Props = {
  readonly label: string
  readonly button?: ReactNode
  /** For a menu that takes the place of a plain button as that is pressed. */
  readonly isOpenAtFirst?: boolean
  readonly children: ReactNode
}

/** `button` is what the button shows; without it three dots. */
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
      {/* A dialog covers all that is not in it. */}
      <Base.Portal container={trigger?.closest('dialog') ?? undefined}>
        <Base.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** What opens a menu of actions, for where the menu itself is made only when it is used. */
export function Dots(given: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" aria-haspopup="menu" {...given} className={`${styles.trigger} ${styles.dots}`}>
      ⋯
    </button>
  )
}

type Item = {
  /** The scope that it needs. */
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
