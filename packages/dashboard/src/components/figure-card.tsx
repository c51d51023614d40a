/** One number with its name and how it changed: numbers first. */
import type { ReactNode } from 'react'
import styles from './figure-card.module.css'

type Props = {
  readonly title: string
  readonly value: ReactNode
  readonly change?: ReactNode
  /** Whether the change is welcome. */
  readonly tone?: 'good' | 'bad' | undefined
  readonly href?: string
}

export function FigureCard({ title, value, change, tone, href }: Props) {
  return (
    <div className={styles.card}>
      {href === undefined ? <span className={styles.title}>{title}</span> : <a href={href}>{title}</a>}
      <strong>{value}</strong>
      {change !== undefined && <span className={tone ? styles[tone] : styles.title}>{change}</span>}
    </div>
  )
}
