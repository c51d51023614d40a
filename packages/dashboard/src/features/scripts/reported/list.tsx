/** Lists the errors that the script's runs report. The URL stores the filters and the open error. */
import { Empty } from '../../../components/empty.tsx'
import { Panel } from '../../../components/panel.tsx'
import { type Filter, FilterBar, useIsFiltered } from '../../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../../components/table/table.tsx'
import { Time } from '../../../components/time.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { useFilters } from '../../../lib/address.ts'
import { number } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import type { Script } from '../queries.ts'
import { ErrorDrawer } from './error-drawer.tsx'
import { PlaceOf, StateBadge } from './place.tsx'
import { type ErrorQuery, type ReportedError, useErrors } from './queries.ts'
import styles from './reported.module.css'

const FILTERS = ['state', 'version', 'executor']

export function ReportedErrors({ script }: { script: Script }) {
  const t = text.reported
  const [given, change] = useFilters()
  const isFiltered = useIsFiltered(FILTERS)
  const { query, rows, more, total } = useErrors(script.id, queryOf(given))
  return (
    <Panel title={t.title} hint={t.intro}>
      <FilterBar label={t.filters} filters={filters}>
        {query.data && <ShownOf shown={rows.length} total={total} />}
      </FilterBar>
      <QueryBoundary query={query}>
        {rows.length > 0 ? (
          <Table
            label={t.title}
            rows={rows}
            keyOf={({ id }) => id}
            columns={ERROR_COLUMNS}
            total={total}
            more={more}
            onOpen={({ id }) => change({ error: id })}
          />
        ) : (
          <Empty
            title={isFiltered ? text.frame.nothingFound : t.emptyTitle}
            hint={isFiltered ? text.frame.nothingFoundHint : t.emptyHint}
          />
        )}
      </QueryBoundary>
      {given.error !== undefined && (
        <ErrorDrawer script={script} id={given.error} onClose={() => change({ error: undefined })} />
      )}
    </Panel>
  )
}

/** Ignores query parameters that the API would reject. */
function queryOf(given: Readonly<Record<string, string | undefined>>): ErrorQuery {
  const { state = '', version, executor, sort = '' } = given
  const n = Number(version)
  return {
    ...(Object.hasOwn(text.reported.states, state) && { state: state as NonNullable<ErrorQuery['state']> }),
    ...(Number.isSafeInteger(n) && n > 0 && { version: n }),
    ...(executor !== undefined && { executor }),
    ...(Object.hasOwn(text.reported.sorts, sort) && { sort: sort as NonNullable<ErrorQuery['sort']> }),
  }
}

const filters: readonly Filter[] = [
  { name: 'state', title: text.reported.state, options: Object.entries(text.reported.states) },
  { name: 'version', title: text.reported.version },
  { name: 'executor', title: text.reported.executor },
  { name: 'sort', title: text.reported.sort, options: Object.entries(text.reported.sorts) },
]

/** Columns shared by all lists of errors. */
export const ERROR_COLUMNS: readonly Column<ReportedError>[] = [
  {
    id: 'message',
    title: text.reported.message,
    isMain: true,
    cell: ({ message }) => (
      <span className={styles.message} dir="auto">
        {message}
      </span>
    ),
  },
  { id: 'place', title: text.reported.place, place: 'below', cell: ({ place }) => <PlaceOf place={place} /> },
  {
    id: 'occurrences',
    title: text.reported.occurrences,
    isNumber: true,
    cell: ({ occurrences }) => number(occurrences),
  },
  {
    id: 'customers',
    title: text.reported.customers,
    isNumber: true,
    cell: ({ customers }) => number(customers),
  },
  {
    id: 'last',
    title: text.reported.last,
    place: 'end-below',
    cell: ({ last_seen }) => <Time at={last_seen} />,
  },
  { id: 'state', title: text.reported.state, place: 'end', cell: (row) => <StateBadge of={row} /> },
]
