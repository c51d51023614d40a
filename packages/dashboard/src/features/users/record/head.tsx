/** Shows who the user is, and the actions for the user's key. */
import type { ReactNode } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { CopyButton } from '../../../components/code/copy-button.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx'
import { addressOf } from '../../../lib/address.ts'
import { shortKey } from '../../../lib/short-key.ts'
import { exactly } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import type { ChangeId } from '../changes/changes.ts'
import { StatusOf, Tags } from '../columns.tsx'
import { ownPage } from '../message.ts'
import { isEnding, nameOf, type User } from '../user.ts'
import { dayText } from './days.ts'
import styles from './record.module.css'

const WRITE = 'users:write'

/**
 * Shows the status or, if the user is blocked, the kind of block. A block that has its own entry is linked.
 */
export function RecordStatus({ user }: { user: User }) {
  const t = recordText.blocked
  if (user.blacklisted) return <Badge tone="bad">{t.key}</Badge>
  if (user.ban === null) return <StatusOf user={user} />
  return (
    <a className={styles.status} href={addressOf.project(user.project_id, 'bans', { ban: user.ban.id })}>
      <Badge tone="bad">{t[user.ban.kind]}</Badge>
    </a>
  )
}

export function Identity({ user, children }: { user: User; children?: ReactNode }) {
  const t = recordText
  return (
    <div className={styles.ids}>
      <code title={user.key}>{shortKey(user.key)}</code>
      {user.chat_id !== null && user.note !== null && (
        <span>
          {t.discord} <code dir="auto">{user.chat_id}</code>
        </span>
      )}
      <span title={exactly(user.created_at)}>{t.since(dayText(user.created_at))}</span>
      <a href={ownPage(user.project_id)} target="_blank" rel="noreferrer">
        {t.customerPage}
      </a>
      {children}
      {user.tags.length > 0 && <Tags of={user.tags} />}
    </div>
  )
}

type ActionsProps = {
  readonly user: User
  readonly onChange: (change: ChangeId) => void
  readonly onHandOver: () => void
  readonly onBan: () => void
}

export function RecordActions({ user, onChange, onHandOver, onBan }: ActionsProps) {
  const t = text.users
  const item = (id: ChangeId) => (
    <MenuItem key={id} needs={WRITE} onClick={() => onChange(id)}>
      {t.changes[id].action}
    </MenuItem>
  )
  return (
    <>
      <CopyButton value={user.key} label={t.copyKey} />
      {isEnding(user) && (
        <GuardedButton needs={WRITE} onClick={() => onChange('extend')}>
          {t.changes.extend.action}
        </GuardedButton>
      )}
      <Menu label={recordText.more(nameOf(user))}>
        <MenuItem onClick={onHandOver}>{t.handOver}</MenuItem>
        {user.status === 'unused' && item('issue')}
        {item(user.paused === null ? 'pause' : 'resume')}
        {user.status === 'locked' && item('unlock')}
        {user.fingerprint_assigned && item('reset')}
        {item(user.blacklisted ? 'unblacklist' : 'blacklist')}
        <MenuItem needs={WRITE} onClick={onBan}>
          {text.bans.banUser}
        </MenuItem>
        <MenuItem needs={WRITE} isDanger onClick={() => onChange('remove')}>
          {t.changes.remove.action}
        </MenuItem>
      </Menu>
    </>
  )
}
