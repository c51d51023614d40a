/**
 * A menu of actions. Forbidden actions stay visible and explain why. Until it is used, a menu is a plain
 * button: the menu library is a fifth of a page's code, and rendering a menu for every row while scrolling
 * would be slow.
 */
import { createContext, type KeyboardEvent, type ReactNode, useContext, useState } from 'react'
import { useRefusal } from '../../lib/rights.ts'
import styles from './menu.module.css'
import { useWhenUsed } from './use-when-used.ts'

type Library = typeof import('@base-ui/react/menu').Menu

const loadLibrary = async () => (await import('@base-ui/react/menu')).Menu
const LibraryContext = createContext<Library | null>(null)

type Props = {
  readonly label: string
  readonly button?: ReactNode
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}

/** `button` is the content of the trigger; three dots by default. */
export function Menu({ label, button = '⋯', align = 'end', children }: Props) {
  const { code: library, prepare, use } = useWhenUsed(loadLibrary)
  const className = button === '⋯' ? `${styles.trigger} ${styles.dots}` : styles.trigger
  if (library !== undefined)
    return (
      <LibraryContext value={library}>
        <OpenMenu label={label} className={className ?? ''} button={button} align={align}>
          {children}
        </OpenMenu>
      </LibraryContext>
    )
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    use()
  }
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={false}
      aria-label={label}
      className={className}
      onPointerEnter={prepare}
      onFocus={prepare}
      onKeyDown={press}
      onClick={use}
    >
      {button}
    </button>
  )
}

type Open = Required<Props> & { readonly className: string }

function OpenMenu({ label, className, button, align, children }: Open) {
  const Base = useLibrary()
  const [trigger, setTrigger] = useState<HTMLElement | null>(null)
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger ref={setTrigger} aria-label={label} className={className}>
        {button}
      </Base.Trigger>
      {/* The menu is rendered inside the dialog, which would otherwise cover it. */}
      <Base.Portal container={trigger?.closest('dialog') ?? undefined}>
        <Base.Positioner className={styles.positioner} sideOffset={4} align={align}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function useLibrary(): Library {
  const library = useContext(LibraryContext)
  if (library === null) throw new Error('used outside Menu')
  return library
}

type Item = {
  /** The scope needed for the action. */
  readonly needs?: string
  /** Reason why the action is not available, apart from a missing scope. */
  readonly reason?: string | undefined
  readonly isDanger?: boolean | undefined
  readonly onClick: () => void
  readonly children: ReactNode
}

export function MenuItem({ needs, reason, isDanger, onClick, children }: Item) {
  const Base = useLibrary()
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
  const Base = useLibrary()
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
  const Base = useLibrary()
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
  const Base = useLibrary()
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
  const Base = useLibrary()
  return (
    <Base.Item
      className={styles.item}
      render={<a href={href} aria-current={isCurrent ? 'page' : undefined} />}
    >
      {children}
    </Base.Item>
  )
}
