/** Removals and changes of many users: who made them, and what undoing one did or would do. */
import { v1BatchesList, v1ProjectsBatches } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { type Batch, useUndoBatch } from '../../components/overlays/undo-batch.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'

const PAGE = 100
const KEY = 'batches'

export function ChangesPage() {
  const t = text.changes
  const [{ project }, change] = useFilters()
  const list = useBatches(project)
  const [open, setOpen] = useState<string | null>(null)
  const shown = list.rows.find(({ id }) => id === open)
  return (
    <>
      <PageTitle title={t.title} intro={t.intro}>
        {project !== undefined && (
          <button type="button" onClick={() => change({ project: undefined })}>
            {t.ofAllProjects}
          </button>
        )}
      </PageTitle>
      <QueryBoundary query={list.query}>
        {list.rows.length === 0 ? (
          <Empty title={t.noneTitle} hint={t.noneHint} />
        ) : (
          <>
            {list.total !== list.rows.length && <ShownOf shown={list.rows.length} total={list.total} />}
            <Table
              label={t.title}
              rows={list.rows}
              keyOf={({ id }) => id}
              columns={COLUMNS}
              total={list.total}
              more={list.more}
              onOpen={({ id }) => setOpen(id)}
            />
          </>
        )}
      </QueryBoundary>
      {shown && <BatchDrawer batch={shown} onClose={() => setOpen(null)} />}
    </>
  )
}

function useBatches(project: string | undefined) {
  const call = useCall()
  return useList<Batch>([KEY, project], async (after) => {
    const query = { limit: PAGE, ...(after !== undefined && { after }) }
    const response =
      project === undefined
        ? v1BatchesList({ ...call, query })
        : v1ProjectsBatches({ ...call, path: { project_id: project }, query })
    const { batches, next, total } = (await response).data
    return { rows: batches, next, total }
  })
}

const COLUMNS: readonly Column<Batch>[] = [
  { id: 'when', title: text.frame.time, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'what', title: text.changes.what, isMain: true, cell: titleOf },
  { id: 'count', title: text.changes.count, isNumber: true, cell: ({ count }) => number(count) },
  { id: 'project', title: text.frame.project, cell: ({ project_name }) => project_name },
  { id: 'who', title: text.changes.who, cell: ({ actor }) => actor.name },
  { id: 'state', title: text.changes.state, cell: stateOf },
]

function titleOf({ action }: Batch): string {
  return text.changes.actions[action]
}

function stateOf({ state, undo_until }: Batch): string {
  const t = text.changes
  return state === 'done' ? t.undoUntil(exactly(undo_until)) : t.states[state]
}

function BatchDrawer({ batch, onClose }: { readonly batch: Batch; readonly onClose: () => void }) {
  return (
    <Drawer title={titleOf(batch)} onClose={onClose}>
      <Facts batch={batch} />
      {batch.state !== 'undone' && <UndoButton batch={batch} />}
      <Skipped batch={batch} />
    </Drawer>
  )
}

function Facts({ batch }: { batch: Batch }) {
  const t = text.changes
  const facts = [
    [text.frame.time, exactly(batch.created_at)],
    [text.frame.project, batch.project_name],
    ...(typeof batch.details.name === 'string' ? [[t.script, batch.details.name] as const] : []),
    [t.who, batch.actor.name],
    [t.count, number(batch.count)],
    [t.state, stateOf(batch)],
    ...(batch.undone_by === null ? [] : [[t.undoneBy, batch.undone_by] as const]),
    ...(batch.undone_at === null ? [] : [[t.undoneAt, exactly(batch.undone_at)] as const]),
  ] as const
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Within the drawer, which shows what is said. */
function UndoButton({ batch }: { batch: Batch }) {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <div className="bar">
      <GuardedButton needs="users:write" className="main" onClick={() => setIsAsked(true)}>
        {batch.state === 'undoing' ? text.changes.goOn : text.frame.undo}
      </GuardedButton>
      {isAsked && <UndoDialog batch={batch} onClose={() => setIsAsked(false)} />}
    </div>
  )
}

const SHOWN = 100

function Skipped({ batch: { skipped, skipped_entries } }: { batch: Batch }) {
  const t = text.changes
  if (skipped === 0) return null
  return (
    <section className="stack tight">
      <h3>{t.skipped(skipped)}</h3>
      <ul>
        {skipped_entries.slice(0, SHOWN).map(({ what, name, reason }) => (
          <li key={name}>
            <code>{what === 'users' ? shortKey(name) : name}</code> {t.reasons[reason] ?? reason}
          </li>
        ))}
      </ul>
    </section>
  )
}

function UndoDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const t = text.changes
  const undo = useUndoBatch(useToast())
  return (
    <ConfirmDialog
      title={t.undoTitle(titleOf(batch))}
      words={t.undoWords(batch.count)}
      submit={text.frame.undo}
      onConfirm={() => undo(batch.id)}
      onClose={onClose}
    />
  )
}
