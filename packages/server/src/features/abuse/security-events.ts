/**
 * Security events as log records with a fixed `event`, for operators and monitoring tools. `docs/logs.md`
 * explains each one, and a test compares it with this list. No field contains a secret.
 */
import type { Deps } from '../../deps.ts'
import { networkOf, prefixOf } from '../../platform/limits/networks.ts'

type Kind = {
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly members: readonly string[]
}

/**
 * Fields of an event about a change: the account, who made the change, what it affects, and the network it
 * came from.
 */
const CHANGE = ['account', 'actor', 'subject', 'network'] as const

export const securityEvents = {
  signed_in: { level: 'info', message: 'signed in', members: ['person', 'network'] },
  signed_out: { level: 'info', message: 'signed out', members: ['person', 'network'] },
  sign_in_refused: { level: 'warn', message: 'sign-in failed', members: ['person', 'network', 'why'] },
  password_guessed: {
    level: 'warn',
    message: 'many wrong passwords for one user account within a day',
    members: ['person', 'network'],
  },
  second_factor_refused: {
    level: 'warn',
    message: 'two-factor authentication failed',
    members: ['person', 'network', 'why'],
  },
  keys_paused: {
    level: 'warn',
    message: 'too many wrong license keys: network paused',
    members: ['network', 'where', 'ms'],
  },
  limit_reached: {
    level: 'warn',
    message: 'network exceeded a rate limit',
    members: ['network', 'limit'],
  },
  password_changed: { level: 'info', message: 'password changed', members: CHANGE },
  password_reset: { level: 'info', message: 'password reset through a link', members: CHANGE },
  email_changed: { level: 'info', message: 'email address changed', members: CHANGE },
  factor_added: { level: 'info', message: '2FA method added', members: CHANGE },
  factor_removed: { level: 'info', message: '2FA method removed', members: CHANGE },
  recovery_codes_made: { level: 'info', message: 'backup codes regenerated', members: CHANGE },
  sign_ins_ended: { level: 'info', message: 'signed out of all other sessions', members: CHANGE },
  token_made: { level: 'info', message: 'token created', members: CHANGE },
  token_edited: { level: 'info', message: 'token edited', members: CHANGE },
  token_rotated: { level: 'info', message: 'token rotated', members: CHANGE },
  token_revoked: { level: 'info', message: 'token revoked', members: CHANGE },
  key_reset: { level: 'info', message: 'account API key replaced', members: CHANGE },
  member_invited: { level: 'info', message: 'member invited', members: CHANGE },
  member_edited: { level: 'info', message: 'member permissions edited', members: CHANGE },
  member_removed: { level: 'info', message: 'member removed', members: CHANGE },
  owner_restored: { level: 'warn', message: 'removed owner restored', members: CHANGE },
  operator_change: { level: 'info', message: 'change by an operator', members: [...CHANGE, 'action'] },
  webhook_paused: {
    level: 'warn',
    message: 'webhook endpoint paused after failures',
    members: ['project', 'kind', 'why'],
  },
  unknown_proxy: {
    level: 'warn',
    message:
      'X-Forwarded-For ignored because its sender is not in SCRIPTWARD_TRUST_PROXY. If peer is your proxy, add it: otherwise all clients share one IP address, its limits and its pauses',
    members: ['peer'],
  },
} as const satisfies Record<string, Kind>

export type SecurityEvent = keyof typeof securityEvents
/** Events whose fields are exactly `CHANGE`. */
export type ChangeEvent = {
  [E in SecurityEvent]: (typeof securityEvents)[E]['members'] extends typeof CHANGE ? E : never
}[SecurityEvent]
type Member<E extends SecurityEvent> = (typeof securityEvents)[E]['members'][number]
type Members<E extends SecurityEvent> = Readonly<Record<Member<E>, string | number | null>>

export type Reporting = Pick<Deps, 'log' | 'limits' | 'now'>

/**
 * Writes the record, unless its network or project has used up its quota for this minute, so that nobody can
 * flood the log. The next record includes the number of skipped records as `skipped`.
 */
export function report<E extends SecurityEvent>(reporting: Reporting, event: E, members: Members<E>): void {
  write(reporting, event, members, reporting.limits.reports)
}

/** A limit can reject many requests in a row, so each network gets only one record per 15 minutes. */
export function reportLimit(reporting: Reporting, limit: string, address: string): void {
  const members = { network: networkOf(address), limit }
  write(reporting, 'limit_reached', members, reporting.limits.limitReports)
}

function write<E extends SecurityEvent>(
  { log, now }: Reporting,
  event: E,
  members: Members<E>,
  reports: Deps['limits']['reports'],
): void {
  const { level, message } = securityEvents[event]
  const skipped = reports.count(sourceOf(event, members), now())
  if (skipped === undefined) return
  log[level]({ event, ...members, ...(skipped > 0 && { skipped }) }, message)
}

function sourceOf(event: SecurityEvent, members: Readonly<Record<string, unknown>>): string {
  const { network, limit = '', project = '' } = members
  // A single attacker can have thousands of /64 networks, so the quota applies to a wider prefix.
  const source = typeof network === 'string' ? prefixOf(network.replace(/\/\d+$/, '')) : project
  return `${event} ${limit} ${source}`
}
