/** Breakdowns of the denials in the period. Each bar filters the list below. */
import { v1ProjectDenialsFilter } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Bars } from '../../components/chart/bars.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { colorOf, type Denial, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { type Period, totalsOf, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { type FilterName, sinceOf } from './queries.ts'

const MAX_READ = 1000
const MAX_SHOWN = 8

export function DeniedBy({ period }: { period: Period }) {
  const t = text.denials
  const names = useScriptNames(useProject().id)
  const of = (
    name: FilterName,
    read: (denial: Denial) => string | null,
    show?: (id: string) => ReactNode,
  ) => <ByListed period={period} name={name} read={read} show={show ?? ((id) => id)} />
  return (
    <Panel title={t.commonTitle} hint={t.commonHint}>
      <Tabs
        label={t.commonTitle}
        tabs={[
          { id: 'reason', title: t.reason, content: <ByReason period={period} /> },
          {
            id: 'user',
            title: t.user,
            content: of(
              'user_key',
              ({ user_key }) => user_key,
              (key) => <code>{key}</code>,
            ),
          },
          {
            id: 'script',
            title: t.script,
            content: of(
              'script_id',
              ({ script_id }) => script_id,
              (id) => nameOfScript(names, id),
            ),
          },
          { id: 'executor', title: t.executor, content: of('executor', ({ client }) => client.executor) },
        ]}
      />
    </Panel>
  )
}

type Counted = readonly (readonly [id: string, count: number])[]

function ByReason({ period }: { period: Period }) {
  const { id } = useProject()
  const query = useOutcomes(id, period)
  const counts = Object.entries(totalsOf(query.data?.now ?? []).reasons)
  return (
    <QueryBoundary query={query}>
      <FilterBars name="reason" counts={counts} show={titleOf} />
    </QueryBoundary>
  )
}

type Listed = {
  readonly period: Period
  readonly name: FilterName
  /** Null excludes the denial from the breakdown. */
  readonly read: (denial: Denial) => string | null
  readonly show: (id: string) => ReactNode
}

/** Uses the listed denials, because counters contain only the reason and the script. */
function ByListed({ period, name, read, show }: Listed) {
  const call = useCall()
  const { id } = useProject()
  const from = sinceOf(period)
  const query = useQuery({
    queryKey: ['denials', id, 'in common', from],
    queryFn: async () => {
      const given = { path: { project_id: id }, query: { from, limit: MAX_READ } }
      return (await v1ProjectDenialsFilter({ ...call, ...given })).data.denials
    },
  })
  const counts = new Map<string, number>()
  for (const denial of query.data ?? []) {
    const each = read(denial)
    if (each !== null && each !== '') counts.set(each, (counts.get(each) ?? 0) + denial.count)
  }
  return (
    <QueryBoundary query={query}>
      <FilterBars name={name} counts={[...counts]} show={show} />
    </QueryBoundary>
  )
}

type Shown = {
  readonly name: FilterName
  readonly counts: Counted
  readonly show: (id: string) => ReactNode
}

function FilterBars({ name, counts, show }: Shown) {
  const t = text.denials
  const [given, change] = useFilters()
  const [isWhole, setIsWhole] = useState(false)
  const sorted = counts.toSorted(([, a], [, b]) => b - a)
  if (sorted.length === 0) return <p className="hint">{t.noneInPeriod}</p>
  return (
    <>
      <Bars
        label={t.commonTitle}
        bars={sorted.slice(0, isWhole ? sorted.length : MAX_SHOWN).map(([id, value]) => ({
          id,
          title: (
            <button
              type="button"
              className="link"
              aria-pressed={given[name] === id}
              onClick={() => change({ [name]: given[name] === id ? undefined : id })}
            >
              {show(id)}
            </button>
          ),
          value,
          color: name === 'reason' ? colorOf(id) : 'accent',
        }))}
      />
      {!isWhole && sorted.length > MAX_SHOWN && (
        <button type="button" className="link" onClick={() => setIsWhole(true)}>
          {t.showAll(sorted.length)}
        </button>
      )}
    </>
  )
}
