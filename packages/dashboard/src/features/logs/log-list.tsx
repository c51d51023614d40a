/** The filtered list of runs, which can follow new runs live, and a drawer with the details of one run. */
import { Empty } from '../../components/empty.tsx'
import { useIsFiltered } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { type Period, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { Clock } from './clock.tsx'
import { customerColumn } from './customer-column.tsx'
import { durationOf } from './duration.ts'
import { LogDrawer } from './log-drawer.tsx'
import styles from './logs.module.css'
import { OutcomeBadge } from './outcome-badge.tsx'
import { FILTERS, type Run, useLogQuery, useRuns } from './queries.ts'

export function LogList({ period }: { period: Period }) {
  const t = text.logs
  const { id } = useProject()
  const filter = useLogQuery(period)
  const names = useScriptNames(id)
  const isFiltered = useIsFiltered(FILTERS)
  const [{ live, run: opened, script_id }, change] = useFilters()
  // The list waits for the chart: if the chart grows while a user clicks a row, the row moves away from the
  // pointer and does not open.
  const isMoving = useOutcomes(id, period, script_id).isPending
  const { query, rows, more } = useRuns(filter, live !== undefined)
  const at = rows.findIndex((run) => run.id === opened)
  const open = rows[at]
  const show = (run: Run | undefined) => change({ run: run?.id })
  return (
    <section className="stack tight" aria-label={t.list}>
      <QueryBoundary query={isMoving ? { ...query, isPending: true } : query}>
        {rows.length > 0 ? (
          <Table
            label={t.list}
            rows={rows}
            keyOf={({ id: run }) => run}
            columns={columnsOf(id, names)}
            more={more}
            opened={opened}
            onOpen={show}
          />
        ) : (
          <Empty
            title={isFiltered ? text.frame.nothingFound : t.emptyTitle}
            hint={isFiltered ? text.frame.nothingFoundHint : t.emptyHint}
          />
        )}
        {rows.length > 0 && <ShownOf shown={rows.length} total={more ? undefined : rows.length} />}
      </QueryBoundary>
      {open && (
        <LogDrawer
          run={open}
          names={names}
          onPrevious={at > 0 ? () => show(rows[at - 1]) : undefined}
          onNext={at < rows.length - 1 ? () => show(rows[at + 1]) : undefined}
          onClose={() => show(undefined)}
        />
      )}
    </section>
  )
}

function columnsOf(projectId: string, names: ReadonlyMap<string, string>): readonly Column<Run>[] {
  const t = text.logs
  return [
    { id: 'outcome', title: t.outcome, isMain: true, cell: (run) => <OutcomeBadge run={run} /> },
    customerColumn(projectId),
    {
      id: 'script',
      title: t.script,
      place: 'end-below',
      cell: ({ script_id, script_version }) => (
        <>
          <bdi>{nameOfScript(names, script_id)}</bdi>{' '}
          <span className={styles.soft}>{t.versionOf(script_version)}</span>
        </>
      ),
    },
    { id: 'executor', title: t.executor, cell: ({ executor }) => <bdi>{executor}</bdi> },
    { id: 'duration', title: t.duration, isNumber: true, cell: durationOf },
    { id: 'at', title: t.at, isNumber: true, place: 'end', cell: ({ at }) => <Clock at={at} /> },
  ]
}
