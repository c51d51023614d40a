/** Shows one error with its source lines, the affected customers, its latest reports, and its state. */
import { Bars } from '../../../components/chart/bars.tsx'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { Drawer } from '../../../components/overlays/drawer.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { number } from '../../../lib/format.ts'
import { exactly, when } from '../../../lib/when.ts'
import { text } from '../../../messages/text.ts'
import { WRITE } from '../queries.ts'
import { Affected } from './affected.tsx'
import { PlaceOf, StateBadge } from './place.tsx'
import { type ErrorDetail, type ErrorState, type ScriptOfErrors, useEditError, useError } from './queries.ts'
import styles from './reported.module.css'
import { Samples } from './samples.tsx'
import { Source } from './source.tsx'

type Props = { readonly script: ScriptOfErrors; readonly id: string; readonly onClose: () => void }

export function ErrorDrawer({ script, id, onClose }: Props) {
  const query = useError(script.id, id)
  const { data } = query
  return (
    <Drawer title={data?.message ?? text.reported.message} onClose={onClose}>
      <QueryBoundary query={query}>{data && <Detail script={script} error={data} />}</QueryBoundary>
    </Drawer>
  )
}

type DetailProps = { readonly script: ScriptOfErrors; readonly error: ErrorDetail }

function Detail({ script, error }: DetailProps) {
  const t = text.reported
  return (
    <>
      <p className={styles.place}>
        <StateBadge of={error} /> <PlaceOf place={error.place} />
      </p>
      <Actions script={script} error={error} />
      {error.state === 'resolved' && error.resolved_in_version !== null && (
        <p className="hint">{t.resolvedHint(error.resolved_in_version)}</p>
      )}
      <Source script={script.id} error={error} />
      <Facts error={error} />
      <Affected script={script} error={error} />
      <div className={styles.bars}>
        <section className="stack tight">
          <h3>{t.versions}</h3>
          <Bars
            label={t.versions}
            bars={error.versions.map(({ version, occurrences }) => ({
              ...{ id: String(version), title: text.scripts.versionOf(version), value: occurrences },
            }))}
          />
        </section>
        <section className="stack tight">
          <h3>{t.executors}</h3>
          <Bars
            label={t.executors}
            bars={error.executors.map(({ executor, occurrences }) => ({
              ...{ id: executor, title: <bdi>{executor}</bdi>, value: occurrences },
            }))}
          />
        </section>
      </div>
      <Samples error={error} />
    </>
  )
}

/** The states that each state can change to, each with the title of its button. */
const CHANGES: Readonly<Record<ErrorState, readonly (readonly [state: ErrorState, title: string])[]>> = {
  open: [
    ['resolved', text.reported.resolve],
    ['ignored', text.reported.ignore],
  ],
  resolved: [
    ['open', text.reported.reopen],
    ['ignored', text.reported.ignore],
  ],
  ignored: [
    ['open', text.reported.reopen],
    ['resolved', text.reported.resolve],
  ],
}

function Actions({ script, error }: DetailProps) {
  const edit = useEditError(script.id, error.id)
  return (
    <div className="stack tight">
      <div className="bar">
        {CHANGES[error.state].map(([state, title], i) => (
          <GuardedButton
            key={state}
            needs={WRITE}
            className={i === 0 ? 'main' : undefined}
            disabled={edit.isPending}
            onClick={() => edit.mutate(state)}
          >
            {title}
          </GuardedButton>
        ))}
      </div>
      <ErrorMessage of={edit.error} />
    </div>
  )
}

function Facts({ error }: { error: ErrorDetail }) {
  const t = text.reported
  const moment = (at: number) => `${when(at)}, ${exactly(at)}`
  const facts: readonly (readonly [string, string | null])[] = [
    [t.kind, t.kinds[error.kind]],
    [t.occurrences, t.counts(error.occurrences, error.runs)],
    [t.customers, number(error.customers)],
    [t.seenIn, t.versionRange(error.first_version, error.last_version)],
    [t.first, moment(error.first_seen)],
    [t.last, moment(error.last_seen)],
    [t.regressed, error.regressed_at === null ? null : moment(error.regressed_at)],
    [t.note, error.note],
  ]
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
