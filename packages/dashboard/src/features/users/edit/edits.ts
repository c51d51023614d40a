/** Defines how each editable field of a user is read, sent, validated and displayed. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { countIn, countText, isCount } from '../../../lib/counts.ts'
import { type FeatureRow, ownFeaturesIn, rowsOf, validateFeatures } from '../../../lib/features.ts'
import { ownFeatureTexts } from '../../../lib/plan-texts.ts'
import { text } from '../../../messages/text.ts'
import { expiryWords, type User } from '../user.ts'
import { durationBody, durationError, durationOf, durationShown } from './duration.ts'
import { type Expiry, expiryOf, timeOf } from './expiry.ts'
import { issuerError, metadataError, metadataIn, metadataText, tagsError, tagsIn } from './labels.ts'

type Body = NonNullable<V1UsersEditData['body']>
type Row<Typed> = {
  read(user: User): Typed
  /** Converts the input to the value to send. */
  write(typed: Typed): unknown
  check?(typed: Typed): string | undefined
  /** Formats the saved value. */
  show(user: User): string
}
type TextMember =
  | ('note' | 'private_note' | 'chat_id' | 'plan_id')
  | ('issued_to' | 'issued_by' | 'blacklist_reason')
type LimitMember = 'max_instances' | 'max_executions' | 'max_devices'
type TimeMember = 'starts_at' | 'blacklist_expires'
type Rule = NonNullable<User['match']> | 'plan'

const MAX_LIMIT = 2_147_483_647
const MAX_DEVICES = 20
/** Value that removes the limit. */
const NO_LIMIT = -1

const ROWS = {
  note: textRow('note'),
  private_note: textRow('private_note'),
  chat_id: textRow('chat_id'),
  plan_id: { ...textRow('plan_id'), show: ({ plan }: User) => plan ?? text.plans.noPlan },
  duration: { read: durationOf, write: durationBody, check: durationError, show: durationShown },
  starts_at: {
    ...timeRow('starts_at'),
    show: ({ starts_at }: User) => (starts_at === null ? text.users.fromNow : expiryWords(starts_at)),
  },
  own_features: {
    read: ({ own_features }: User): FeatureRow[] => rowsOf(own_features),
    write: ownFeaturesIn,
    show: ({ own_features }: User) => orNothing(ownFeatureTexts(own_features).join(', ')),
  },
  max_instances: limitRow('max_instances', 0, MAX_LIMIT, text.users.noLimit),
  max_executions: limitRow('max_executions', 0, MAX_LIMIT, text.users.noLimit),
  max_devices: limitRow('max_devices', 1, MAX_DEVICES, text.devices.maxWrong),
  match: {
    read: ({ match }: User): Rule => match ?? 'plan',
    write: (rule: Rule) => rule,
    show: ({ match }: User) => (match === null ? text.devices.ruleOfPlan : text.devices.rules[match]),
  },
  use_fingerprint: {
    read: ({ use_fingerprint }: User): boolean => use_fingerprint,
    write: (isBound: boolean) => isBound,
    show: ({ use_fingerprint }: User) => (use_fingerprint ? text.users.yes : text.users.no),
  },
  tags: {
    read: ({ tags }: User) => tags.join(', '),
    write: tagsIn,
    check: tagsError,
    show: ({ tags }: User) => orNothing(tags.join(', ')),
  },
  issued_to: { ...textRow('issued_to'), check: issuerError },
  issued_by: { ...textRow('issued_by'), check: issuerError },
  metadata: {
    read: ({ metadata }: User) => metadataText(metadata),
    write: (typed: string) => metadataIn(typed) ?? {},
    check: metadataError,
    show: ({ metadata }: User) => orNothing(metadataText(metadata)),
  },
  blacklist_reason: textRow('blacklist_reason'),
  blacklist_expires: {
    ...timeRow('blacklist_expires'),
    check: (typed: Expiry) => (timeOf(typed) === undefined ? text.users.noTime : undefined),
  },
} as const satisfies Partial<Record<keyof User | 'duration', Row<unknown>>>

export type Member = keyof typeof ROWS
export type Draft = { [Name in Member]: ReturnType<(typeof ROWS)[Name]['read']> }
export const MEMBERS = Object.keys(ROWS) as Member[]
const rowOf = (name: Member): Row<unknown> => ROWS[name]

function textRow(name: TextMember): Row<string> {
  return {
    read: (user) => user[name] ?? '',
    write: (typed) => typed.trim(),
    show: (user) => orNothing(user[name]),
  }
}

function limitRow(name: LimitMember, min: number, max: number, error: string): Row<string> {
  return {
    read: (user) => countText(user[name]),
    write: (typed) => countIn(typed) ?? NO_LIMIT,
    check: (typed) => (isCount(typed, min, max) ? undefined : error),
    show: (user) => orNothing(countText(user[name])),
  }
}

/** Times in the past are allowed. They are sent as typed. */
function timeRow(name: TimeMember): Row<Expiry> {
  return {
    read: (user) => expiryOf(user[name]),
    write: sentTime,
    check: (typed) => (Number.isNaN(sentTime(typed)) ? text.users.noTime : undefined),
    show: (user) => expiryWords(user[name]),
  }
}

export function draftOf(user: User): Draft {
  return Object.fromEntries(MEMBERS.map((name) => [name, ROWS[name].read(user)])) as Draft
}

/** Returns the fields whose values differ from the user's; empty if there are none. */
export function bodyOf(draft: Draft, user: User): Body {
  const changed = changedIn(draft, user)
  const sentAs = (name: Member) => (name === 'own_features' ? 'features' : name)
  const alone = changed.filter((name) => name !== 'duration')
  return {
    ...Object.fromEntries(alone.map((name) => [sentAs(name), rowOf(name).write(draft[name])])),
    ...(changed.includes('duration') && durationBody(draft.duration)),
  }
}

/** Validates only the fields that would be sent. */
export function validate(draft: Draft, user: User): Readonly<Record<string, string | undefined>> {
  const changed = changedIn(draft, user)
  return {
    ...Object.fromEntries(changed.map((name) => [name, rowOf(name).check?.(draft[name])])),
    ...(changed.includes('own_features') && validateFeatures(draft.own_features)),
  }
}

export function changedIn(draft: Draft, user: User): Member[] {
  const before = draftOf(user)
  return MEMBERS.filter((name) => !isSame(draft, before, name))
}

export function isSame(one: Draft, other: Draft, name: Member): boolean {
  return JSON.stringify(one[name]) === JSON.stringify(other[name])
}

/** Formats the current value of a field. */
export function formatMember(user: User, name: Member): string {
  return ROWS[name].show(user)
}

function orNothing(words: string | null): string {
  return words || text.users.nothing
}

function sentTime(expiry: Expiry): number {
  const isPast = expiry.kind === 'at' ? new Date(expiry.date).getTime() : Number.NaN
  return timeOf(expiry) ?? isPast
}
