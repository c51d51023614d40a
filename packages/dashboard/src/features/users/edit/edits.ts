/** A user as a form has them, and what of it is sent. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { type FeatureRow, faultsOfFeatures, ownFeaturesIn, rowsOf } from '../../../lib/features.ts'
import { text } from '../../../messages/text.ts'
import { ownFeatureTexts } from '../../../queries/plans.ts'
import { expiryWords, type User } from '../user.ts'
import { type Expiry, expiryOf, timeOf } from './expiry.ts'
import { faultsOfLabels, metadataIn, metadataText, tagsIn } from './labels.ts'
import { type ClockDraft, clockDraftOf, clockFault, clockIn, clockShown } from './own-clock.ts'

type Body = NonNullable<V1UsersEditData['body']>
export const MEMBERS = [
  'note',
  'private_note',
  'chat_id',
  'plan_id',
  'key_expires',
  'clock',
  'starts_at',
  'own_features',
  'max_instances',
  'max_executions',
  'max_devices',
  'match',
  'use_fingerprint',
  'tags',
  'issued_to',
  'issued_by',
  'metadata',
  'blacklist_reason',
  'blacklist_expires',
] as const satisfies (keyof User)[]
export type Member = (typeof MEMBERS)[number]

export type Draft = {
  note: string
  private_note: string
  chat_id: string
  plan_id: string
  key_expires: Expiry
  clock: ClockDraft
  starts_at: Expiry
  own_features: FeatureRow[]
  max_instances: string
  max_executions: string
  max_devices: string
  match: NonNullable<User['match']> | 'plan'
  use_fingerprint: boolean
  tags: string
  issued_to: string
  issued_by: string
  metadata: string
  blacklist_reason: string
  blacklist_expires: Expiry
}

/** How the service is told that a limit is taken away. */
const NO_LIMIT = -1
const MOST = 2_147_483_647

export function draftOf(user: User): Draft {
  return {
    note: user.note ?? '',
    private_note: user.private_note ?? '',
    chat_id: user.chat_id ?? '',
    plan_id: user.plan_id ?? '',
    key_expires: expiryOf(user.key_expires),
    clock: clockDraftOf(user),
    starts_at: expiryOf(user.starts_at),
    own_features: rowsOf(user.own_features),
    max_instances: user.max_instances === null ? '' : String(user.max_instances),
    max_executions: user.max_executions === null ? '' : String(user.max_executions),
    max_devices: user.max_devices === null ? '' : String(user.max_devices),
    match: user.match ?? 'plan',
    use_fingerprint: user.use_fingerprint,
    tags: user.tags.join(', '),
    issued_to: user.issued_to ?? '',
    issued_by: user.issued_by ?? '',
    metadata: metadataText(user.metadata),
    blacklist_reason: user.blacklist_reason ?? '',
    blacklist_expires: expiryOf(user.blacklist_expires),
  }
}

/** The members that differ from the user; empty when there are none. */
export function bodyOf(draft: Draft, user: User): Body {
  const before = draftOf(user)
  const now = {
    note: draft.note.trim(),
    private_note: draft.private_note.trim(),
    chat_id: draft.chat_id.trim(),
    plan_id: draft.plan_id,
    key_expires: sentTime(draft.key_expires),
    clock: clockIn(draft.clock),
    starts_at: sentTime(draft.starts_at),
    own_features: ownFeaturesIn(draft.own_features),
    max_instances: limitOf(draft.max_instances),
    max_executions: limitOf(draft.max_executions),
    max_devices: limitOf(draft.max_devices),
    match: draft.match,
    use_fingerprint: draft.use_fingerprint,
    tags: tagsIn(draft.tags),
    issued_to: draft.issued_to.trim(),
    issued_by: draft.issued_by.trim(),
    metadata: metadataIn(draft.metadata) ?? {},
    blacklist_reason: draft.blacklist_reason.trim(),
    blacklist_expires: sentTime(draft.blacklist_expires),
  } satisfies Record<Member, unknown>
  const changed = MEMBERS.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name === 'own_features' ? 'features' : name, now[name]]))
}

/** What is wrong with the members that would be sent. A key may be given a time that is over. */
export function wrongIn(draft: Draft, body: Body): Readonly<Record<string, string | undefined>> {
  const t = text.users
  const limit = (name: 'max_instances' | 'max_executions') =>
    body[name] !== undefined && !isLimit(draft[name]) ? t.noLimit : undefined
  const found = {
    key_expires: body.key_expires !== undefined && Number.isNaN(body.key_expires) ? t.noTime : undefined,
    clock: clockFault(body),
    starts_at: body.starts_at !== undefined && Number.isNaN(body.starts_at) ? t.noTime : undefined,
    ...(body.features === undefined ? {} : faultsOfFeatures(draft.own_features)),
    max_instances: limit('max_instances'),
    max_executions: limit('max_executions'),
    max_devices:
      body.max_devices !== undefined && !isDevices(draft.max_devices) ? text.devices.maxWrong : undefined,
    ...faultsOfLabels(draft, body),
    blacklist_expires:
      body.blacklist_expires !== undefined && timeOf(draft.blacklist_expires) === undefined
        ? t.noTime
        : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined))
}

export function isSame(one: User, other: User, name: Member): boolean {
  const of = (user: User) => JSON.stringify(name === 'clock' ? clockDraftOf(user) : user[name])
  return of(one) === of(other)
}

/** What a member is now, in words. */
export function shownIn(user: User, name: Member): string {
  if (name === 'plan_id') return user.plan ?? text.plans.noPlan
  if (name === 'clock') return clockShown(user)
  if (name === 'starts_at') return user.starts_at === null ? text.users.fromNow : expiryWords(user.starts_at)
  if (name === 'own_features') return ownFeatureTexts(user.own_features).join(', ') || text.users.nothing
  if (name === 'tags') return user.tags.join(', ') || text.users.nothing
  if (name === 'metadata') return metadataText(user.metadata) || text.users.nothing
  const value = user[name]
  if (name === 'key_expires' || name === 'blacklist_expires') return expiryWords(user[name])
  if (name === 'match') return user.match === null ? text.devices.ruleOfPlan : text.devices.rules[user.match]
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

const MAX_DEVICES = 20

function isDevices(typed: string): boolean {
  return typed.trim() === '' || (/^\s*[1-9]\d?\s*$/.test(typed) && Number(typed) <= MAX_DEVICES)
}
