/** Describes keys in answers. */
import type { UserStatus } from '@scriptward/client/user-statuses'
import { keptTime } from '../customer-page/self-service.ts'
import { type UserWithStatus, withStatus } from '../keys/attach-status.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import type { Answer, Asked } from './command.ts'
import { durationText } from './durations.ts'
import { code, person, say, type Text, time, value } from './text.ts'

type Fields = NonNullable<Answer['fields']>

/** `kept` is the remaining time of a paused or unused key, in milliseconds. */
export function expiryText({
  key_expires,
  kept,
}: {
  readonly key_expires: number | null
  readonly kept: number | null
}): Text {
  if (kept !== null) return say`${value(`${durationText(kept)} left once it runs`)}`
  return key_expires === null ? say`Never` : say`${time(key_expires)}`
}

export const STATUSES: Readonly<Record<UserStatus, string>> = {
  active: 'Active',
  issued: 'Handed out',
  unused: 'Unused',
  not_started: 'Not started',
  quota_spent: 'Quota used up',
  grace: 'Expired (in grace period)',
  paused: 'Paused',
  locked: 'Locked to another network',
  expired: 'Expired',
  blacklisted: 'Blocked',
}

export function statusText({ user, state, ban }: UserWithStatus): Text {
  const status = ban ? 'blacklisted' : state.status
  const reason = status === 'blacklisted' ? (ban ?? { reason: user.blacklist_reason }).reason : null
  return reason ? say`${STATUSES[status]}: ${value(reason)}` : say`${STATUSES[status]}`
}

export const maskedText = ({ key }: Pick<UserRow, 'key'>): Text => say`${code(maskKey(key))}`

export function personText({ chat_id }: Pick<UserRow, 'chat_id'>): Text {
  return chat_id === null ? say`Not linked` : say`${person(chat_id)}`
}

/** A key's status, plan and expiry date, for staff. Empty if the user no longer exists. */
export async function describeKey({ deps }: Asked, subject: UserSubject): Promise<Fields> {
  const found = await withStatus(deps, subject)
  return found === undefined ? [] : keyFields(found)
}

export function keyFields(found: UserWithStatus): Fields {
  return [
    { name: 'Status', text: statusText(found) },
    { name: 'Plan', text: planText(found) },
    { name: 'Expires', text: endText(found) },
  ]
}

export const planText = ({ plan }: UserWithStatus): Text => say`${value(plan?.name ?? 'None')}`

export function endText({ user, plan }: UserWithStatus): Text {
  return expiryText({ key_expires: user.key_expires, kept: keptTime(user, plan) })
}
