/** The audit log: what was changed in the account, by whom, and how one can be sure of it. */
import { v1ProjectsList } from '@scriptward/sdk'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type AuditEntry, type AuditQuery, access } from '../../access-api.ts'
import { useFilters } from '../../address.ts'
import { useCall } from '../../api.ts'
import { namesIn } from '../../audit-line.ts'
import { Entry } from '../../parts/audit-entry.tsx'
import { AuditFilters, type Filters } from '../../parts/audit-filters.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { Empty } from '../../parts/empty.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useMe } from '../../rights.ts'
import { saveText } from '../../save-text.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'

const AT_ONCE = 50
const DAY = 24 * 60 * 60_000
const FILTERS = ['actor', 'action', 'noun', 'from', 'to'] as const

export function AuditPage() {
  const call = useCall()
  const [given, change] = useFilters()
  const filters = filtersIn(given)
  const query = queryOf(filters)
  const log = useInfiniteQuery({
    queryKey: ['audit', query],
    queryFn: ({ pageParam }) =>
      access.audit(call, { ...query, limit: AT_ONCE, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const entries = useMemo(() => log.data?.pages.flatMap((page) => page.entries) ?? [], [log.data])
  const { names, actors } = useNames(entries)
  const clear = () => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  return (
    <>
      <PageTitle title={text.auditTitle} intro={text.auditIntro}>
        <Export query={query} isEmpty={entries.length === 0} />
      </PageTitle>
      <AuditFilters filters={filters} entries={entries} actors={actors} onChange={change} onClear={clear} />
      <Waiting asked={log}>
        {entries.length === 0 ? (
          <Nothing isFiltered={Object.keys(filters).length > 0} onClear={clear} />
        ) : (
          <div className="stack">
            <p className="hint" role="status">
              {text.entryCount(entries.length, !log.hasNextPage)}
            </p>
            <div className="entries">
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} names={names} onNoun={(noun) => change({ noun })} />
              ))}
            </div>
            {log.hasNextPage && (
              <div className="bar">
                <button type="button" onClick={() => log.fetchNextPage()} disabled={log.isFetchingNextPage}>
                  {text.more}
                </button>
              </div>
            )}
          </div>
        )}
      </Waiting>
      <HowToVerify />
    </>
  )
}

function HowToVerify() {
  return (
    <section className="stack tight">
      <h2>{text.verifyTitle}</h2>
      <p className="hint">
        {text.verifyBefore} <code>./scriptward doctor --verify-audit</code>.
      </p>
    </section>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <Empty title={text.noEntriesYet} hint={text.noEntriesYetHint} />
  return (
    <Empty title={text.noEntries} hint={text.noEntriesHint}>
      <button type="button" onClick={onClear}>
        {text.clearFilters}
      </button>
    </Empty>
  )
}

function Export({ query, isEmpty }: { query: AuditQuery; isEmpty: boolean }) {
  const call = useCall()
  const csv = useMutation({ mutationFn: () => access.auditCsv(call, query) })
  const save = (content: string) => saveText(`audit-${new Date().toISOString().slice(0, 10)}.csv`, content)
  return (
    <div className="stack tight">
      <button
        type="button"
        onClick={() => csv.mutate(undefined, { onSuccess: save })}
        disabled={csv.isPending || isEmpty}
      >
        {csv.isPending ? text.exporting : text.exportCsv}
      </button>
      <Complaint of={csv.error} />
    </div>
  )
}

function filtersIn(given: Readonly<Record<string, string | undefined>>): Filters {
  return Object.fromEntries(FILTERS.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
}

/** Days are those of the person in front of the screen, the last one whole. */
function queryOf({ from, to, ...rest }: Filters): AuditQuery {
  const [start, end] = [startOf(from), startOf(to)]
  return {
    ...rest,
    ...(start === undefined ? {} : { from: start }),
    ...(end === undefined ? {} : { to: end + DAY - 1 }),
  }
}

function startOf(day: string | undefined): number | undefined {
  const time = Date.parse(`${day}T00:00:00`)
  return Number.isNaN(time) ? undefined : time
}

/** Names of people, tokens and projects, as far as one may read them, and else as the entries say. */
function useNames(entries: readonly AuditEntry[]) {
  const call = useCall()
  const { scopes } = useMe()
  const people = useQuery({
    queryKey: ['members'],
    queryFn: () => access.members(call),
    enabled: scopes.includes('members:read'),
  })
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: async () => (await v1ProjectsList(call)).data.projects,
    enabled: scopes.includes('projects:read'),
  })
  return useMemo(() => {
    const members = people.data?.members ?? []
    const names = new Map(namesIn(entries))
    for (const { id, name } of projects.data ?? []) names.set(id, name)
    for (const { id, person } of members)
      for (const each of [id, person.id]) names.set(each, person.name || person.email)
    const actors = members.map(({ person }) => [person.id, person.name || person.email] as const)
    return { names, actors }
  }, [entries, people.data, projects.data])
}
