/** An account's or the operators' audit log, with its filters in the URL. */
import { v1AdProvidersList, v1ProjectsList } from '@scriptward/sdk'
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { type AuditEntry, type AuditPage, type AuditQuery, access } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'
import { Empty } from '../empty.tsx'
import { Entry } from './audit-entry.tsx'
import { AuditFilters, type Filters } from './audit-filters.tsx'
import { namesIn, type Reader } from './audit-line.ts'
import type { Names } from './audit-values.ts'
import { timesOf } from './local-days.ts'

const AT_ONCE = 50
const NO_NAMES: Names = new Map()
const FILTERS = ['actor', 'action', 'noun', 'from', 'to'] as const

/** Reads the filters from the URL. */
export function useAuditQuery(): AuditQuery {
  const [given] = useFilters()
  return queryOf(filtersIn(given))
}

/** `key` distinguishes the two logs in the cache. */
export function useAuditLog(key: string, fetchPage: (query: AuditQuery) => Promise<AuditPage>) {
  const query = useAuditQuery()
  const log = useInfiniteQuery({
    queryKey: [key, query],
    queryFn: ({ pageParam }) =>
      fetchPage({ ...query, limit: AT_ONCE, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const entries = useMemo(() => log.data?.pages.flatMap((page) => page.entries) ?? [], [log.data])
  return { log, entries }
}

type Props = {
  readonly log: UseInfiniteQueryResult
  readonly entries: readonly AuditEntry[]
  readonly reader?: Reader
  /** Names to use in addition to the account's own names. */
  readonly moreNames?: Names
}

export function AuditLog({ log, entries, reader = 'account', moreNames = NO_NAMES }: Props) {
  const [given, change] = useFilters()
  const filters = filtersIn(given)
  const { names, actors } = useNames(entries, moreNames)
  const clear = () => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  return (
    <>
      <AuditFilters
        filters={filters}
        entries={entries}
        actors={actors}
        names={names}
        onChange={change}
        onClear={clear}
      />
      <QueryBoundary query={log}>
        {entries.length === 0 ? (
          <Nothing isFiltered={Object.keys(filters).length > 0} onClear={clear} />
        ) : (
          <div className="stack">
            <p className="hint" role="status">
              {text.entryCount(entries.length, !log.hasNextPage)}
            </p>
            <div className="entries">
              {entries.map((entry) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  names={names}
                  reader={reader}
                  onNoun={(noun) => change({ noun })}
                />
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
      </QueryBoundary>
    </>
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

function filtersIn(given: Readonly<Record<string, string | undefined>>): Filters {
  return Object.fromEntries(FILTERS.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
}

/** Days are in the browser's time zone, and the last day is included. */
function queryOf({ from, to, ...rest }: Filters): AuditQuery {
  return { ...rest, ...timesOf({ from, to }) }
}

/**
 * Names of users, tokens, projects and ad networks if the user may read them, and otherwise names from the
 * entries.
 */
function useNames(entries: readonly AuditEntry[], more: Names) {
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
  const networks = useQuery({
    queryKey: ['ad-providers'],
    queryFn: async () => (await v1AdProvidersList(call)).data,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: scopes.includes('ads:read') && entries.some(({ changes }) => changes.provider !== undefined),
  })
  return useMemo(() => {
    const members = people.data?.members ?? []
    const names = new Map([...namesIn(entries), ...more])
    for (const { id, name } of projects.data ?? []) names.set(id, name)
    for (const [id, { name }] of Object.entries(networks.data?.networks ?? {})) names.set(id, name)
    for (const { id, person } of members)
      for (const each of [id, person.id]) names.set(each, person.name || person.email)
    const actors = members.map(({ person }) => [person.id, person.name || person.email] as const)
    return { names, actors }
  }, [entries, more, people.data, projects.data, networks.data])
}
