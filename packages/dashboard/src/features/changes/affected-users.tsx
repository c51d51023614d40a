/** All users that a change affected, with links to those who still exist. */
import { type V1ChangesUsersResponse, v1ChangesUsers } from '@scriptward/sdk'
import type { Change } from '../../components/overlays/undo-change.ts'
import { useList } from '../../components/table/use-list.ts'
import { UserLink } from '../../components/user-link.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { customerName } from '../../lib/customer-name.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { changedExpiry } from '../users/changes/samples.tsx'

type User = V1ChangesUsersResponse['users'][number]

const PAGE = 100
const ADDING: ReadonlySet<string> = new Set(['import', 'generate'])

export function AffectedUsers({ change }: { change: Change }) {
  const t = text.changes
  const { query, rows, more } = useAffected(change)
  return (
    <section className="stack tight" aria-label={t.affected}>
      <h3>{t.affected}</h3>
      <QueryBoundary query={query}>
        <ul className="rows">
          {rows.map((user) => (
            <li key={user.user_key}>
              <div className="main-text">
                <Name change={change} user={user} />
                <span className="facts">{changedExpiry(user)}</span>
              </div>
            </li>
          ))}
        </ul>
        {more && (
          <button type="button" disabled={more.isLoading} onClick={more.load}>
            {text.more}
          </button>
        )}
      </QueryBoundary>
    </section>
  )
}

function useAffected({ id, state, restored }: Change) {
  const call = useCall()
  return useList<User>(['changes', id, 'users', state, restored], async (after) => {
    const query = { limit: PAGE, ...(after !== undefined && { after }) }
    const { users, next } = (await v1ChangesUsers({ ...call, path: { change_id: id }, query })).data
    return { rows: users, next }
  })
}

function Name({ change, user }: { change: Change; user: User }) {
  const isThere = ADDING.has(change.action) || Object.keys(user.changes).length > 0
  if (!isThere) return <bdi title={user.user_key}>{customerName(user)}</bdi>
  const { user_key, note, chat_id } = user
  return <UserLink projectId={change.project_id} userKey={user_key} note={note} chatId={chat_id} />
}
