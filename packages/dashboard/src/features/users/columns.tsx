/** Columns of the user list. Rarely needed columns are hidden by default. */

import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Pair } from '../../components/table/pair.tsx'
import type { Column } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { customerName, hasName } from '../../lib/customer-name.ts'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { dayOf, exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { endWords, isNearExpiry, TONES, type User } from './user.ts'
import styles from './users.module.css'

export const HIDDEN: readonly string[] = [
  ...['note', 'chatId', 'executions', 'created', 'issuedTo', 'issuedBy', 'executor'],
  ...['limits', 'reset', 'reason', 'blacklistEnd', 'ads', 'use'],
]

export function columns(): readonly Column<User>[] {
  const t = text.userList
  return [
    {
      id: 'customer',
      title: t.customer,
      isMain: true,
      sort: { by: 'note' },
      cell: (user) => <Customer user={user} />,
    },
    {
      id: 'status',
      title: t.status,
      place: 'end',
      cell: ({ status, shared }) => (
        <span className={styles.badges}>
          <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>
          {shared && <Badge tone="bad">{text.userList.shared}</Badge>}
        </span>
      ),
    },
    { id: 'plan', title: text.userList.plan, cell: ({ plan }) => <Long words={plan} /> },
    {
      id: 'lastUsed',
      title: t.lastUsed,
      sort: { by: 'last_used', isDescending: true },
      cell: ({ last_used_at }) => <LastUsed at={last_used_at} />,
    },
    {
      id: 'expiry',
      title: t.expiry,
      place: 'end-below',
      sort: { by: 'expires' },
      cell: (user) => <Expiry user={user} />,
    },
    {
      id: 'device',
      title: t.device,
      cell: ({ fingerprint_assigned }) => (
        <span className={styles.tight}>{fingerprint_assigned ? t.bound : t.unbound}</span>
      ),
    },
    { id: 'note', title: t.note, cell: ({ note }) => <Long words={note} /> },
    { id: 'chatId', title: t.chatId, cell: ({ chat_id }) => <Long words={chat_id} /> },
    {
      id: 'executions',
      title: t.executions,
      isNumber: true,
      cell: ({ executions }) => number(executions),
    },
    { id: 'issuedTo', title: text.labels.issuedTo, cell: ({ issued_to }) => <Long words={issued_to} /> },
    { id: 'issuedBy', title: text.labels.issuedBy, cell: ({ issued_by }) => <Long words={issued_by} /> },
    { id: 'executor', title: t.executor, cell: ({ executor }) => <Long words={executor} /> },
    {
      id: 'created',
      title: t.created,
      sort: { by: 'created', isDescending: true },
      cell: ({ created_at }) => <TimeOr at={created_at} none="" />,
    },
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
    { id: 'use', title: text.userList.lately, cell: (user) => usedIn(user) },
    { id: 'ads', title: t.fromAds, cell: ({ ad_system_id }) => (ad_system_id === null ? '' : t.yes) },
  ]
}

/** Maximum number of tags to show in a list row. */
const SHOWN_TAGS = 2

/** The customer's name, the key, and some of the tags. */
function Customer({ user }: { user: User }) {
  const { note, chat_id, key, tags } = user
  const name = hasName({ user_key: key, note, chat_id })
    ? customerName({ user_key: key, note, chat_id })
    : null
  const short = (
    <code className={styles.tight} title={key}>
      {shortKey(key)}
    </code>
  )
  return (
    <Pair
      below={name === null && tags.length === 0 ? null : <Below tags={tags}>{name !== null && short}</Below>}
    >
      {name === null ? short : <Long words={name} />}
    </Pair>
  )
}

function Below({ tags, children }: { tags: readonly string[]; children: ReactNode }) {
  return (
    <span className={styles.below}>
      {children}
      {tags.length > 0 && <Tags of={tags.slice(0, SHOWN_TAGS)} />}
      {tags.length > SHOWN_TAGS && <span className={styles.tag}>+{number(tags.length - SHOWN_TAGS)}</span>}
    </span>
  )
}

/** Shows only the day, because the list is sorted by the day of the last use. */
function LastUsed({ at }: { at: number | null }) {
  if (at === null) return <span className={`hint ${styles.tight}`}>{text.userList.neverUsed}</span>
  return (
    <time className={styles.tight} dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {dayOf(at)}
    </time>
  )
}

export function Tags({ of }: { of: readonly string[] }) {
  return (
    <span className={styles.tags} dir="auto">
      {of.map((tag) => (
        <span key={tag} className={styles.tag}>
          {tag}
        </span>
      ))}
    </span>
  )
}

export function StatusOf({ user }: { user: User }) {
  const t = text.userList
  return (
    <span className={styles.badges}>
      <Badge tone={TONES[user.status]}>{t.statuses[user.status]}</Badge>
      {isNearExpiry(user) && <Badge tone="warn">{t.soon}</Badge>}
      {user.shared && <Badge tone="bad">{text.userList.shared}</Badge>}
    </span>
  )
}

/** Marks a key that expires soon with a dot, and with text for screen readers. */
function Expiry({ user }: { user: User }) {
  const t = text.userList
  if (user.paused !== null || user.key_expires === null)
    return <span className={`${styles.tight} ${styles.never}`}>{endWords(user)}</span>
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
    <span className={styles.note} title={words} dir="auto">
      {words}
    </span>
  )
}

function TimeOr({ at, none }: { at: number | null; none: string }) {
  return <span className={styles.tight}>{at === null ? none : <Time at={at} />}</span>
}

/**
 * Describes how many networks used the key recently, and how many devices were denied. Empty if both counts
 * are 0.
 */
export function usedIn({ networks, refused_devices }: User): string {
  return networks + refused_devices === 0 ? '' : text.userList.usedIn(networks, refused_devices)
}

function limitsOf({ max_instances, max_executions }: User): string {
  const t = text.userList
  const limits = [
    max_instances !== null && t.atOnce(max_instances),
    max_executions !== null && t.inAll(max_executions),
  ]
  return limits.filter((each) => each !== false).join(', ')
}
