/**
 * Actions for selected users. Each defines which users it affects, its API calls, and its undo if that
 * restores the exact state.
 */
import {
  type V1UsersEditData,
  v1ChangesUndo,
  v1ProjectUsersBulk,
  v1UsersBlacklist,
  v1UsersEdit,
  v1UsersExtend,
  v1UsersIssue,
  v1UsersPause,
  v1UsersRemove,
  v1UsersReset,
  v1UsersResume,
  v1UsersUnblacklist,
  v1UsersUnlock,
} from '@scriptward/sdk'
import { aboutText, durationText } from '../../../lib/durations.ts'
import { text } from '../../../messages/text.ts'
import type { Calling } from '../../../queries/api.ts'
import { type Expiry, later, lengthOf, NEVER, timeOf, type Unit } from '../edit/expiry.ts'
import { tagsError, tagsIn } from '../edit/labels.ts'
import { expiryWords, isEnding, type User } from '../user.ts'

export type ChangeId =
  | ('blacklist' | 'unblacklist' | 'extend' | 'issue' | 'pause' | 'resume')
  | ('tag' | 'untag' | 'plan')
  | ('reset' | 'unlock' | 'remove')

export type Options = {
  readonly reason: string
  readonly issuedTo: string
  /** Comma-separated tags. */
  readonly tags: string
  /** Plan ID; empty for no plan. */
  readonly plan: string
  readonly end: Expiry
  readonly length: { readonly amount: string; readonly unit: Unit }
  readonly isForced: boolean
  readonly mayBulk: boolean
}
export const OPTIONS: Options = {
  reason: '',
  issuedTo: '',
  tags: '',
  plan: '',
  end: NEVER,
  length: { amount: '30', unit: 'days' },
  isForced: false,
  mayBulk: false,
}

export type Wrong = Readonly<Partial<Record<'reason' | 'issuedTo' | 'tags' | 'end' | 'length', string>>>

type Change = {
  /** Returns the reason to skip a user, or undefined if the user is to be changed. */
  readonly skips: (user: User) => string | undefined
  /** Returns the errors by option name. */
  readonly validate: (options: Options) => Wrong
  /** Returns the change ID for undo; undefined if the server didn't record the change. */
  readonly apply: (call: Calling, user: User, options: Options) => Promise<string | undefined>
  /**
   * Changes all users that `fits` accepts in one bulk call, which is undone as a whole. All other users are
   * changed one by one.
   */
  readonly together?: {
    readonly fits: (user: User, options: Options) => boolean
    readonly apply: (call: Calling, users: readonly User[], options: Options) => Promise<string | undefined>
  }
  /** Describes the result for one user. Defined only if the result differs between users. */
  readonly preview?: (user: User, options: Options) => string
  /** Whether the change replaces a whole list, so that it needs the user's latest state. */
  readonly isReplacing?: boolean
  /** Restores the previous state of a user. */
  readonly undo?: (call: Calling, before: User, changeId: string | undefined) => Promise<unknown>
  /** Whether the change can be undone for this user. If omitted, the change can always be undone. */
  readonly canUndo?: (user: User, options: Options) => boolean
  readonly isRemoval?: boolean
}

const t = text.users
const pathOf = ({ key }: User) => ({ user_key: key })
const nothing = () => ({})
/** Wraps an API call for which the server records no change. */
const alone = (change: Promise<unknown>) => change.then(() => undefined)
/** Maximum length in characters. */
const MAX_REASON_LENGTH = 255
const MAX_NAME_LENGTH = 255
const MAX_EXTENSION_MS = 3_155_760_000_000

export const CHANGES: Readonly<Record<ChangeId, Change>> = {
  blacklist: {
    skips: ({ blacklisted }) => (blacklisted ? t.skips.blacklisted : undefined),
    validate: ({ reason, end }) => ({
      ...([...reason.trim()].length > MAX_REASON_LENGTH && { reason: text.tooLong(MAX_REASON_LENGTH) }),
      ...(timeOf(end) === undefined && { end: t.noTime }),
    }),
    apply: (call, user, { reason, end }) =>
      alone(
        v1UsersBlacklist({
          ...call,
          path: pathOf(user),
          body: { expires: timeOf(end) ?? 0, reason: reason.trim() },
        }),
      ),
    undo: (call, user) => v1UsersUnblacklist({ ...call, path: pathOf(user) }),
  },
  unblacklist: {
    skips: ({ blacklisted }) => (blacklisted ? undefined : t.skips.notBlacklisted),
    validate: nothing,
    apply: (call, user) => alone(v1UsersUnblacklist({ ...call, path: pathOf(user) })),
  },
  extend: {
    skips: (user) => (isEnding(user) ? undefined : t.skips.neverExpires),
    validate: ({ length }) => (isExtension(lengthOf(length)) ? {} : { length: t.noLength }),
    apply: (call, user, { length }) =>
      alone(v1UsersExtend({ ...call, path: pathOf(user), body: { duration: lengthOf(length) ?? 0 } })),
    preview: (user, { length }) => extension(user, lengthOf(length) ?? 0),
    together: { fits: isRunning, apply: extendTogether },
    undo: async (call, user, changeId) => {
      if (changeId !== undefined) return v1ChangesUndo({ ...call, path: { change_id: changeId } })
      if (user.clock !== null) return undefined
      return v1UsersEdit({ ...call, path: pathOf(user), body: { key_expires: user.key_expires } })
    },
    // Setting the expiry manually would detach the key from its clock.
    canUndo: (user, options) => user.clock === null || isRunning(user, options),
  },
  issue: {
    skips: ({ issued_at, executions, fingerprint_assigned }) => {
      if (issued_at !== null) return text.labels.alreadyIssued
      return executions > 0 || fingerprint_assigned ? text.labels.alreadyUsed : undefined
    },
    validate: ({ issuedTo }) =>
      [...issuedTo.trim()].length > MAX_NAME_LENGTH ? { issuedTo: text.labels.issuedWrong } : {},
    apply: (call, user, { issuedTo }) =>
      alone(
        v1UsersIssue({
          ...call,
          path: pathOf(user),
          body: issuedTo.trim() === '' ? {} : { issued_to: issuedTo.trim() },
        }),
      ),
    undo: (call, { issued_to, issued_by, ...user }) =>
      v1UsersEdit({
        ...call,
        path: { user_key: user.key },
        body: { issued_at: 0, issued_to: issued_to ?? '', issued_by: issued_by ?? '' },
      }),
  },
  pause: {
    skips: ({ paused, status }) => {
      if (paused !== null) return t.skips.paused
      return status === 'expired' ? t.skips.expired : undefined
    },
    validate: nothing,
    apply: (call, user) => alone(v1UsersPause({ ...call, path: pathOf(user) })),
    undo: (call, user) => v1UsersResume({ ...call, path: pathOf(user) }),
  },
  resume: {
    skips: ({ paused }) => (paused === null ? t.skips.notPaused : undefined),
    validate: nothing,
    apply: (call, user) => alone(v1UsersResume({ ...call, path: pathOf(user) })),
    preview: resumption,
    undo: (call, user) => v1UsersPause({ ...call, path: pathOf(user) }),
  },
  tag: {
    skips: () => undefined,
    validate: wrongTags,
    isReplacing: true,
    apply: (call, user, { tags }) => edit(call, user, { tags: [...user.tags, ...tagsIn(tags)] }),
    undo: (call, user) => edit(call, user, { tags: user.tags }),
  },
  untag: {
    skips: () => undefined,
    validate: wrongTags,
    isReplacing: true,
    apply: (call, user, { tags }) => {
      const given = new Set(tagsIn(tags))
      return edit(call, user, { tags: user.tags.filter((tag) => !given.has(tag)) })
    },
    undo: (call, user) => edit(call, user, { tags: user.tags }),
  },
  plan: {
    skips: () => undefined,
    validate: nothing,
    apply: (call, user, { plan }) => edit(call, user, { plan_id: plan }),
  },
  reset: {
    skips: ({ fingerprint_assigned }) => (fingerprint_assigned ? undefined : t.skips.unbound),
    validate: nothing,
    apply: (call, user, { isForced }) =>
      alone(v1UsersReset({ ...call, path: pathOf(user), body: { force: isForced } })),
  },
  unlock: {
    skips: ({ status }) => (status === 'locked' ? undefined : t.skips.notLocked),
    validate: nothing,
    apply: (call, user) => alone(v1UsersUnlock({ ...call, path: pathOf(user) })),
  },
  remove: {
    skips: () => undefined,
    validate: nothing,
    apply: async (call, user) =>
      (await v1UsersRemove({ ...call, path: pathOf(user) })).data.change_id ?? undefined,
    undo: (call, _, changeId) => v1ChangesUndo({ ...call, path: { change_id: changeId ?? '' } }),
    isRemoval: true,
  },
}

function edit(call: Calling, user: User, body: NonNullable<V1UsersEditData['body']>): Promise<undefined> {
  return alone(v1UsersEdit({ ...call, path: pathOf(user), body }))
}

function wrongTags({ tags }: Options): Wrong {
  const error = tagsError(tags)
  return error === undefined ? {} : { tags: error }
}

/** Whether the change can be undone for all of these users. */
export function isUndone(id: ChangeId, users: readonly User[], options: Options): boolean {
  const { undo, canUndo = () => true } = CHANGES[id]
  return undo !== undefined && users.every((user) => canUndo(user, options))
}

/**
 * Whether the time is added to the key's remaining time. Expired keys are extended from the current time
 * instead, which bulk changes do not support.
 */
function isRunning({ key_expires, paused }: User, { mayBulk }: Options): boolean {
  return mayBulk && (key_expires === null || key_expires > (paused?.since ?? Date.now()))
}

async function extendTogether(
  call: Calling,
  users: readonly User[],
  { length }: Options,
): Promise<string | undefined> {
  const [first] = users
  if (first === undefined) return undefined
  const body = {
    action: 'extend' as const,
    keys: users.map(({ key }) => key),
    duration: lengthOf(length) ?? 0,
    // Paused keys have time left even if their expiry is in the past.
    extend_expired: true,
  }
  const path = { project_id: first.project_id }
  return (await v1ProjectUsersBulk({ ...call, path, body })).data.change_id ?? undefined
}

/** Separates the users to change from those to skip, and counts the skipped users by reason. */
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

/** The API limits extensions to a hundred years. */
function isExtension(length: number | undefined): boolean {
  return length !== undefined && length <= MAX_EXTENSION_MS
}

function extension({ key_expires, paused }: User, length: number): string {
  if (key_expires === null) return t.longer(durationText(length))
  if (paused !== null && paused.left !== null)
    return t.fromTo(t.left(aboutText(paused.left)), t.left(aboutText(paused.left + length)))
  return t.fromTo(expiryWords(key_expires), expiryWords(later(key_expires, length)))
}

/** Describes when the key would expire if it were resumed now. */
function resumption({ paused, starts_at }: User): string {
  if (paused === null || paused.left === null) return t.noEnd
  return t.endsThen(expiryWords(Math.max(Date.now(), starts_at ?? 0) + paused.left))
}
