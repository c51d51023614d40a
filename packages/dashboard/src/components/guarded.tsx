/** A button that stays visible when disabled and explains why. */
import { type ButtonHTMLAttributes, type ReactNode, type SyntheticEvent, useId } from 'react'
import { useRefusal } from '../lib/rights.ts'
import styles from './guarded.module.css'

type Props = { readonly needs: string | undefined; readonly reason?: string | undefined } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'disabled'
> & { readonly disabled?: boolean }

export function GuardedButton({ needs, reason, ...rest }: Props) {
  const id = useId()
  const missing = useRefusal(needs)
  const why = missing ?? reason
  if (why === undefined) return <button type="button" {...rest} />
  return (
    <span className={styles.guarded}>
      <button {...rest} type="button" aria-disabled="true" aria-describedby={id} onClick={() => {}} />
      <span className={styles.tip} role="tooltip" id={id}>
        {why}
      </span>
    </span>
  )
}

/**
 * A link to a page. Like the button, the link stays visible without permission and explains which permission
 * is missing.
 */
type Link = {
  readonly needs: string | undefined
  readonly href: string
  readonly current: boolean
  readonly icon?: ReactNode
  /** Shown after the title. */
  readonly count?: ReactNode
  readonly children: string
}

export function GuardedLink({ needs, href, current, icon, count, children }: Link) {
  const id = useId()
  const why = useRefusal(needs)
  const page = current ? 'page' : undefined
  if (why === undefined)
    return (
      <a href={href} aria-current={page}>
        {icon}
        {children}
        {count}
      </a>
    )
  return (
    <span className={`${styles.guarded} ${styles.link}`}>
      <a href={href} aria-current={page} aria-describedby={id} onPointerEnter={placeTip} onFocus={placeTip}>
        {icon}
        {children}
      </a>
      <span className={styles.tip} role="tooltip" id={id}>
        {why}
      </span>
    </span>
  )
}

/** Places the tooltip next to the sidebar, where it is not clipped and covers no other links. */
function placeTip({ currentTarget }: SyntheticEvent<HTMLElement>): void {
  const { right, top, height } = currentTarget.getBoundingClientRect()
  const { style } = currentTarget.parentElement ?? currentTarget
  style.setProperty('--tip-left', `${right}px`)
  style.setProperty('--tip-middle', `${top + height / 2}px`)
}
