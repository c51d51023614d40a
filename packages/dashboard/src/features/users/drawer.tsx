/** A user's details, edit form and recent activity. */

import { isServiceError } from '@scriptward/sdk'
import { useState } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { type Toast, useToast } from '../../components/overlays/toasts.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { text } from '../../messages/text.ts'
import { NewBan } from '../bans/new-ban.tsx'
import { KINDS } from '../bans/queries.ts'
import { Activity } from './activity.tsx'
import { ChangeDialog } from './changes/change-dialog.tsx'
import type { ChangeId } from './changes/changes.ts'
import { StatusOf, Tags, usedIn } from './columns.tsx'
import { Devices } from './device.tsx'
import { EditForm } from './edit/edit-form.tsx'
import { ownPage } from './message.ts'
import { useUser } from './queries.ts'
import { Sessions } from './sessions.tsx'
import { ShareKeyDialog } from './share-key-dialog.tsx'
import { TermFacts } from './terms.tsx'
import { endWords, expiryWords, isEnding, type User } from './user.ts'
import styles from './users.module.css'

export function UserDrawer({ userKey, onClose }: { userKey: string; onClose: () => void }) {
  const query = useUser(userKey)
  const user = query.data
  const showToast = useToast()
  const isGone = isServiceError(query.error) && query.error.status === 404
  return (
    <Drawer title={user?.note ?? shortKey(userKey)} onClose={onClose}>
      {isGone && user === undefined ? (
        <Empty title={text.users.goneTitle} hint={text.users.goneHint} />
      ) : (
        <QueryBoundary query={{ ...query, error: user === undefined ? query.error : null }}>
          {isGone && (
            <p className="notice warn" role="alert">
              {text.users.goneNow}
            </p>
          )}
          {user && (
            <OneUser
              user={user}
              onRemoved={(toast) => {
                onClose()
                showToast(toast)
              }}
            />
          )}
        </QueryBoundary>
      )}
    </Drawer>
  )
}

type Props = { readonly user: User; readonly onRemoved: (toast: Toast) => void }

function OneUser({ user, onRemoved }: Props) {
  const t = text.users
  const [change, setChange] = useState<ChangeId | null>(null)
  const [isHandedOver, setIsHandedOver] = useState(false)
  const [isBanned, setIsBanned] = useState(false)
  const showToast = useToast()
  const tabs = [
    { id: 'edit', title: t.edit, content: <EditForm user={user} onToast={showToast} /> },
    {
      id: 'device',
      title: text.devices.title,
      content: <Devices user={user} onReset={() => setChange('reset')} />,
    },
    { id: 'sessions', title: t.sessions, content: <Sessions userKey={user.key} /> },
    { id: 'timeline', title: t.timeline, content: <Activity user={user} /> },
  ]
  const closeChange = () => setChange(null)
  return (
    <>
      <div className={styles.key}>
        <code>{user.key}</code>
        <CopyButton value={user.key} label={t.copyKey} />
      </div>
      <Facts user={user} />
      <Actions
        user={user}
        onChange={setChange}
        onHandOver={() => setIsHandedOver(true)}
        onBan={() => setIsBanned(true)}
      />
      <Tabs label={t.aboutUser} tabs={tabs} />
      {change && (
        <ChangeDialog
          change={change}
          users={[user]}
          onToast={change === 'remove' ? onRemoved : showToast}
          onClose={closeChange}
        />
      )}
      {isBanned && <BanOf user={user} onClose={() => setIsBanned(false)} />}
      {isHandedOver && <ShareKeyDialog user={user} isNew={false} onClose={() => setIsHandedOver(false)} />}
    </>
  )
}

function BanOf({ user, onClose }: { user: User; onClose: () => void }) {
  const kinds = KINDS.filter((kind) => kind !== 'chat' || user.chat_id !== null)
  return <NewBan of={{ user_key: user.key, kinds }} onClose={onClose} />
}

function LabelFacts({ user }: { user: User }) {
  const t = text.labels
  const issued = [user.issued_to, user.issued_by].filter((name) => name !== null)
  return (
    <>
      {user.tags.length > 0 && (
        <>
          <dt>{t.tags}</dt>
          <dd>
            <Tags of={user.tags} />
          </dd>
        </>
      )}
      {(user.issued_at !== null || issued.length > 0) && (
        <>
          <dt>{t.issued}</dt>
          <dd dir="auto">
            {user.issued_at !== null && <Time at={user.issued_at} />} {issued.join(' · ')}
          </dd>
        </>
      )}
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
        {user.ban && (
          <p className="hint">
            {text.bans.hitBy[user.ban.kind]}: {user.ban.reason ?? t.noReason} ·{' '}
            {t.until(expiryWords(user.ban.expires))} ·{' '}
            <a href={addressOf.project(user.project_id, 'bans', { ban: user.ban.id })}>{text.bans.showBan}</a>
          </p>
        )}
      </dd>
      <dt>{t.expiry}</dt>
      <dd>{endWords(user)}</dd>
      <TermFacts user={user} />
      <LabelFacts user={user} />
      <dt>{t.executions}</dt>
      <dd>
        {number(user.executions)}
        {user.executor !== null && ` · ${user.executor}`}
      </dd>
      {usedIn(user) !== '' && (
        <>
          <dt>{text.bans.lately}</dt>
          <dd>{usedIn(user)}</dd>
        </>
      )}
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

type ActionsProps = {
  readonly user: User
  readonly onChange: (change: ChangeId) => void
  readonly onHandOver: () => void
  readonly onBan: () => void
}

function Actions({ user, onChange, onHandOver, onBan }: ActionsProps) {
  const t = text.users
  const offered: ChangeId[] = [
    ...(user.status === 'unused' ? (['issue'] as const) : []),
    ...(isEnding(user) ? (['extend'] as const) : []),
    user.paused === null ? 'pause' : 'resume',
    ...(user.status === 'locked' ? (['unlock'] as const) : []),
    user.blacklisted ? 'unblacklist' : 'blacklist',
  ]
  return (
    <div className="bar">
      <button type="button" onClick={onHandOver}>
        {t.handOver}
      </button>
      {offered.map((id) => (
        <GuardedButton key={id} needs={WRITE} onClick={() => onChange(id)}>
          {t.changes[id].action}
        </GuardedButton>
      ))}
      <GuardedButton needs={WRITE} onClick={onBan}>
        {text.bans.banUser}
      </GuardedButton>
      <GuardedButton needs={WRITE} className="danger" onClick={() => onChange('remove')}>
        {t.changes.remove.action}
      </GuardedButton>
    </div>
  )
}
