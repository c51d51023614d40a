/** Actions for the recipient of a leaked copy: open, message and block. */
import { v1SessionsMessageMany } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { type Message, SessionMessage } from '../../components/session-message.tsx'
import { addressOf } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { leaksText as t } from '../../messages/en/leaks.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { ChangeDialog } from '../users/changes/change-dialog.tsx'
import { useUser } from '../users/queries.ts'
import { useSessions } from '../users/record/queries.ts'
import type { User } from '../users/user.ts'

type Props = {
  readonly userKey: string
  /** Whether the evidence is strong enough to act on. */
  readonly isNamed: boolean
}

export function SuspectActions({ userKey, isNamed }: Props) {
  const project = useProject()
  const mayRead = useRefusal('users:read') === undefined
  return (
    <div className="bar">
      <a className="button" href={addressOf.user(project.id, userKey)}>
        {text.scripts.openUser}
      </a>
      {isNamed && mayRead && <OfUser userKey={userKey} />}
    </div>
  )
}

function OfUser({ userKey }: { userKey: string }) {
  const { data: user, isError } = useUser(userKey)
  if (isError) return <span className="hint">{t.removed}</span>
  if (user === undefined) return null
  return (
    <>
      <MessageButton userKey={userKey} />
      {user.blacklisted ? <Badge tone="bad">{t.blocked}</Badge> : <BlockButton user={user} />}
    </>
  )
}

/** Only live sessions receive messages. */
function MessageButton({ userKey }: { userKey: string }) {
  const call = useCall()
  const [isOpen, setIsOpen] = useState(false)
  const mayRead = useRefusal('sessions:read') === undefined
  const sessions = useSessions(userKey, mayRead).data ?? []
  if (sessions.length === 0) return null
  const send = async (message: Message) => {
    const body = { session_ids: sessions.map(({ id }) => id), ...message }
    return (await v1SessionsMessageMany({ ...call, body })).data.responses
  }
  return (
    <>
      <GuardedButton needs="sessions:write" onClick={() => setIsOpen(true)}>
        {text.users.sendMessage}
      </GuardedButton>
      {isOpen && (
        <SessionMessage title={text.users.sendMessage} send={send} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}

function BlockButton({ user }: { user: User }) {
  const showToast = useToast()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <GuardedButton needs="users:write" className="danger" onClick={() => setIsOpen(true)}>
        {text.users.changes.blacklist.action}
      </GuardedButton>
      {isOpen && (
        <ChangeDialog
          change="blacklist"
          users={[user]}
          onToast={showToast}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
