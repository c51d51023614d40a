/** The plan in one sentence, updated as the user types. */
import { useFormContext } from 'react-hook-form'
import { text } from '../../messages/text.ts'
import type { Draft } from './draft.ts'
import styles from './plans.module.css'
import { summaryOf } from './summary-text.ts'

export function PlanSummary() {
  const { watch } = useFormContext<Draft>()
  return (
    <p className={styles.summary} role="status" aria-label={text.plans.summary}>
      {summaryOf(watch())}
    </p>
  )
}
