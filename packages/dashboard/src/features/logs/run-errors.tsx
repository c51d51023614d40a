/** The errors that a run reported: the fatal error with its source lines, and links to the others. */
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, withQuery } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { PlaceOf, StateBadge } from '../scripts/reported/place.tsx'
import { type ErrorDetail, type ReportedError, useError } from '../scripts/reported/queries.ts'
import reportedStyles from '../scripts/reported/reported.module.css'
import { Source } from '../scripts/reported/source.tsx'
import styles from './logs.module.css'
import type { Run } from './queries.ts'
import { useRunErrors } from './run-error-queries.ts'

export function RunErrors({ run }: { run: Run }) {
  const t = text.logs
  const query = useRunErrors(run)
  const { errors = [], total = 0 } = query.data ?? {}
  const crash = errors.find(({ kind }) => kind === 'crash')
  const others = errors.filter((error) => error !== crash)
  const isNone = errors.length === 0
  return (
    <QueryBoundary query={query}>
      {crash && <Crash run={run} id={crash.id} />}
      {isNone && <p className="hint">{run.outcome === 'crashed' ? t.crashedWithout : t.noErrors}</p>}
      {others.length > 0 && <Others run={run} errors={others} more={total - errors.length} />}
    </QueryBoundary>
  )
}

function Crash({ run, id }: { run: Run; id: string }) {
  const query = useError(run.script_id, id)
  const address = useAddressOf(run, id)
  const { data } = query
  return (
    <QueryBoundary query={query}>
      {data && (
        <>
          <section className="stack tight">
            <h3 className={styles.message} dir="auto">
              {data.message}
            </h3>
            <p className="bar between">
              <PlaceOf place={data.place} />
              <a href={address}>{text.logs.viewError}</a>
            </p>
          </section>
          <Reach error={data} />
          <Source script={run.script_id} error={data} />
        </>
      )}
    </QueryBoundary>
  )
}

/** The customers affected by the error. Their number determines the error's priority. */
function Reach({ error: { customers, occurrences, first_version } }: { error: ErrorDetail }) {
  const t = text.logs
  return (
    <div className={styles.reach}>
      <strong>{customers > 1 ? t.othersHit(customers - 1) : t.onlyOne}</strong>
      <span>{t.crashesSince(occurrences, first_version)}</span>
    </div>
  )
}

function useAddressOf({ script_id }: Run, error: string): string {
  const { id } = useProject()
  return withQuery(addressOf.script(id, script_id), { tab: 'reported', error })
}

type OthersProps = {
  readonly run: Run
  readonly errors: readonly ReportedError[]
  readonly more: number
}

function Others({ run, errors, more }: OthersProps) {
  const t = text.logs
  return (
    <section className="stack tight" aria-label={t.errors}>
      <h3>{t.errors}</h3>
      <ul className="rows" aria-label={t.errors}>
        {errors.map((error) => (
          <Other key={error.id} run={run} error={error} />
        ))}
      </ul>
      {more > 0 && <p className="hint">{t.moreErrors(more)}</p>}
    </section>
  )
}

function Other({ run, error }: { run: Run; error: ReportedError }) {
  const address = useAddressOf(run, error.id)
  return (
    <li>
      <div className="main-text">
        <a href={address} className={reportedStyles.message} dir="auto">
          {error.message}
        </a>
        <div className="facts">
          <PlaceOf place={error.place} />
          <StateBadge of={error} />
        </div>
      </div>
    </li>
  )
}
