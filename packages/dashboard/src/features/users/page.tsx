/** A project's users, with search, bulk actions, and dialogs that create and share keys. */
import { USER_STATUSES, type UserStatus } from '@scriptward/client/user-statuses'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { useColumns } from '../../components/table/column-menu.tsx'
import { FilterBar, useIsFiltered } from '../../components/table/filter-bar.tsx'
import { IconButton } from '../../components/table/icon-button.tsx'
import { SavedViews, useIsSavedView } from '../../components/table/saved-views.tsx'
import { ShownOf, Table } from '../../components/table/table.tsx'
import { useSorting } from '../../components/table/use-sorting.ts'
import tabs from '../../components/table/view-tab.module.css'
import { ViewTab } from '../../components/table/view-tab.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters, useOpen, withQuery } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { usePlans } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { BulkActions } from './changes/bulk-actions.tsx'
import type { ChangeId } from './changes/changes.ts'
import { columns as allColumns, HIDDEN } from './columns.tsx'
import type { DialogOf } from './dialogs.tsx'
import { conditionsIn, filtersFor, NAMES, onlyStatus } from './filters.ts'
import { useCounts, useUsers } from './queries.ts'
import { RowMenu } from './row-menu.tsx'
import type { User } from './user.ts'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }))
const UserDrawer = lazy(async () => ({ default: (await import('./drawer.tsx')).UserDrawer }))

const COLUMNS = allColumns()
const ASKED = {
  key: 'users:issue',
  keys: 'users:issue',
  import: 'users:bulk',
  export: 'users:bulk',
  time: 'users:bulk',
}
const DIALOGS: Readonly<Record<keyof typeof ASKED, DialogOf>> = {
  key: { kind: 'new' },
  keys: { kind: 'generate' },
  import: { kind: 'import' },
  export: { kind: 'all', change: 'export' },
  time: { kind: 'all', change: 'compensate' },
}

export function UsersPage() {
  const t = text.userList
  const [given] = useFilters()
  const [open, setOpen] = useState<DialogOf | null>(null)
  useDialogParam(ASKED, (kind) => setOpen(DIALOGS[kind]))
  const list = useUsers(given)
  const isFiltered = useIsFiltered(NAMES)
  const isEmpty = !isFiltered && list.query.isSuccess && list.rows.length === 0
  const add = (
    <GuardedButton needs="users:issue" className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.newKey}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.frame.users} intro={t.intro}>
        <ProjectMenu isFiltered={isFiltered} found={list.total} onOpen={setOpen} />
        <GuardedButton needs="users:issue" onClick={() => setOpen({ kind: 'generate' })}>
          {t.generate}
        </GuardedButton>
        {!isEmpty && add}
      </PageTitle>
      <QueryBoundary query={list.query}>
        {isEmpty ? (
          <Empty title={t.noneTitle} hint={t.noneHint}>
            <span className="bar">
              {add}
              <GuardedButton needs="users:bulk" onClick={() => setOpen({ kind: 'import' })}>
                {t.importUsers}
              </GuardedButton>
            </span>
          </Empty>
        ) : (
          <Users list={list} onOpen={setOpen} />
        )}
      </QueryBoundary>
      {given.user !== undefined && (
        <Suspense>
          <UserDrawer key={given.user} userKey={given.user} />
        </Suspense>
      )}
      {open && (
        <Suspense>
          <Dialogs open={open} onOpen={setOpen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  )
}

type ColumnChoice = Pick<ReturnType<typeof useColumns<User>>, 'off' | 'setOff'>
type Opening = { readonly onOpen: (dialog: DialogOf) => void }
type MenuProps = Opening & { readonly isFiltered: boolean; readonly found: number | undefined }

function ProjectMenu({ isFiltered, found, onOpen }: MenuProps) {
  const t = text.userList
  const { id } = useProject()
  const open = useOpen()
  const bulk = 'users:bulk'
  return (
    <Menu label={t.allUsers} button={t.allUsers}>
      <MenuItem needs={bulk} onClick={() => onOpen({ kind: 'import' })}>
        {t.importUsers}
      </MenuItem>
      {isFiltered ? (
        <MenuItem needs="users:read" onClick={() => onOpen({ kind: 'export' })}>
          {t.exportFiltered(found)}
        </MenuItem>
      ) : (
        <MenuItem needs={bulk} onClick={() => onOpen({ kind: 'all', change: 'export' })}>
          {t.all.export.action}
        </MenuItem>
      )}
      <MenuItem needs={bulk} onClick={() => onOpen({ kind: 'all', change: 'compensate' })}>
        {t.all.compensate.action}
      </MenuItem>
      {isFiltered && (
        <MenuItem needs={bulk} onClick={() => onOpen({ kind: 'filtered' })}>
          {t.changeFiltered(found)}
        </MenuItem>
      )}
      <MenuItem needs="users:read" onClick={() => open(withQuery(addressOf.changes, { project: id }))}>
        {text.changes.title}
      </MenuItem>
      <MenuItem needs="users:read" onClick={() => onOpen({ kind: 'chat' })}>
        {t.chatMembers}
      </MenuItem>
      {(['resetall', 'purge', 'clear'] as const).map((change) => (
        <MenuItem key={change} needs={bulk} isDanger onClick={() => onOpen({ kind: 'all', change })}>
          {t.all[change].action}
        </MenuItem>
      ))}
    </Menu>
  )
}

const DOWNLOAD = 'M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10'

type ListProps = Opening & { readonly list: ReturnType<typeof useUsers> }

function Users({ list, onOpen }: ListProps) {
  const t = text.userList
  const [given, change] = useFilters()
  const [chosen, setChosen] = useState<ReadonlyMap<string, User>>(new Map())
  const choice = useColumns('users', COLUMNS, HIDDEN)
  const { columns, menu, isCompact } = choice
  const sorting = useSorting()
  const plans = usePlans().data ?? []
  const counts = useCounts()
  const status = onlyStatus(conditionsIn(given))
  const total = list.total ?? (status && counts.data?.[status])
  const selection = useMemo(
    () => ({
      chosen: new Set(chosen.keys()),
      onChange: (keys: ReadonlySet<string>) => setChosen((before) => withRows(before, keys, list.rows)),
    }),
    [chosen, list.rows],
  )
  // The rows in the list may be newer than the ones stored with the selection.
  const users = [...withRows(chosen, selection.chosen, list.rows).values()]
  const deselect = (gone: readonly User[]) => {
    const keys = new Set(gone.map(({ key }) => key))
    setChosen((before) => new Map([...before].filter(([key]) => !keys.has(key))))
  }
  const start = (id: ChangeId, whom: readonly User[]) =>
    onOpen({ kind: 'change', change: id, users: whom, onRemoved: deselect })
  return (
    <>
      <ViewTabs counts={counts.data} total={list.total} columns={choice} />
      <FilterBar
        label={t.filters}
        filters={filtersFor(given, plans)}
        search={{ name: 'search', title: t.search }}
      >
        <ShownOf shown={list.rows.length} total={total} />
        <IconButton label={t.exportMatching} path={DOWNLOAD} onClick={() => onOpen({ kind: 'export' })} />
        {menu}
      </FilterBar>
      {list.rows.length === 0 ? (
        <Empty title={text.frame.nothingFound} hint={text.frame.nothingFoundHint} />
      ) : (
        <Table
          label={text.frame.users}
          rows={list.rows}
          keyOf={({ key }) => key}
          columns={columns}
          total={total}
          more={list.more}
          selection={selection}
          sorting={sorting}
          isCompact={isCompact}
          onOpen={({ key }) => change({ user: key })}
          onEdit={({ key }) => change({ user: key, tab: 'edit' })}
          actions={(user) => (
            <RowMenu
              user={user}
              onOpen={() => change({ user: user.key })}
              onHandOver={() => onOpen({ kind: 'key', user })}
              onChange={(id) => start(id, [user])}
            />
          )}
        />
      )}
      <BulkActions
        selection={selection}
        onChange={(id) => start(id, users)}
        onExport={() => onOpen({ kind: 'export', users })}
      />
    </>
  )
}

/** Returns the latest known state of the selected users, including those that are no longer in the list. */
function withRows(before: ReadonlyMap<string, User>, keys: ReadonlySet<string>, rows: readonly User[]) {
  const known = new Map([...before, ...rows.map((row) => [row.key, row] as const)])
  return new Map(
    [...keys].flatMap((key) => {
      const user = known.get(key)
      return user ? [[key, user] as const] : []
    }),
  )
}

type TabsProps = {
  readonly counts: ReturnType<typeof useCounts>['data']
  readonly total: number | undefined
  readonly columns: ColumnChoice
}

/** Statuses that always have a tab. Other statuses have one only if they occur. */
const USUAL: ReadonlySet<UserStatus> = new Set(['active', 'unused', 'expired', 'blacklisted'])

/**
 * Tabs for the statuses, with their counts, and for saved views. The tabs also work before the counts have
 * loaded.
 */
function ViewTabs({ counts, total, columns }: TabsProps) {
  const t = text.userList
  const [given, change] = useFilters()
  const isSaved = useIsSavedView('users', NAMES)
  const isShown = (status: UserStatus) =>
    USUAL.has(status) || given.status === status || (counts?.[status] ?? 0) > 0
  const sum = counts ? Object.values(counts).reduce((all, each) => all + each, 0) : total
  const isChosen = (status: UserStatus | undefined) => !isSaved && given.status === status
  return (
    <fieldset className={tabs.tabs} aria-label={t.byStatus}>
      <ViewTab isChosen={isChosen(undefined)} count={sum} onChoose={() => change({ status: undefined })}>
        {t.everyone}
      </ViewTab>
      {USER_STATUSES.filter(isShown).map((status) => (
        <ViewTab
          key={status}
          isChosen={isChosen(status)}
          count={counts?.[status]}
          onChoose={() => change({ status: isChosen(status) ? undefined : status })}
        >
          {t.statuses[status]}
        </ViewTab>
      ))}
      <SavedViews list="users" names={NAMES} columns={columns} />
    </fieldset>
  )
}
