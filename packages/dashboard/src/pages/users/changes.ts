/** What can be done with chosen users: whom it changes, what it calls, and how it is taken back where that is exact. */
import {
  v1UsersBlacklist,
  v1UsersEdit,
  v1UsersRemove,
  v1UsersReset,
  v1UsersUnblacklist,
  v1UsersUnlock,
} from '@scriptward/sdk'
import type { Calling } from '../../api.ts'
import { text } from '../../text/text.ts'
import { type Expiry, later, lengthOf, NEVER, timeOf, type Unit } from './expiry.ts'
import { expiryWords, type User } from './user.ts'

export type ChangeId = 'blacklist' | 'unblacklist' | 'extend' | 'reset' | 'unlock' | 'remove'

export type Options = {
  readonly reason: string
  readonly end: Expiry
  readonly length: { readonly amount: string; readonly unit: Unit }
  readonly isForced: boolean
}
export const OPTIONS: Options = {
  reason: '',
  end: NEVER,
  length: { amount: '30', unit: 'days' },
  isForced: false,
}

type Change = {
  /** Why a user stays as they are; undefined for those whom it changes. */
  readonly skips: (user: User) => string | undefined
  readonly isReady: (options: Options) => boolean
  readonly apply: (call: Calling, user: User, options: Options) => Promise<unknown>
  /** What one user will have, when that differs from user to user. */
  readonly preview?: (user: User, options: Options) => string
  /** Takes it back from the user as they were before. */
  readonly undo?: (call: Calling, before: User) => Promise<unknown>
  readonly isRemoval?: boolean
}

const t = text.users
const pathOf = ({ key }: User) => ({ user_key: key })
const always = () => true

export const CHANGES: Readonly<Record<ChangeId, Change>> = {
  blacklist: {
    skips: ({ blacklisted }) => (blacklisted ? t.skips.blacklisted : undefined),
    isReady: ({ end }) => timeOf(end) !== undefined,
    apply: (call, user, { reason, end }) =>
      v1UsersBlacklist({ ...call, path: pathOf(user), body: { expires: timeOf(end) ?? 0, reason } }),
    undo: (call, user) => v1UsersUnblacklist({ ...call, path: pathOf(user) }),
  },
  unblacklist: {
    skips: ({ blacklisted }) => (blacklisted ? undefined : t.skips.notBlacklisted),
    isReady: always,
    apply: (call, user) => v1UsersUnblacklist({ ...call, path: pathOf(user) }),
  },
  extend: {
    skips: ({ key_expires }) => (key_expires === null ? t.skips.neverExpires : undefined),
    isReady: ({ length }) => lengthOf(length) !== undefined,
    apply: (call, user, { length }) =>
      v1UsersEdit({ ...call, path: pathOf(user), body: { key_expires: extended(user, length) } }),
    preview: (user, { length }) =>
      t.fromTo(expiryWords(user.key_expires), expiryWords(extended(user, length))),
    undo: (call, user) =>
      v1UsersEdit({ ...call, path: pathOf(user), body: { key_expires: user.key_expires } }),
  },
  reset: {
    skips: ({ fingerprint_assigned }) => (fingerprint_assigned ? undefined : t.skips.unbound),
    isReady: always,
    apply: (call, user, { isForced }) =>
      v1UsersReset({ ...call, path: pathOf(user), body: { force: isForced } }),
  },
  unlock: {
    skips: ({ status }) => (status === 'locked' ? undefined : t.skips.notLocked),
    isReady: always,
    apply: (call, user) => v1UsersUnlock({ ...call, path: pathOf(user) }),
  },
  remove: {
    skips: () => undefined,
    isReady: always,
    apply: (call, user) => v1UsersRemove({ ...call, path: pathOf(user) }),
    isRemoval: true,
  },
}

/** Users grouped by why they stay as they are; those whom it changes first. */
export function sortUsers(users: readonly User[], { skips }: Change) {
  const touched: User[] = []
  const skipped = new Map<string, number>()
  for (const user of users) {
    const why = skips(user)
    if (why === undefined) touched.push(user)
    else skipped.set(why, (skipped.get(why) ?? 0) + 1)
  }
  return { touched, skipped: [...skipped] }
}

function extended({ key_expires }: User, length: Options['length']): number {
  return later(key_expires ?? Date.now(), lengthOf(length) ?? 0)
}
