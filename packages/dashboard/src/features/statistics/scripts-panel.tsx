import { v1ProjectsExecutions } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Chart, type Series } from '../../components/chart/chart.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { number, percent } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { DAY_MS, lengthOf, type Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { type Days, daysOf, type ScriptDays, sumOf } from './days.ts'
import { Download, dayOf, type Sheet } from './download.tsx'

const KEPT_DAYS = 30
const COLORS = ['accent', 'good', 'denied', 'crashed'] as const
const FIRST_ROWS = 10

export function ScriptsPanel({ period, script }: { period: Period; script: string | undefined }) {
  const t = text.statistics
  const call = useCall()
  const { id, name } = useProject()
  const query = useQuery({
    queryKey: ['executions by script', id],
    queryFn: async () => (await v1ProjectsExecutions({ ...call, path: { project_id: id } })).data.executions,
  })
  const count = Math.min(KEPT_DAYS, lengthOf(period) / DAY_MS)
  const days = query.data && onlyOf(daysOf(query.data, count, Date.now()), script)
  return (
    <Panel
      title={t.byScript}
      hint={t.byScriptHint}
      actions={days && <Download title={t.byScript} sheet={() => sheetOf(days, name)} />}
    >
      <QueryBoundary query={query}>{days && <Shown days={days} />}</QueryBoundary>
    </Panel>
  )
}

function Shown({ days }: { days: Days }) {
  const t = text.statistics
  const [{ script }, change] = useFilters()
  const choose = (id: string) => change({ script: script === id ? undefined : id })
  if (sumOf(days.total) === 0) return <p className="hint">{t.noneHint}</p>
  return (
    <>
      <Chart label={t.byScript} times={days.times} step="day" series={seriesOf(days, choose)} />
      <Scripts days={days} />
    </>
  )
}

function Scripts({ days }: { days: Days }) {
  const t = text.statistics
  const { id } = useProject()
  const [isWhole, setIsWhole] = useState(false)
  const rows = isWhole ? days.scripts : days.scripts.slice(0, FIRST_ROWS)
  return (
    <>
      <Table
        label={t.table}
        rows={rows}
        keyOf={(row) => row.id}
        columns={columnsOf(id, days)}
        total={days.scripts.length}
      />
      {rows.length < days.scripts.length && (
        <button type="button" className="link" onClick={() => setIsWhole(true)}>
          {t.showAll(days.scripts.length)}
        </button>
      )}
    </>
  )
}

function columnsOf(projectId: string, { total }: Days): readonly Column<ScriptDays>[] {
  const t = text.statistics
  const all = Math.max(1, sumOf(total))
  return [
    {
      id: 'script',
      title: t.script,
      isMain: true,
      cell: (row) => <a href={addressOf.script(projectId, row.id)}>{row.name}</a>,
    },
    { id: 'runs', title: t.runs, place: 'end', isNumber: true, cell: ({ values }) => number(sumOf(values)) },
    {
      id: 'share',
      title: t.share,
      place: 'end-below',
      isNumber: true,
      cell: ({ values }) => percent(sumOf(values) / all),
    },
    {
      id: 'average',
      title: t.perDay,
      isNumber: true,
      cell: ({ values }) => number(Math.round((10 * sumOf(values)) / Math.max(1, values.length)) / 10),
    },
    { id: 'best', title: t.best, isNumber: true, cell: ({ values }) => number(Math.max(0, ...values)) },
  ]
}

/** Keeps only the data of one script. Removed scripts have no data. */
function onlyOf(days: Days, script: string | undefined): Days {
  if (script === undefined) return days
  const scripts = days.scripts.filter(({ id }) => id === script)
  return { ...days, scripts, total: scripts[0]?.values ?? days.times.map(() => 0) }
}

/** Draws one line for each of the most-run scripts. Clicking a legend entry shows only that script. */
function seriesOf({ scripts, times, total }: Days, choose: (id: string) => void): Series[] {
  const shown = scripts.slice(0, COLORS.length)
  const lines = shown.map(({ id, name, values }, index) => ({
    title: name,
    onChoose: () => choose(id),
    isChosen: scripts.length === 1,
    color: COLORS[index] ?? 'accent',
    values,
  }))
  if (scripts.length <= COLORS.length) return lines
  const rest = times.map((_, day) => (total[day] ?? 0) - sumOf(shown.map(({ values }) => values[day] ?? 0)))
  return [...lines, { title: text.statistics.others, color: 'soft', values: rest }]
}

function sheetOf({ times, total, scripts }: Days, project: string): Sheet {
  const t = text.statistics
  return {
    name: `${project}-${t.byScript}`,
    head: [t.date, t.total, ...scripts.map(({ name }) => name)],
    rows: times.map((time, day) => [
      dayOf(time),
      total[day] ?? 0,
      ...scripts.map(({ values }) => values[day] ?? 0),
    ]),
  }
}
