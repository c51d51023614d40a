import { type V1ProjectsListResponse, v1ProjectsList } from '@scriptward/sdk'
import { useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { LoadedSearch, useLoadedSearch } from '../../components/table/loaded-search.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { FirstProject, NewProjectDialog } from './new.tsx'
import styles from './projects.module.css'

type Row = V1ProjectsListResponse['projects'][number]

const AT_ONCE = 100
/** A search field is shown for at least this many projects. */
const MANY = 10

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: text.name,
    isMain: true,
    cell: ({ id, name }) => (
      <a className={styles.name} href={addressOf.project(id)}>
        <Avatar id={id} />
        {name}
      </a>
    ),
  },
  {
    id: 'executions',
    title: text.executions,
    place: 'end-below',
    isNumber: true,
    cell: ({ total_executions }) => number(total_executions),
  },
  {
    id: 'running',
    title: text.projectList.running,
    isNumber: true,
    cell: ({ total_instances }) => number(total_instances),
  },
]

export function ProjectsPage() {
  const [isOpen, setIsOpen] = useState(false)
  useDialogParam({ project: 'projects:write' }, () => setIsOpen(true))
  const { query, rows, more, total } = useProjectList()
  const isEmpty = query.data !== undefined && rows.length === 0
  return (
    <>
      <PageTitle title={text.projects} intro={text.projectList.intro}>
        {!isEmpty && (
          <GuardedButton needs="projects:write" className="main" onClick={() => setIsOpen(true)}>
            {text.projectList.new}
          </GuardedButton>
        )}
      </PageTitle>
      <QueryBoundary query={query}>
        {isEmpty ? <FirstProject /> : <List rows={rows} more={more} total={total} />}
      </QueryBoundary>
      {isOpen && <NewProjectDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function useProjectList() {
  const call = useCall()
  return useList(['projects', 'all'], async (after) => {
    const query = { limit: AT_ONCE, order: 'newest', ...(after && { after }) } as const
    const { projects, total, next } = (await v1ProjectsList({ ...call, query })).data
    return { rows: projects, total, next }
  })
}

type ListProps = Pick<ReturnType<typeof useProjectList>, 'rows' | 'more' | 'total'>

function List({ rows, more, total }: ListProps) {
  const { sought, setSought, found, isNothing } = useLoadedSearch(rows, more, ({ name }) => name)
  return (
    <div className="stack">
      {(total ?? rows.length) >= MANY && (
        <div className="bar between">
          <LoadedSearch title={text.projectList.search} value={sought} onChange={setSought} />
          <ShownOf shown={found.length} total={total} />
        </div>
      )}
      {isNothing ? (
        <Empty title={text.projectList.noneFound} hint={text.projectList.noneFoundHint} />
      ) : (
        <Table
          label={text.projects}
          rows={found}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          total={total}
          more={more}
        />
      )}
    </div>
  )
}
