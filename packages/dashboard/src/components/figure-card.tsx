/** A card with one figure, its label and its trend. */
import type { ReactNode } from 'react'
import styles from './figure-card.module.css'

type Props = {
  readonly title: string
  readonly value: ReactNode
  readonly change?: ReactNode
  /** Whether the trend is good or bad. */
  readonly tone?: 'good' | 'warn' | 'bad' | undefined
  readonly href?: string
}

export function FigureCard({ title, value, change, tone, href }: Props) {
  return (
    <div className={styles.card}>
      {href === undefined ? <span className={styles.title}>{title}</span> : <a href={href}>{title}</a>}
      <strong>{value}</strong>
      {change !== undefined && (
        <span className={`${styles.change} ${tone ? styles[tone] : styles.title}`}>{change}</span>
      )}
    </div>
  )
}
