import { number } from '../../lib/format.ts'
import styles from './view-tab.module.css'

type Props = {
  readonly isChosen: boolean
  readonly count?: number | undefined
  readonly onChoose: () => void
  readonly children: string
}

/** A tab above a list. Choosing the tab sets the list's filters. */
export function ViewTab({ isChosen, count, onChoose, children }: Props) {
  return (
    <button type="button" className={styles.tab} aria-pressed={isChosen} onClick={onChoose}>
      <span className={styles.name}>{children}</span>{' '}
      {count !== undefined && <strong>{number(count)}</strong>}
    </button>
  )
}
