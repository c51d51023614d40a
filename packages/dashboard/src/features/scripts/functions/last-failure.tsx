import { Time } from '../../../components/time.tsx'
import { text } from '../../../messages/text.ts'
import styles from './functions.module.css'

type Props = { readonly of: { readonly last_problem: string | null; readonly last_failed_at: number | null } }

export function LastFailure({ of: { last_problem, last_failed_at } }: Props) {
  if (last_failed_at === null) return null
  return (
    <p className={styles.problem}>
      {text.functions.lastFailure} <Time at={last_failed_at} />: <code dir="auto">{last_problem}</code>
    </p>
  )
}
