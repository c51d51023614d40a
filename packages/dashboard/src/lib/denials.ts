/** Denial reasons, with their titles, their severity, and links to fixes. */
import type { UNSENT_DENIALS } from '@scriptward/client/messages'
import type { V1ProjectDenialsFilterResponses } from '@scriptward/sdk'
import type { Bar } from '../components/chart/bars.tsx'
import { text } from '../messages/text.ts'
import { addressOf } from './address.ts'

export type Denial = V1ProjectDenialsFilterResponses[200]['denials'][number]
/** The denial reasons that this version of the server can send. */
export type Reason = Exclude<Denial['reason'], (typeof UNSENT_DENIALS)[number]>
type Place = 'user' | 'script' | 'settings' | 'plan'

/**
 * `place` is the page, besides the user's page, where the cause can be fixed. `color` is the severity for
 * authors.
 */
const REASONS: Readonly<
  Record<Reason, { readonly place?: Place; readonly color: NonNullable<Bar['color']> }>
> = {
  rate_limited: { color: 'soft' },
  outdated_loader: { place: 'script', color: 'warn' },
  bad_request: { place: 'script', color: 'soft' },
  script_not_found: { color: 'soft' },
  script_disabled: { place: 'script', color: 'warn' },
  service_unavailable: { place: 'plan', color: 'bad' },
  invalid_key: { color: 'soft' },
  key_expired: { place: 'user', color: 'warn' },
  blacklisted: { place: 'user', color: 'bad' },
  fingerprint_mismatch: { place: 'user', color: 'warn' },
  fingerprint_missing: { place: 'user', color: 'warn' },
  fingerprint_ambiguous: { place: 'user', color: 'warn' },
  max_executions: { place: 'user', color: 'warn' },
  max_instances: { place: 'user', color: 'warn' },
  sessions_required: { place: 'script', color: 'warn' },
  chat_required: { place: 'settings', color: 'warn' },
  join_required: { place: 'settings', color: 'warn' },
  key_paused: { place: 'user', color: 'soft' },
  executor_not_allowed: { place: 'script', color: 'warn' },
  not_in_plan: { place: 'user', color: 'warn' },
  quota_spent: { place: 'user', color: 'soft' },
  key_not_started: { place: 'user', color: 'soft' },
  network_locked: { place: 'user', color: 'warn' },
}
export const REASON_NAMES = Object.keys(REASONS) as readonly Reason[]

export function isReason(name: string | undefined): name is Reason {
  return name !== undefined && Object.hasOwn(REASONS, name)
}

/** Builds a list key from a denial's fields, because denials have no ID. */
export function keyOfDenial({ user_key, reason, script_id, client, first_at, last_at }: Denial): string {
  return [user_key, reason, script_id, ...Object.values(client), first_at, last_at].join(' ')
}

/** Reasons that are unknown to this version, such as those of a newer server, are shown by name. */
export function titleOf(reason: string): string {
  return reasonText(reason).title
}

export function reasonText(reason: string): {
  readonly title: string
  readonly happened: string
  readonly todo: string
} {
  return isReason(reason) ? text.denials.reasons[reason] : { title: reason, happened: '', todo: '' }
}

export function colorOf(reason: string): NonNullable<Bar['color']> {
  return isReason(reason) ? REASONS[reason].color : 'soft'
}

export type Remedy = { readonly title: string; readonly href: string }

/** Returns links to possible fixes, best match first. */
export function remediesOf(
  projectId: string,
  denial: Pick<Denial, 'user_key' | 'script_id' | 'reason'>,
): Remedy[] {
  const t = text.denials
  const { user_key: key, script_id: script, reason } = denial
  const user = key === null ? [] : [{ title: t.openUser, href: addressOf.user(projectId, key) }]
  const places: Readonly<Record<Place, Remedy[]>> = {
    user,
    script: [{ title: t.openScript, href: addressOf.script(projectId, script) }],
    settings: [{ title: t.openSettings, href: addressOf.project(projectId, 'settings') }],
    plan: [{ title: t.openPlan, href: addressOf.tier }],
  }
  const place = isReason(reason) ? REASONS[reason].place : undefined
  if (place === undefined || place === 'user') return user
  return [...places[place], ...user]
}
