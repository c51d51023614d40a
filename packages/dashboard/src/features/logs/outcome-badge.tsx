/** The outcome of a run. Only outcomes that need attention have a color; every outcome has an icon. */
import { titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import styles from './logs.module.css'
import type { Run } from './queries.ts'

type Shown = 'granted' | 'denied' | 'crashed' | 'vanished'
type Props = { readonly run: Pick<Run, 'outcome' | 'reason' | 'state'> }

const PATHS: Readonly<Record<Shown, string>> = {
  granted: 'M3.5 8.5l3 3 6-7',
  denied: 'M8 13.8a5.8 5.8 0 100-11.6 5.8 5.8 0 000 11.6zM4 12l8-8',
  crashed:
    'M8 1.8v4M8 10.2v4M1.8 8h4M10.2 8h4M3.8 3.8l2.6 2.6M9.6 9.6l2.6 2.6M12.2 3.8L9.6 6.4M6.4 9.6l-2.6 2.6',
  vanished: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11z',
}

export function OutcomeBadge({ run }: Props) {
  const shown = run.outcome === 'granted' && run.state === 'vanished' ? 'vanished' : run.outcome
  return (
    <span className={`${styles.outcome} ${styles[shown]}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={PATHS[shown]} />
      </svg>
      {outcomeName(run)}
    </span>
  )
}

export function outcomeName({ outcome, reason, state }: Props['run']): string {
  const t = text.logs
  if (outcome === 'granted' && state === 'vanished') return t.vanished
  return reason === null ? t.outcomes[outcome] : t.deniedFor(titleOf(reason))
}
