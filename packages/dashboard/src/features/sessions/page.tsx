/**
 * Lists a project's live sessions, each with its user, script, host and duration. Dashboard users can message
 * or end sessions.
 */
import { useMemo, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SessionMessage } from '../../components/session-message.tsx'
import { BulkBar } from '../../components/table/bulk-bar.tsx'
import { useColumns } from '../../components/table/column-menu.tsx'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { ShownOf, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import type { Named } from '../../lib/customer-name.ts'
import { text } from '../../messages/text.ts'
import { useCustomerNames } from '../../queries/customer-names.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { NewBan } from '../bans/new-ban.tsx'
import { KINDS } from '../bans/queries.ts'
import { type Target, useSessionCalls } from './calls.ts'
import { columnsOf } from './columns.tsx'
import { SessionDrawer } from './drawer.tsx'
import { CONDITIONS, type Conditions, type Session, useLiveSessions } from './live.ts'
import { type SessionDeed, SessionMenu } from './row-menu.tsx'
import { StreamState } from './stream-state.tsx'

const WRITE = 'sessions:write'
type Open =
  | { readonly kind: 'message' | 'disconnect'; readonly target: Target }
  | { readonly kind: 'block'; readonly user: Named & { readonly user_key: string } }

export function SessionsPage() {
  const t = text.sessions
  const { id: projectId } = useProject()
  const conditions = useConditions()
  const [given, change] = useFilters()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [open, setOpen] = useState<Open | null>(null)
  const scripts = useScriptNames(projectId)
  const { query, sessions, more, total, stream, again } = useLiveSessions(projectId, conditions)
  const nameOf = useCustomerNames(sessions.map(({ user_key }) => user_key))
  const { columns, menu, isCompact } = useColumns('sessions', columnsOf(scripts, nameOf), ['version', 'job'])
  const isFiltered = Object.keys(conditions).length > 0
  const all: Target = { conditions, count: total ?? sessions.length }
  const selection = { chosen, onChange: setChosen }
  const start = (deed: SessionDeed, { id, user_key }: Session) => {
    if (deed !== 'block') setOpen({ kind: deed, target: { ids: [id], conditions, count: 1 } })
    else if (user_key !== null) setOpen({ kind: 'block', user: { ...nameOf(user_key), user_key } })
  }
  const act = (target: Target) => <Actions target={target} isFiltered={isFiltered} onOpen={setOpen} />
  return (
    <>
      <PageTitle title={text.frame.sessions} intro={t.intro}>
        {sessions.length > 0 && act(all)}
      </PageTitle>
      <FilterBar label={t.label} filters={filtersOf(scripts)}>
        <StreamState stream={stream} onAgain={again} />
        <ShownOf shown={sessions.length} total={total} />
        {menu}
      </FilterBar>
      <QueryBoundary query={query}>
        {sessions.length === 0 ? (
          <Nothing isFiltered={isFiltered} />
        ) : (
          <Table
            label={t.label}
            rows={sessions}
            keyOf={({ id }) => id}
            columns={columns}
            total={total}
            more={more}
            selection={selection}
            isCompact={isCompact}
            onOpen={({ id }) => change({ session: id })}
            actions={(session) => (
              <SessionMenu
                session={session}
                user={nameOf(session.user_key)}
                onAct={(deed) => start(deed, session)}
              />
            )}
          />
        )}
      </QueryBoundary>
      <BulkBar selection={selection}>{act({ ids: [...chosen], conditions, count: chosen.size })}</BulkBar>
      {given.session !== undefined && (
        <SessionDrawer
          id={given.session}
          actions={act({ ids: [given.session], conditions, count: 1 })}
          onClose={() => change({ session: undefined })}
        />
      )}
      {open?.kind === 'block' && <BlockOf user={open.user} onClose={() => setOpen(null)} />}
      {open && open.kind !== 'block' && (
        <ActDialog open={open} onClose={() => setOpen(null)} onDone={() => setChosen(new Set())} />
      )}
    </>
  )
}

function useConditions(): Conditions {
  const [given] = useFilters()
  const text = JSON.stringify(CONDITIONS.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
  return useMemo(() => Object.fromEntries(JSON.parse(text)), [text])
}

function filtersOf(scripts: ReadonlyMap<string, string>) {
  const t = text.sessions
  return [
    { name: 'script_id', title: t.script, ...(scripts.size > 0 && { options: [...scripts] }) },
    { name: 'executor', title: t.executor },
    { name: 'user_key', title: t.userKey },
    { name: 'game_user_id', title: t.gameUser },
    { name: 'place_id', title: t.place },
    { name: 'job_id', title: t.job },
  ]
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const t = text.sessions
  if (isFiltered) return <Empty title={text.frame.nothingFound} hint={text.frame.nothingFoundHint} />
  return <Empty title={t.none} hint={t.noneHint} />
}

type ActionsProps = {
  readonly target: Target
  readonly isFiltered: boolean
  readonly onOpen: (open: Open) => void
}

function Actions({ target, isFiltered, onOpen }: ActionsProps) {
  const t = text.sessions
  const isAll = target.ids === undefined
  const message = isAll ? (isFiltered ? t.messageMatching : t.messageAll) : t.message
  const disconnect = isAll ? (isFiltered ? t.disconnectMatching : t.disconnectAll) : t.disconnect
  return (
    <>
      <GuardedButton needs={WRITE} onClick={() => onOpen({ kind: 'message', target })}>
        {message}
      </GuardedButton>
      <GuardedButton needs={WRITE} className="danger" onClick={() => onOpen({ kind: 'disconnect', target })}>
        {disconnect}
      </GuardedButton>
    </>
  )
}

function BlockOf({ user, onClose }: { user: Named & { readonly user_key: string }; onClose: () => void }) {
  const kinds = KINDS.filter((kind) => kind !== 'chat' || user.chat_id !== null)
  return <NewBan of={{ user_key: user.user_key, kinds }} onClose={onClose} />
}

type ActProps = {
  readonly open: Exclude<Open, { kind: 'block' }>
  readonly onClose: () => void
  readonly onDone: () => void
}

function ActDialog({ open, onClose, onDone }: ActProps) {
  const t = text.sessions
  const { id } = useProject()
  const showToast = useToast()
  const calls = useSessionCalls(id)
  const { kind, target } = open
  const end = async () => {
    const answers = await calls.disconnect(target)
    const done = answers.filter(({ processed }) => processed).length
    showToast({ title: t.disconnected(done, answers.length) })
    onDone()
  }
  if (kind === 'message')
    return (
      <SessionMessage
        title={t.messageTo(target.count)}
        send={(message) => calls.message(target, message)}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={t.disconnectTitle(target.count)}
      words={t.disconnectWords}
      submit={t.disconnect}
      onConfirm={end}
      onClose={onClose}
    />
  )
}
