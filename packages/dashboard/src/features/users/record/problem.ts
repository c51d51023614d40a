/**
 * Finds the most important problem that keeps a user from running scripts, with its likely cause and its fix.
 */
import type { V1UserDenialsListResponse } from '@scriptward/sdk'
import { addressOf, withQuery } from '../../../lib/address.ts'
import { aboutText, durationText } from '../../../lib/durations.ts'
import { number } from '../../../lib/format.ts'
import { when } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import type { Plan } from '../../../queries/plans.ts'
import type { ChangeId } from '../changes/changes.ts'
import type { Device, User } from '../user.ts'

export type Denial = V1UserDenialsListResponse['denials'][number]

export type Fix =
  | { readonly kind: 'change'; readonly change: ChangeId; readonly label: string; readonly duration?: number }
  | { readonly kind: 'start'; readonly label: string }
  | { readonly kind: 'unban'; readonly label: string }
  | { readonly kind: 'edit'; readonly label: string }
  | { readonly kind: 'link'; readonly label: string; readonly href: string }
export type See =
  | { readonly kind: 'denials' | 'sessions'; readonly label: string }
  | { readonly kind: 'link'; readonly label: string; readonly href: string }
export type Problem = {
  readonly tone: 'warn' | 'bad'
  readonly title: string
  readonly why?: string | undefined
  readonly fix?: Fix | undefined
  readonly see?: See | undefined
}

/** The user's last run, if it crashed, with its error group. */
type Crash = {
  readonly at: number
  readonly script_id: string
  readonly version: number
  readonly error?: { readonly id: string; readonly message: string; readonly customers: number } | undefined
}

export type Known = {
  readonly user: User
  readonly denials: readonly Denial[]
  readonly devices: readonly Device[]
  readonly crash?: Crash | undefined
  /** The user's plan, if it is known. */
  readonly plan?: Pick<Plan, 'max_executions'> | undefined
  readonly now: number
}

const DAY_MS = 86_400_000
const EXTENSION_MS = 30 * DAY_MS
const SOME_DEVICES = 2
/** Reasons that the user object confirms or refutes. A denial whose reason no longer applies is resolved. */
const SHOWN_BY_USER: readonly string[] = [
  ...['blacklisted', 'key_paused', 'key_expired', 'key_not_started'],
  ...['network_locked', 'quota_spent', 'max_executions'],
]
const t = recordText.problem
const denialsLink: See = { kind: 'denials', label: t.viewDenials }

/** Returns the most important problem; undefined if nothing needs attention. */
export function problemOf(known: Known): Problem | undefined {
  return (
    blockOf(known) ?? stateOf(known) ?? spentOf(known) ?? denialOf(known) ?? crashOf(known) ?? sharedOf(known)
  )
}

function blockOf({ user }: Known): Problem | undefined {
  if (user.blacklisted) {
    const why = whyBlocked(user.blacklist_reason, user.blacklist_expires)
    return { tone: 'bad', title: t.keyBlocked, why, fix: changing('unblacklist', t.unblock) }
  }
  if (user.ban === null) return undefined
  const { id, kind, value, reason, expires } = user.ban
  const href = addressOf.project(user.project_id, 'bans', { ban: id })
  return {
    tone: 'bad',
    title: t.banned[kind](value),
    why: whyBlocked(reason, expires),
    fix: { kind: 'unban', label: t.unban[kind] },
    see: { kind: 'link', label: t.viewBlock, href },
  }
}

function whyBlocked(reason: string | null, expires: number | null): string {
  const end = expires === null ? t.forever : t.until(when(expires))
  return `${reason === null ? t.noReason : t.reason(reason)} ${end}`
}

function stateOf({ user, denials, now }: Known): Problem | undefined {
  const { status, key_expires, paused, starts_at } = user
  if (paused !== null) {
    const why = paused.left === null ? t.pausedWhy : t.pausedLeft(aboutText(paused.left))
    return { tone: 'warn', title: t.paused(when(paused.since, now)), why, fix: changing('resume', t.resume) }
  }
  if ((status === 'expired' || status === 'grace') && key_expires !== null)
    return expiryOf(user, key_expires, denials, now)
  if (status === 'locked')
    return { tone: 'warn', title: t.locked, why: t.lockedWhy, fix: changing('unlock', t.unlock) }
  if (status === 'not_started' && starts_at !== null && starts_at > now)
    return {
      tone: 'warn',
      title: t.notStarted(when(starts_at, now)),
      why: t.notStartedWhy,
      fix: { kind: 'start', label: t.startNow },
    }
  return undefined
}

function expiryOf(user: User, end: number, denials: readonly Denial[], now: number): Problem {
  const tried = countOf(denials.filter(({ reason, last_at }) => reason === 'key_expired' && last_at >= end))
  const duration = user.clock?.duration ?? EXTENSION_MS
  const fix: Fix = { ...changing('extend', t.extend(durationText(duration))), duration }
  const ago = when(end, now)
  if (user.status === 'grace') return { tone: 'warn', title: t.grace(ago), why: t.graceWhy, fix }
  if (tried === 0) return { tone: 'warn', title: t.expired(ago), why: t.expiredWhy, fix }
  return { tone: 'warn', title: t.expiredTried(ago, tried), why: t.expiredWhy, fix, see: denialsLink }
}

function spentOf({ user, plan, now }: Known): Problem | undefined {
  const { status, quota, executions, project_id } = user
  if (status === 'quota_spent' && quota !== null)
    return {
      tone: 'warn',
      title: t.quotaSpent(text.plans.quotaOf[quota.period](quota.count)),
      why: t.quotaWhy(when(quota.resets_at, now)),
      fix: { kind: 'link', label: t.openPlans, href: addressOf.project(project_id, 'plans') },
    }
  const max_executions = user.max_executions ?? plan?.max_executions ?? null
  if (max_executions === null || executions < max_executions) return undefined
  const fix = { kind: 'edit', label: t.edit } as const
  return { tone: 'warn', title: t.runsSpent(number(max_executions)), why: t.runsSpentWhy, fix }
}

/** Denials before the last run or the last reset count as resolved. */
function denialOf({ user, denials, devices, now }: Known): Problem | undefined {
  const solved = Math.max(now - DAY_MS, user.last_used_at ?? 0, user.last_reset)
  const recent = denials.filter(({ reason, last_at }) => last_at > solved && !SHOWN_BY_USER.includes(reason))
  const [latest] = [...recent].sort((one, other) => other.last_at - one.last_at)
  if (latest === undefined) return undefined
  const same = recent.filter(({ reason }) => reason === latest.reason)
  const isToday = same.every(({ first_at }) => first_at >= new Date(now).setHours(0, 0, 0, 0))
  const words = isToday ? t.deniedToday : t.deniedLately
  const title = words(countOf(same), recordText.reasons[latest.reason] ?? latest.reason)
  return { tone: 'warn', title, see: denialsLink, ...remedyOf(user, latest, devices) }
}

function remedyOf(user: User, denial: Denial, devices: readonly Device[]): Partial<Problem> {
  const { reason, script_id, client } = denial
  const script = addressOf.script(user.project_id, script_id)
  const todo = text.denials.reasons[reason as keyof typeof text.denials.reasons]?.todo
  const link = (label: string, href: string) => ({ why: todo, fix: { kind: 'link', label, href } as const })
  const edit = (label: string) => ({ why: todo, fix: { kind: 'edit', label } as const })
  switch (reason) {
    case 'fingerprint_mismatch':
      return { why: whyOther(user, client.ip, devices), fix: changing('reset', t.resetDevice) }
    case 'fingerprint_missing':
    case 'fingerprint_ambiguous':
      return edit(t.allowDevices)
    case 'max_instances':
      return { ...edit(t.edit), see: { kind: 'sessions', label: t.viewSessions } }
    case 'not_in_plan':
      return edit(t.editPlan)
    case 'chat_required':
      return edit(t.linkDiscord)
    case 'join_required':
      return link(t.openSettings, addressOf.project(user.project_id, 'settings'))
    case 'executor_not_allowed':
    case 'outdated_loader':
    case 'script_disabled':
    case 'sessions_required':
      return link(t.openScript, script)
    default:
      return { why: todo }
  }
}

function whyOther({ refused_devices }: User, ip: string, devices: readonly Device[]): string {
  if (refused_devices > SOME_DEVICES) return t.manyDevices(refused_devices)
  return devices.some((device) => device.ip !== null && device.ip === ip) ? t.sameNetwork : t.otherDevice
}

function crashOf({ user, crash, now }: Known): Problem | undefined {
  if (crash === undefined || crash.at < now - DAY_MS) return undefined
  const { error, script_id, version } = crash
  const others = (error?.customers ?? 1) - 1
  const title = others > 0 ? t.crashedLike(others, version) : t.crashed(when(crash.at, now))
  const script = addressOf.script(user.project_id, script_id)
  const href = withQuery(script, { tab: 'reported', error: error?.id })
  return { tone: 'bad', title, why: error?.message, fix: { kind: 'link', label: t.viewError, href } }
}

function sharedOf({ user: { shared, networks } }: Known): Problem | undefined {
  if (!shared) return undefined
  return { tone: 'warn', title: t.shared(networks), why: t.sharedWhy, fix: changing('blacklist', t.block) }
}

function changing(change: ChangeId, label: string) {
  return { kind: 'change', change, label } as const
}

function countOf(denials: readonly Denial[]): number {
  return denials.reduce((sum, { count }) => sum + count, 0)
}
