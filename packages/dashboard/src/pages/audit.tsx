/** The audit log: every change, who made it, and what it was before. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useContext, useId } from 'react'
import { type AuditEntry, access } from '../access-api.ts'
import { useFilters } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { shownValue, whatWasDone, whoDid } from '../audit-words.ts'
import { Complaint } from '../parts/complaint.tsx'
import { Empty } from '../parts/empty.tsx'
import { Field } from '../parts/field.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useProjects } from '../parts/project-picker.tsx'
import { MeContext } from '../rights.ts'
import { saveText } from '../save-text.ts'
import { text } from '../text.ts'
import { exactly, when } from '../when.ts'
import { Waiting } from './trouble.tsx'

const DAY_MS = 86_400_000
const PAGE = 50

export function AuditPage() {
  const call = useCall()
  const [filters, setFilters] = useFilters()
  const asked = queryOf(filters)
  const list = useInfiniteQuery({
    queryKey: ['audit', filters.toString()],
    queryFn: ({ pageParam }) =>
      access.audit(call, { ...asked, limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const csv = useChange(async () => saveText('audit-log.csv', await access.auditCsv(call, asked)))
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <PageTitle title={text.auditTitle} intro={text.auditIntro}>
        <button type="button" onClick={() => csv.mutate(undefined)} disabled={csv.isPending}>
          {text.exportCsv}
        </button>
      </PageTitle>
      <Complaint of={csv.error} />
      <Filters filters={filters} onChange={setFilters} />
      <Waiting asked={list}>
        {entries.length === 0 ? (
          <Empty title={text.noEntries} hint={text.noEntriesHint} />
        ) : (
          <div className="entries">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </div>
        )}
        {list.hasNextPage && (
          <div className="bar">
            <button type="button" onClick={() => list.fetchNextPage()} disabled={list.isFetchingNextPage}>
              {text.more}
            </button>
          </div>
        )}
      </Waiting>
    </>
  )
}

type FilterBar = { readonly filters: URLSearchParams; readonly onChange: (filters: URLSearchParams) => void }

function Filters({ filters, onChange }: FilterBar) {
  const set = (name: string) => (event: { target: { value: string } }) => {
    const changed = new URLSearchParams(filters)
    if (event.target.value === '') changed.delete(name)
    else changed.set(name, event.target.value)
    onChange(changed)
  }
  const field = (name: string) => ({ value: filters.get(name) ?? '', onChange: set(name) })
  return (
    <search className="stack tight">
      <div className="row">
        <ActorField {...field('actor')} />
        <Field label={text.action} placeholder="v1.projects.edit" {...field('action')} />
        <Field label={text.noun} placeholder="prj_…" {...field('noun')} />
        <Field label={text.from} type="date" {...field('from')} />
        <Field label={text.to} type="date" {...field('to')} />
      </div>
      {filters.size > 0 && (
        <div className="bar">
          <button type="button" className="link" onClick={() => onChange(new URLSearchParams())}>
            {text.clearFilters}
          </button>
        </div>
      )}
    </search>
  )
}

function ActorField(given: { value: string; onChange: (event: { target: { value: string } }) => void }) {
  const id = useId()
  const people = useMembers()
  return (
    <div className="field">
      <label htmlFor={id}>{text.who}</label>
      <select id={id} {...given}>
        <option value="">{text.anyone}</option>
        {people.map(({ person }) => (
          <option key={person.id} value={person.id}>
            {person.name || person.email}
          </option>
        ))}
      </select>
    </div>
  )
}

/** None for those who may not see them. */
function useMembers() {
  const call = useCall()
  const me = useContext(MeContext)
  const list = useInfiniteQuery({
    queryKey: ['members of the log'],
    queryFn: () => access.members(call),
    initialPageParam: '',
    getNextPageParam: () => null,
    enabled: me?.scopes.includes('members:read') === true,
  })
  return list.data?.pages[0]?.members ?? []
}

function Entry({ entry }: { entry: AuditEntry }) {
  const projects = useProjects().data ?? []
  const people = useMembers()
  const names = new Map([
    ...projects.map(({ id, name }) => [id, name] as const),
    ...people.map(({ id, person }) => [id, person.name || person.email] as const),
  ])
  const member = people.find(({ person }) => person.id === entry.actor.id)
  const who = member?.person.name || whoDid(entry)
  return (
    <details className="entry">
      <summary>
        <time className="time hint" dateTime={new Date(entry.created_at).toISOString()}>
          {exactly(entry.created_at)}
        </time>
        <span>
          <strong>{who}</strong> {whatWasDone(entry, names)}
        </span>
      </summary>
      <div className="inside">
        <Changes changes={entry.changes} />
        <Facts entry={entry} />
      </div>
    </details>
  )
}

function Changes({ changes }: { changes: AuditEntry['changes'] }) {
  const rows = Object.entries(changes)
  if (rows.length === 0) return null
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{text.changesTitle}</th>
            <th>{text.before}</th>
            <th>{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, change]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{'before' in change ? shownValue(change.before) : ''}</td>
              <td>{shownValue(change.after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Facts({ entry }: { entry: AuditEntry }) {
  const nouns = Object.entries(entry.nouns).map(([name, id]) => `${name} ${id}`)
  const facts = [
    [text.time, when(entry.created_at)],
    [text.who, `${entry.actor.kind} ${entry.actor.name}`],
    [text.action, entry.action],
    [text.nouns, nouns.join(', ')],
    [text.network, entry.network],
    [text.request, entry.request_id],
    [text.entryNumber, entry.n === null ? null : String(entry.n)],
    [text.entryHash, entry.hash],
  ] as const
  return (
    <dl className="facts-list">
      {facts
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div className="fact" key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Days as the reader counts them; the last one whole. */
function queryOf(filters: URLSearchParams): Record<string, string | number> {
  const query: Record<string, string | number> = {}
  for (const [name, value] of filters) {
    const day = Date.parse(`${value}T00:00`)
    if (name === 'from') query.from = day
    else if (name === 'to') query.to = day + DAY_MS - 1
    else query[name] = value
  }
  return query
}
