/**
 * The health of a script's versions in each executor, the functions that executors lack, and the
 * executor rules.
 */
import { CrashFree } from '../../../components/crash-free.tsx'
import { Panel } from '../../../components/panel.tsx'
import { type Column, Table } from '../../../components/table/table.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { number } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { type Health, useHealth } from '../health.tsx'
import type { Script } from '../queries.ts'
import { type Known, useKnownExecutors } from './queries.ts'
import { ExecutorRules } from './rules.tsx'

type Row = Health['executors'][number] & { readonly version: number }

const LISTED_VERSIONS = 5

export function Executors({ script }: { script: Script }) {
  const health = useHealth(script.id)
  const versions = health.data?.slice(0, LISTED_VERSIONS) ?? []
  const rows = versions.flatMap(({ version, executors }) => executors.map((one) => ({ version, ...one })))
  return (
    <>
      <ExecutorRules script={script} />
      <Panel title={text.executors.results} hint={text.executors.resultsHint}>
        <QueryBoundary query={health}>
          {rows.length === 0 ? (
            <p className="hint">{text.executors.noResults}</p>
          ) : (
            <Table
              label={text.executors.results}
              rows={rows}
              keyOf={({ version, executor }) => `${version} ${executor}`}
              columns={RESULT_COLUMNS}
              total={rows.length}
            />
          )}
        </QueryBoundary>
      </Panel>
      <Lacks names={new Set(rows.map(({ executor }) => executor))} />
    </>
  )
}

const RESULT_COLUMNS: readonly Column<Row>[] = [
  {
    id: 'executor',
    title: text.health.executor,
    isMain: true,
    cell: ({ executor }) => <bdi>{executor}</bdi>,
  },
  {
    id: 'version',
    title: text.executors.version,
    place: 'below',
    isNumber: true,
    cell: ({ version }) => number(version),
  },
  {
    id: 'runs',
    title: text.health.runs,
    place: 'end-below',
    isNumber: true,
    cell: ({ runs }) => number(runs),
  },
  {
    id: 'crash-free',
    title: text.executors.crashFree,
    place: 'end',
    isNumber: true,
    cell: ({ crash_free_runs }) => <CrashFree share={crash_free_runs} />,
  },
  { id: 'denied', title: text.health.denied, isNumber: true, cell: ({ denied }) => number(denied) },
]

function Lacks({ names }: { names: ReadonlySet<string> }) {
  const query = useKnownExecutors()
  const known = query.data?.filter(({ executor }) => names.has(executor)) ?? []
  return (
    <Panel title={text.executors.lacks} hint={text.executors.lacksHint}>
      <QueryBoundary query={query}>
        {known.length === 0 ? (
          <p className="hint">{text.executors.nothingKnown}</p>
        ) : (
          <Table
            label={text.executors.lacks}
            rows={known}
            keyOf={({ executor, version }) => `${executor} ${version}`}
            columns={LACK_COLUMNS}
            total={known.length}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}

const LACK_COLUMNS: readonly Column<Known>[] = [
  {
    id: 'executor',
    title: text.health.executor,
    isMain: true,
    cell: ({ executor, version }) => <bdi>{`${executor} ${version}`.trim()}</bdi>,
  },
  {
    id: 'functions',
    title: text.executors.functions,
    place: 'end',
    isNumber: true,
    cell: ({ functions }) => number(functions.length),
  },
  {
    id: 'missing',
    title: text.executors.missing,
    place: 'below',
    cell: ({ missing }) =>
      missing.length === 0 ? (
        <span className="hint">{text.executors.nothingMissing}</span>
      ) : (
        <details>
          <summary>{text.executors.countMissing(missing.length)}</summary>
          <code>{missing.join(' ')}</code>
        </details>
      ),
  },
]
