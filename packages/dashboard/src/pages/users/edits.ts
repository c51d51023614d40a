/** A user as a form has them, and what of it is sent. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { text } from '../../text/text.ts'
import { type Expiry, expiryOf, timeOf } from './expiry.ts'
import { expiryWords, type User } from './user.ts'

type Body = NonNullable<V1UsersEditData['body']>
export const MEMBERS = [
  'note',
  'chat_id',
  'key_expires',
  'max_instances',
  'max_executions',
  'use_fingerprint',
  'blacklist_reason',
  'blacklist_expires',
] as const satisfies (keyof User)[]
export type Member = (typeof MEMBERS)[number]

export type Draft = {
  note: string
  chat_id: string
  key_expires: Expiry
  max_instances: string
  max_executions: string
  use_fingerprint: boolean
  blacklist_reason: string
  blacklist_expires: Expiry
}

/** How the service is told that a limit is taken away. */
const NO_LIMIT = -1
const MOST = 2_147_483_647

export function draftOf(user: User): Draft {
  return {
    note: user.note ?? '',
    chat_id: user.chat_id ?? '',
    key_expires: expiryOf(user.key_expires),
    max_instances: user.max_instances === null ? '' : String(user.max_instances),
    max_executions: user.max_executions === null ? '' : String(user.max_executions),
    use_fingerprint: user.use_fingerprint,
    blacklist_reason: user.blacklist_reason ?? '',
    blacklist_expires: expiryOf(user.blacklist_expires),
  }
}

/** The members that differ from the user; empty when there are none. */
export function bodyOf(draft: Draft, user: User): Body {
  const before = draftOf(user)
  const now: Required<Body> = {
    note: draft.note.trim(),
    chat_id: draft.chat_id.trim(),
    key_expires: sentTime(draft.key_expires),
    max_instances: limitOf(draft.max_instances),
    max_executions: limitOf(draft.max_executions),
    use_fingerprint: draft.use_fingerprint,
    blacklist_reason: draft.blacklist_reason.trim(),
    blacklist_expires: sentTime(draft.blacklist_expires),
  }
  const changed = MEMBERS.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, now[name]]))
}

/** What is wrong with the members that would be sent. A key may be given a time that is over. */
export function wrongIn(draft: Draft, body: Body): Partial<Record<Member, string>> {
  const t = text.users
  const limit = (name: 'max_instances' | 'max_executions') =>
    body[name] !== undefined && !isLimit(draft[name]) ? t.noLimit : undefined
  const found = {
    key_expires: body.key_expires !== undefined && Number.isNaN(body.key_expires) ? t.noTime : undefined,
    max_instances: limit('max_instances'),
    max_executions: limit('max_executions'),
    blacklist_expires:
      body.blacklist_expires !== undefined && timeOf(draft.blacklist_expires) === undefined
        ? t.noTime
        : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined))
}

export function isSame(one: User, other: User, name: Member): boolean {
  return one[name] === other[name]
}

/** What a member is now, in words. */
export function shownIn(user: User, name: Member): string {
  const value = user[name]
  if (name === 'key_expires' || name === 'blacklist_expires') return expiryWords(user[name])
  if (typeof value === 'boolean') return value ? text.users.yes : text.users.no
  return value === null || value === '' ? text.users.nothing : String(value)
}

function sentTime(expiry: Expiry): number {
  const isPast = expiry.kind === 'at' ? new Date(expiry.date).getTime() : Number.NaN
  return timeOf(expiry) ?? isPast
}

function limitOf(typed: string): number {
  return typed.trim() === '' ? NO_LIMIT : Number(typed)
}

function isLimit(typed: string): boolean {
  return typed.trim() === '' || (/^\s*\d+\s*$/.test(typed) && Number(typed) <= MOST)
}
