/** The columns of the list. Those that are seldom needed are off until they are chosen. */

import { number } from '../../format.ts'
import { Badge } from '../../parts/badge.tsx'
import type { Column } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { text } from '../../text/text.ts'
import { isNearExpiry, shortKey, TONES, type User } from './user.ts'
import styles from './users.module.css'

export const HIDDEN: readonly string[] = ['executor', 'limits', 'reset', 'reason', 'blacklistEnd', 'ads']

export function columns(): readonly Column<User>[] {
  const t = text.users
  return [
    {
      id: 'key',
      title: t.key,
      isMain: true,
      cell: ({ key }) => (
        <code className={styles.tight} title={key}>
          {shortKey(key)}
        </code>
      ),
    },
    {
      id: 'status',
      title: t.status,
      cell: ({ status }) => <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>,
    },
    { id: 'note', title: t.note, cell: ({ note }) => <Long words={note} /> },
    { id: 'chatId', title: t.chatId, cell: ({ chat_id }) => <Long words={chat_id} /> },
    { id: 'expiry', title: t.expiry, cell: (user) => <Expiry user={user} /> },
    {
      id: 'device',
      title: t.device,
      cell: ({ fingerprint_assigned }) => (
        <span className={styles.tight}>{fingerprint_assigned ? t.bound : t.unbound}</span>
      ),
    },
    {
      id: 'executions',
      title: t.executions,
      isNumber: true,
      cell: ({ executions }) => number(executions),
    },
    { id: 'executor', title: t.executor, cell: ({ executor }) => <Long words={executor} /> },
    { id: 'created', title: t.created, cell: ({ created_at }) => <TimeOr at={created_at} none="" /> },
    { id: 'limits', title: t.limits, cell: (user) => limitsOf(user) },
    { id: 'reset', title: t.lastReset, cell: ({ last_reset }) => <TimeOr at={last_reset || null} none="" /> },
    { id: 'reason', title: t.reason, cell: ({ blacklist_reason }) => <Long words={blacklist_reason} /> },
    {
      id: 'blacklistEnd',
      title: t.blacklistEnd,
      cell: ({ blacklisted, blacklist_expires }) =>
        blacklisted ? <TimeOr at={blacklist_expires} none={t.never} /> : '',
    },
    { id: 'ads', title: t.fromAds, cell: ({ ad_system_id }) => (ad_system_id === null ? '' : t.yes) },
  ]
}

export function StatusOf({ user }: { user: User }) {
  const t = text.users
  return (
    <span className={styles.badges}>
      <Badge tone={TONES[user.status]}>{t.statuses[user.status]}</Badge>
      {isNearExpiry(user) && <Badge tone="warn">{t.soon}</Badge>}
    </span>
  )
}

/** Soon is told by a dot and, to who hears it, in words. */
function Expiry({ user }: { user: User }) {
  const t = text.users
  if (!isNearExpiry(user) || user.key_expires === null) return <TimeOr at={user.key_expires} none={t.never} />
  return (
    <Badge tone="warn">
      <span className="unseen-text">{t.soon} </span>
      <Time at={user.key_expires} />
    </Badge>
  )
}

function Long({ words }: { words: string | null }) {
  if (words === null) return ''
  return (
    <span className={styles.note} title={words}>
      {words}
    </span>
  )
}

function TimeOr({ at, none }: { at: number | null; none: string }) {
  return <span className={styles.tight}>{at === null ? none : <Time at={at} />}</span>
}

function limitsOf({ max_instances, max_executions }: User): string {
  const t = text.users
  const limits = [
    max_instances !== null && t.atOnce(max_instances),
    max_executions !== null && t.inAll(max_executions),
  ]
  return limits.filter((each) => each !== false).join(', ')
}
