/** Horizontal bars, largest first, such as denial reasons or executors. */
import type { ReactNode } from 'react'
import { number } from '../../lib/format.ts'
import styles from './bars.module.css'

export type Bar = {
  readonly id: string
  readonly title: ReactNode
  readonly value: number
  readonly color?: 'accent' | 'warn' | 'bad' | 'soft'
}

export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ul className={styles.bars} aria-label={label}>
      {bars.map(({ id, title, value, color = 'accent' }) => (
        <li key={id}>
          <span>{title}</span>
          <strong>{number(value)}</strong>
          <i aria-hidden="true">
            <i className={styles[color]} style={{ width: `${(100 * value) / most}%` }} />
          </i>
        </li>
      ))}
    </ul>
  )
}
