/** The filtered list of runs, which can reload itself. */
import { v1ProjectExecutionsLog } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { type Filter, FilterBar, useIsFiltered } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { REASON_NAMES, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { LogDrawer } from './log-drawer.tsx'
import { FILTERS, OUTCOMES, type Run, useLogQuery } from './queries.ts'

const PAGE = 100
const LIVE_MS = 3000
const TONES: Readonly<Record<Run['outcome'], Tone>> = { granted: 'good', crashed: 'bad', denied: 'warn' }

export function LogList({ period }: { period: Period }) {
  const t = text.logs
  const call = useCall()
  const { id } = useProject()
  const filter = useLogQuery(period)
  const names = useScriptNames(id)
  const isFiltered = useIsFiltered([...FILTERS, 'from'])
  const [{ script_id, live }, change] = useFilters()
  const [open, setOpen] = useState<Run>()
  const isLive = live !== undefined
  const { query, rows, more } = useList(
    ['log', id, filter],
    async (after) => {
      const whole = { ...filter, limit: PAGE, ...(after !== undefined && { after }) }
      const { data } = await v1ProjectExecutionsLog({ ...call, path: { project_id: id }, query: whole })
      return { rows: data.executions, next: data.next }
    },
    isLive ? { everyMs: LIVE_MS } : undefined,
  )
  return (
    <section className="stack" aria-label={t.list}>
      <FilterBar label={t.filters} filters={filtersOf(names, script_id !== undefined)}>
        <button
          type="button"
          aria-pressed={isLive}
          onClick={() => change({ live: isLive ? undefined : 'on' })}
        >
          {t.live}
        </button>
        {query.data && <ShownOf shown={rows.length} total={more ? undefined : rows.length} />}
      </FilterBar>
      <QueryBoundary query={query}>
        {rows.length > 0 ? (
          <Table
            label={t.list}
            rows={rows}
            keyOf={({ id: run }) => run}
            columns={columnsOf(id, names)}
            more={more}
            onOpen={setOpen}
          />
        ) : (
          <Empty
            title={isFiltered ? text.frame.nothingFound : t.emptyTitle}
            hint={isFiltered ? text.frame.nothingFoundHint : t.emptyHint}
          />
        )}
      </QueryBoundary>
      {open && <LogDrawer run={open} names={names} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

/** Versions are numbered within a script, so their filter needs one. */
function filtersOf(names: ReadonlyMap<string, string>, isOneScript: boolean): readonly Filter[] {
  const t = text.logs
  return [
    { name: 'outcome', title: t.outcome, options: OUTCOMES.map((each) => [each, t.outcomes[each]]) },
    { name: 'reason', title: t.reason, options: REASON_NAMES.map((reason) => [reason, titleOf(reason)]) },
    { name: 'script_id', title: t.script, ...(names.size > 0 && { options: [...names] }) },
    ...(isOneScript ? [{ name: 'version', title: t.version }] : []),
    { name: 'executor', title: t.executor },
    { name: 'user_key', title: t.userKey },
  ]
}

function columnsOf(projectId: string, names: ReadonlyMap<string, string>): readonly Column<Run>[] {
  const t = text.logs
  return [
    { id: 'outcome', title: t.outcome, isMain: true, cell: (run) => <Outcome run={run} /> },
    { id: 'state', title: t.state, cell: ({ state }) => (state === null ? '' : t.states[state]) },
    {
      id: 'user',
      title: t.user,
      cell: ({ user_key }) => <UserLink projectId={projectId} userKey={user_key} />,
    },
    {
      id: 'script',
      title: t.script,
      cell: ({ script_id, script_version }) =>
        `${nameOfScript(names, script_id)} ${t.versionOf(script_version)}`,
    },
    { id: 'executor', title: t.executor, cell: ({ executor }) => executor },
    { id: 'at', title: t.at, cell: ({ at }) => <Time at={at} /> },
  ]
}

function Outcome({ run: { outcome, reason } }: { run: Run }) {
  return (
    <Badge tone={TONES[outcome]}>{reason === null ? text.logs.outcomes[outcome] : titleOf(reason)}</Badge>
  )
}
