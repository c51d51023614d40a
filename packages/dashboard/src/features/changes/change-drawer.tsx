/** A change's details, the affected users, and the undo button. */
import { v1ChangesGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { actorName } from '../../components/audit/audit-line.ts'
import { Drawer } from '../../components/overlays/drawer.tsx'
import type { Change } from '../../components/overlays/undo-change.ts'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { AffectedUsers } from './affected-users.tsx'
import { changeTitle, stateOf } from './change-title.ts'
import { UndoChangeButton } from './undo-change-button.tsx'

type DrawerProps = {
  readonly id: string
  /** The change, if it is in the loaded part of the list. */
  readonly listed: Change | undefined
  readonly onClose: () => void
}

export function ChangeDrawer({ id, listed, onClose }: DrawerProps) {
  const query = useOneChange(id, listed)
  const change = listed ?? query.data
  return (
    <Drawer title={change ? changeTitle(change) : text.changes.title} onClose={onClose}>
      {change ? <Contents change={change} /> : <QueryBoundary query={query}>{null}</QueryBoundary>}
    </Drawer>
  )
}

/** Loads a linked change that is not in the list yet. */
function useOneChange(id: string, listed: Change | undefined) {
  const call = useCall()
  return useQuery({
    queryKey: ['changes', id],
    queryFn: async () => (await v1ChangesGet({ ...call, path: { change_id: id } })).data.change,
    enabled: listed === undefined,
  })
}

function Contents({ change }: { change: Change }) {
  return (
    <>
      <Facts change={change} />
      {change.state !== 'undone' && (
        <div className="bar">
          <UndoChangeButton change={change} isMain />
        </div>
      )}
      <Skipped change={change} />
      {change.count > 0 && change.state !== 'undone' && <AffectedUsers change={change} />}
    </>
  )
}

function Facts({ change }: { change: Change }) {
  const t = text.changes
  const facts = [
    [text.frame.time, exactly(change.created_at)],
    [text.frame.project, change.project_name],
    [t.who, actorName(change.actor, new Map())],
    [t.count, number(change.count)],
    [t.state, stateOf(change)],
    ...(change.undone_by === null ? [] : [[t.undoneBy, change.undone_by] as const]),
    ...(change.undone_at === null ? [] : [[t.undoneAt, exactly(change.undone_at)] as const]),
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

const SHOWN = 100

function Skipped({ change: { skipped, skipped_entries } }: { change: Change }) {
  const t = text.changes
  if (skipped === 0) return null
  return (
    <section className="stack tight">
      <h3>{t.skipped(skipped)}</h3>
      <ul>
        {skipped_entries.slice(0, SHOWN).map(({ what, name, type, reason }) => (
          <li key={name}>
            <code>{what === 'users' ? shortKey(name) : name}</code> {t.reasons[type] ?? reason}
          </li>
        ))}
      </ul>
    </section>
  )
}
