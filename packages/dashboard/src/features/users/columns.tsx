/** Columns of the user list. Rarely needed ones are hidden by default. */

import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { text } from '../../messages/text.ts'
import { endWords, isNearExpiry, TONES, type User } from './user.ts'
import styles from './users.module.css'

export const HIDDEN: readonly string[] = [
  'plan',
  'issuedTo',
  'issuedBy',
  'executor',
  'limits',
  'reset',
  'reason',
  'blacklistEnd',
  'ads',
  'use',
]

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
      cell: ({ status, shared }) => (
        <span className={styles.badges}>
          <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>
          {shared && <Badge tone="bad">{text.bans.shared}</Badge>}
        </span>
      ),
    },
    { id: 'note', title: t.note, cell: (user) => <Note user={user} /> },
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
    { id: 'plan', title: text.plans.plan, cell: ({ plan }) => <Long words={plan} /> },
    { id: 'issuedTo', title: text.labels.issuedTo, cell: ({ issued_to }) => <Long words={issued_to} /> },
    { id: 'issuedBy', title: text.labels.issuedBy, cell: ({ issued_by }) => <Long words={issued_by} /> },
    { id: 'executor', title: t.executor, cell: ({ executor }) => <Long words={executor} /> },
    { id: 'created', title: t.created, cell: ({ created_at }) => <TimeOr at={created_at} none="" /> },
    { id: 'limits', title: t.limits, cell: (user) => limitsOf(user) },
    { id: 'reset', title: t.lastReset, cell: ({ last_reset }) => <TimeOr at={last_reset || null} none="" /> },
    {
      id: 'reason',
      title: t.reason,
      cell: ({ blacklist_reason, ban }) => <Long words={blacklist_reason ?? ban?.reason ?? null} />,
    },
    {
      id: 'blacklistEnd',
      title: t.blacklistEnd,
      cell: ({ blacklisted, blacklist_expires, ban }) =>
        blacklisted || ban ? (
          <TimeOr at={blacklisted ? blacklist_expires : (ban?.expires ?? null)} none={t.never} />
        ) : (
          ''
        ),
    },
    { id: 'use', title: text.bans.lately, cell: (user) => usedIn(user) },
    { id: 'ads', title: t.fromAds, cell: ({ ad_system_id }) => (ad_system_id === null ? '' : t.yes) },
  ]
}

/** Lists have space for only some tags. */
const SHOWN_TAGS = 2

function Note({ user: { note, tags } }: { user: User }) {
  if (tags.length === 0) return <Long words={note} />
  return (
    <span className={styles.tags}>
      <Long words={note} />
      <Tags of={tags.slice(0, SHOWN_TAGS)} />
      {tags.length > SHOWN_TAGS && <Badge tone="plain">+{number(tags.length - SHOWN_TAGS)}</Badge>}
    </span>
  )
}

export function Tags({ of }: { of: readonly string[] }) {
  return (
    <span className={styles.tags} dir="auto">
      {of.map((tag) => (
        <Badge key={tag} tone="plain">
          <span className={styles.tag}>{tag}</span>
        </Badge>
      ))}
    </span>
  )
}

export function StatusOf({ user }: { user: User }) {
  const t = text.users
  return (
    <span className={styles.badges}>
      <Badge tone={TONES[user.status]}>{t.statuses[user.status]}</Badge>
      {isNearExpiry(user) && <Badge tone="warn">{t.soon}</Badge>}
      {user.shared && <Badge tone="bad">{text.bans.shared}</Badge>}
    </span>
  )
}

/** Marks an upcoming expiry with a dot, and with text for screen readers. */
function Expiry({ user }: { user: User }) {
  const t = text.users
  if (user.paused !== null || user.key_expires === null)
    return <span className={styles.tight}>{endWords(user)}</span>
  if (!isNearExpiry(user)) return <TimeOr at={user.key_expires} none={t.never} />
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

/** Describes on how many networks a key was recently used and how many devices were denied; empty if none. */
export function usedIn({ networks, refused_devices }: User): string {
  return networks + refused_devices === 0 ? '' : text.bans.usedIn(networks, refused_devices)
}

function limitsOf({ max_instances, max_executions }: User): string {
  const t = text.users
  const limits = [
    max_instances !== null && t.atOnce(max_instances),
    max_executions !== null && t.inAll(max_executions),
  ]
  return limits.filter((each) => each !== false).join(', ')
}
