/** The errors of all scripts. The URL contains the filters, and the open error with its script. */
import { Empty } from '../../components/empty.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { type Filter, FilterBar } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { ErrorDrawer } from '../scripts/reported/error-drawer.tsx'
import { ERROR_COLUMNS } from '../scripts/reported/list.tsx'
import { type ProjectError, type ProjectErrorQuery, useProjectErrors } from '../scripts/reported/queries.ts'

const t = text.reported
type Shown = keyof typeof t.shownStates

export function ErrorsPage() {
  const { id } = useProject()
  const [given, change] = useFilters()
  const { error, script } = given
  const shown = shownIn(given.state)
  return (
    <>
      <PageTitle title={text.frame.errors} intro={t.intro} />
      <Segments
        label={t.state}
        options={Object.entries(t.shownStates) as [Shown, string][]}
        chosen={shown}
        onChoose={(state) => change({ state: state === 'open' ? undefined : state })}
      />
      <List projectId={id} shown={shown} onOpen={(row) => change({ error: row.id, script: row.script_id })} />
      {error !== undefined && script !== undefined && (
        <ErrorDrawer
          script={{ id: script }}
          id={error}
          onClose={() => change({ error: undefined, script: undefined })}
        />
      )}
    </>
  )
}

type ListProps = {
  readonly projectId: string
  readonly shown: Shown
  readonly onOpen: (row: ProjectError) => void
}

function List({ projectId, shown, onOpen }: ListProps) {
  const [given] = useFilters()
  const { query, rows, more, total } = useProjectErrors(projectId, queryOf(shown, given))
  return (
    <>
      <FilterBar label={t.filters} filters={filters}>
        {query.data && <ShownOf shown={rows.length} total={total} />}
      </FilterBar>
      <QueryBoundary query={query}>
        {rows.length > 0 ? (
          <Table
            label={text.frame.errors}
            rows={rows}
            keyOf={(row) => row.id}
            columns={columnsOf(projectId)}
            total={total}
            more={more}
            onOpen={onOpen}
          />
        ) : (
          <None shown={shown} isFiltered={given.executor !== undefined} />
        )}
      </QueryBoundary>
    </>
  )
}

function None({ shown, isFiltered }: { shown: Shown; isFiltered: boolean }) {
  if (isFiltered) return <Empty title={text.frame.nothingFound} hint={text.frame.nothingFoundHint} />
  return <Empty title={t.noneOf[shown]} hint={t.emptyHint} />
}

/** An unknown state in the URL shows the open errors. */
function shownIn(state: string | undefined): Shown {
  return state !== undefined && Object.hasOwn(t.shownStates, state) ? (state as Shown) : 'open'
}

function queryOf(shown: Shown, { executor, sort = '' }: Readonly<Record<string, string | undefined>>) {
  return {
    ...(shown !== 'all' && { state: shown }),
    ...(executor !== undefined && { executor }),
    ...(Object.hasOwn(t.sorts, sort) && { sort: sort as NonNullable<ProjectErrorQuery['sort']> }),
  }
}

const filters: readonly Filter[] = [
  { name: 'executor', title: t.executor },
  { name: 'sort', title: t.sort, options: Object.entries(t.sorts) },
]

function columnsOf(projectId: string): readonly Column<ProjectError>[] {
  const [message, ...others] = ERROR_COLUMNS
  const script: Column<ProjectError> = {
    id: 'script',
    title: t.script,
    cell: ({ script_id, script_name }) => (
      <a href={addressOf.script(projectId, script_id)}>
        <bdi>{script_name}</bdi>
      </a>
    ),
  }
  return [...(message === undefined ? [] : [message]), script, ...others]
}
