/** One user at the side of the list: what they are, everything that can be edited, and what happened to them. */

import { isServiceError } from '@scriptward/sdk'
import { useState } from 'react'
import { number } from '../../format.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import { ChangeDialog, type Said } from './change-dialog.tsx'
import type { ChangeId } from './changes.ts'
import { StatusOf } from './columns.tsx'
import { Device } from './device.tsx'
import { EditForm } from './edit-form.tsx'
import { HandOver } from './hand-over.tsx'
import { Life } from './life.tsx'
import { useUser } from './lists.ts'
import { ownPage } from './message.ts'
import { Sessions } from './sessions.tsx'
import { expiryWords, shortKey, type User } from './user.ts'
import styles from './users.module.css'

export function UserDrawer({ userKey, onClose }: { userKey: string; onClose: () => void }) {
  const asked = useUser(userKey)
  const user = asked.data
  const isGone = isServiceError(asked.error) && asked.error.status === 404
  return (
    <Drawer title={user?.note ?? shortKey(userKey)} onClose={onClose}>
      {isGone && <Empty title={text.users.goneTitle} hint={text.users.goneHint} />}
      {!isGone && (
        <Waiting asked={{ ...asked, error: user === undefined ? asked.error : null }}>
          {user && <OneUser user={user} onClose={onClose} />}
        </Waiting>
      )}
    </Drawer>
  )
}

type Given = { readonly user: User; readonly onClose: () => void }

function OneUser({ user, onClose }: Given) {
  const t = text.users
  const [change, setChange] = useState<ChangeId | null>(null)
  const [isHandedOver, setIsHandedOver] = useState(false)
  // Messages of the page lie behind the drawer, so it has its own.
  const [said, setSaid] = useState<Said | null>(null)
  const tabs = [
    { id: 'edit', title: t.edit, content: <EditForm user={user} onSaid={setSaid} /> },
    { id: 'device', title: t.device, content: <Device user={user} onReset={() => setChange('reset')} /> },
    { id: 'sessions', title: t.sessions, content: <Sessions userKey={user.key} /> },
    { id: 'life', title: t.life, content: <Life user={user} /> },
  ]
  const closeChange = () => setChange(null)
  const say = (next: Said) => (change === 'remove' ? onClose() : setSaid(next))
  return (
    <>
      <div className={styles.key}>
        <code>{user.key}</code>
        <CopyButton value={user.key} label={t.copyKey} />
      </div>
      <Facts user={user} />
      <Actions user={user} onChange={setChange} onHandOver={() => setIsHandedOver(true)} />
      {said && (
        <div className="notice good" role="status">
          <span>{said.title}</span>
          {said.undo && (
            <button type="button" onClick={said.undo}>
              {text.frame.undo}
            </button>
          )}
        </div>
      )}
      <Tabs label={t.aboutUser} tabs={tabs} />
      {change && <ChangeDialog change={change} users={[user]} onSaid={say} onClose={closeChange} />}
      {isHandedOver && <HandOver user={user} isNew={false} onClose={() => setIsHandedOver(false)} />}
    </>
  )
}

function Facts({ user }: { user: User }) {
  const t = text.users
  const page = ownPage(user.project_id)
  return (
    <dl className="facts-list">
      <dt>{t.status}</dt>
      <dd>
        <StatusOf user={user} />
        {user.blacklisted && (
          <p className="hint">
            {user.blacklist_reason ?? t.noReason} · {t.until(expiryWords(user.blacklist_expires))}
          </p>
        )}
      </dd>
      <dt>{t.expiry}</dt>
      <dd>{expiryWords(user.key_expires)}</dd>
      <dt>{t.executions}</dt>
      <dd>
        {number(user.executions)}
        {user.executor !== null && ` · ${user.executor}`}
      </dd>
      <dt>{t.created}</dt>
      <dd>
        <Time at={user.created_at} />
        {user.ad_system_id !== null && ` · ${t.fromAds}`}
        {user.issuer !== null && ` · ${t.issuedBy(user.issuer)}`}
      </dd>
      <dt>{t.ownPage}</dt>
      <dd>
        <a href={page} target="_blank" rel="noreferrer">
          {t.openOwnPage}
        </a>{' '}
        <span className="hint">{t.ownPageHint}</span>
      </dd>
    </dl>
  )
}

const WRITE = 'users:write'

type ActionsGiven = {
  readonly user: User
  readonly onChange: (change: ChangeId) => void
  readonly onHandOver: () => void
}

function Actions({ user, onChange, onHandOver }: ActionsGiven) {
  const t = text.users
  const offered: ChangeId[] = [
    ...(user.key_expires === null ? [] : (['extend'] as const)),
    ...(user.status === 'locked' ? (['unlock'] as const) : []),
    user.blacklisted ? 'unblacklist' : 'blacklist',
    'remove',
  ]
  return (
    <div className="bar">
      <button type="button" onClick={onHandOver}>
        {t.handOver}
      </button>
      {offered.map((id) => (
        <GuardedButton
          key={id}
          needs={WRITE}
          {...(id === 'remove' && { className: 'danger' })}
          onClick={() => onChange(id)}
        >
          {t.changes[id].action}
        </GuardedButton>
      ))}
    </div>
  )
}
