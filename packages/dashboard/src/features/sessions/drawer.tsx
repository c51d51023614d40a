import { isServiceError, v1SessionsGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { Time } from '../../components/time.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useCustomerNames } from '../../queries/customer-names.ts'
import { Age } from './age.tsx'
import type { Session } from './live.ts'
import { StateBadge } from './state-badge.tsx'

type Props = { readonly id: string; readonly actions: ReactNode; readonly onClose: () => void }

export function SessionDrawer({ id, actions, onClose }: Props) {
  const t = text.sessions
  const call = useCall()
  const query = useQuery({
    queryKey: ['session', id],
    queryFn: async () => (await v1SessionsGet({ ...call, path: { session_id: id } })).data.session,
  })
  return (
    <Drawer title={t.title(query.data?.executor ?? '')} onClose={onClose}>
      {isServiceError(query.error) && query.error.status === 404 ? (
        <p role="alert">{t.isOver}</p>
      ) : (
        <QueryBoundary query={query}>
          {query.data && <Facts session={query.data} />}
          <div className="bar">{actions}</div>
        </QueryBoundary>
      )}
    </Drawer>
  )
}

function Facts({ session }: { session: Session }) {
  const t = text.sessions
  const { note, chat_id } = useCustomerNames([session.user_key])(session.user_key)
  const { id, project_id, user_key, script_version, game_user_id, place_id, job_id } = session
  return (
    <dl className="facts-list">
      <Fact name={t.state}>
        <StateBadge state={session.state} />
      </Fact>
      <Fact name={t.since}>
        <Age since={session.created_at} />
      </Fact>
      <Fact name={t.lastSeen}>
        <Time at={session.last_seen} />
      </Fact>
      <Fact name={t.user}>
        {user_key === null ? (
          t.noUser
        ) : (
          <UserLink projectId={project_id} userKey={user_key} note={note} chatId={chat_id} />
        )}
      </Fact>
      <Fact name={t.version}>{script_version}</Fact>
      <Fact name={t.gameUser}>{game_user_id ?? '–'}</Fact>
      <Fact name={t.place}>{place_id ?? '–'}</Fact>
      <Fact name={t.job}>{job_id ?? '–'}</Fact>
      <Fact name={t.id}>
        <code>{id}</code> <CopyButton value={id} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
