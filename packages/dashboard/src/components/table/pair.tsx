import type { ReactNode } from 'react'
import styles from './table.module.css'

type Props = { readonly children: ReactNode; readonly below: ReactNode }

/** A cell with a secondary line; dense tables show both lines as one. */
export function Pair({ children, below }: Props) {
  return (
    <span className={styles.pair}>
      <span>{children}</span>
      {below !== null && <span className={styles.below}>{below}</span>}
    </span>
  )
}
