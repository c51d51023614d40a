/**
 * Decides when webhooks are retried: the schedule of attempts, the backoff for failing endpoints, and when an
 * endpoint is paused. All functions are pure, and take the time as an argument.
 */
import { NEVER } from '../../api/limits.ts'

export type Format = 'generic' | 'chat'
/** The outcome of one attempt. `retryAfterMs` is the wait that the receiver requested. */
export type Attempted =
  | { readonly status: number; readonly retryAfterMs?: number | undefined }
  | { readonly error: string }

export type Verdict =
  /** The message was delivered, so the endpoint works. */
  | { readonly is: 'delivered' }
  /** Retry this message after `waitMs`, and send nothing to the endpoint for `holdMs`. */
  | { readonly is: 'retry'; readonly waitMs: number; readonly holdMs: number; readonly isCounted: boolean }
  /** No attempts are left. */
  | { readonly is: 'failed' }
  /** The receiver is permanently gone. Nothing more is sent. */
  | { readonly is: 'gone' }

/** An endpoint's recent successes and failures. */
export type Health = {
  /** Number of consecutive failures. */
  readonly failures: number
  readonly failing_since: number | null
  readonly paused_at: number | null
  readonly pause_reason: 'failing' | 'gone' | null
}
/**
 * Nothing is sent to the endpoint before `backoffUntil`. If `isMore` is true, the next events may follow
 * immediately.
 */
export type AddressState = {
  readonly health: Health
  readonly backoffUntil: number
  readonly isMore: boolean
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Wait times before the second attempt, the third, and so on. The first attempt is immediate. */
export const WAITS_MS: Readonly<Record<Format, readonly number[]>> = {
  generic: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ],
  chat: [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS],
}
/** Older messages are of no use in a Discord channel. */
export const CHAT_AGE_MS = 15 * MINUTE_MS
/** An endpoint is paused after this long without success and this many consecutive failures. */
const PAUSE_AFTER_MS = 5 * DAY_MS
const PAUSE_AFTER_FAILURES = 10
/** Interval at which a paused endpoint is retried. */
const PAUSE_MS = DAY_MS
const MAX_RETRY_AFTER_MS = HOUR_MS
const JITTER = 0.2
const FIRST_BACKOFF_MS = 5 * SECOND_MS
const MAX_BACKOFF_MS = 5 * MINUTE_MS
const HEALTHY: Health = { failures: 0, failing_since: null, paused_at: null, pause_reason: null }

/** `attempts` includes the current attempt. `chance` is a random number from 0 to 1. */
export function judge(
  format: Format,
  attempted: Attempted,
  { attempts, chance }: { attempts: number; chance: number },
): Verdict {
  if ('status' in attempted) {
    if (attempted.status >= 200 && attempted.status < 300) return { is: 'delivered' }
    if (isGone(format, attempted.status)) return { is: 'gone' }
    if (attempted.status === 429) return askedToWait(format, attempted.retryAfterMs, { attempts, chance })
  }
  const waitMs = WAITS_MS[format][attempts - 1]
  if (waitMs === undefined) return { is: 'failed' }
  return { is: 'retry', waitMs: jittered(waitMs, chance), holdMs: 0, isCounted: true }
}

/** Returns the state of an event after an attempt: finished, or due again. */
export function eventAfter(attempts: number, verdict: Verdict, now: number) {
  if (verdict.is === 'retry') {
    const counted = verdict.isCounted ? attempts + 1 : attempts
    return { state: 'pending', attempts: counted, due_at: now + verdict.waitMs } as const
  }
  return {
    state: verdict.is === 'delivered' ? 'delivered' : 'failed',
    attempts: attempts + 1,
    due_at: null,
  } as const
}

type Moment = {
  readonly now: number
  /** A random number from 0 to 1. */
  readonly chance: number
  /** The pause that the receiver requested, which applies in addition to the verdicts' own waits. */
  readonly restMs: number
}

/** Returns the state of an endpoint after a round of attempts. */
export function nextState(health: Health, verdicts: readonly Verdict[], moment: Moment): AddressState {
  const { now, restMs } = moment
  if (verdicts.some(({ is }) => is === 'gone')) {
    return { health: { ...health, paused_at: now, pause_reason: 'gone' }, backoffUntil: NEVER, isMore: false }
  }
  const askedMs = Math.max(restMs, ...verdicts.map((one) => (one.is === 'retry' ? one.holdMs : 0)))
  const isDelivered = verdicts.some(({ is }) => is === 'delivered')
  const isFailing = verdicts.some((one) => one.is === 'failed' || (one.is === 'retry' && one.holdMs === 0))
  if (isFailing && !isDelivered) return failedState(health, askedMs, moment)
  return {
    health: isDelivered ? HEALTHY : health,
    backoffUntil: askedMs > 0 ? now + askedMs : 0,
    isMore: isDelivered && askedMs === 0,
  }
}

/** Backs off for longer after each failure, and for a day once the endpoint has failed for days. */
function failedState(health: Health, askedMs: number, { now, chance }: Moment): AddressState {
  const failures = health.failures + 1
  const failing_since = health.failing_since ?? now
  const isPaused = health.paused_at !== null || isPauseDue(failing_since, failures, now)
  const waitMs = isPaused ? PAUSE_MS : Math.max(askedMs, backoffMs(failures, chance))
  return {
    health: {
      failures,
      failing_since,
      paused_at: isPaused ? (health.paused_at ?? now) : null,
      pause_reason: isPaused ? 'failing' : null,
    },
    backoffUntil: now + waitMs,
    isMore: false,
  }
}

/**
 * Returns how long nothing is sent to an endpoint after this many consecutive failures. This limits the
 * fraction of time during which a hanging receiver occupies a delivery slot.
 */
export function backoffMs(failures: number, chance: number): number {
  const wait = FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10)
  return jittered(Math.min(wait, MAX_BACKOFF_MS), chance)
}

export function isPauseDue(failingSince: number, failures: number, now: number): boolean {
  return failures >= PAUSE_AFTER_FAILURES && now - failingSince >= PAUSE_AFTER_MS
}

/** Reads `Retry-After` in seconds or as a date, or Discord's `retry_after` in seconds. */
export function readRetryAfter(header: string | undefined, text: string, now: number): number | undefined {
  const inBody = /"retry_after"\s*:\s*(\d{1,7}(?:\.\d{1,6})?)/.exec(text)?.[1]
  const seconds = inBody ?? (/^\d{1,9}(\.\d{1,6})?$/.test(header ?? '') ? header : undefined)
  if (seconds !== undefined) return Number(seconds) * SECOND_MS
  const date = Date.parse(header ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * Returns the time until Discord accepts messages again according to its rate limit headers, or 0 if it
 * accepts them now.
 */
export function readRateLimit(headers: Readonly<Record<string, string | string[] | undefined>>): number {
  if (headers['x-ratelimit-remaining'] !== '0') return 0
  const seconds = Number(headers['x-ratelimit-reset-after'])
  return seconds > 0 && seconds <= 3600 ? Math.ceil(seconds * SECOND_MS) : 0
}

/** Discord responds with 401 or 404 if a webhook was deleted. */
function isGone(format: Format, status: number): boolean {
  return format === 'chat' ? status === 404 || status === 401 : status === 410
}

/**
 * Discord rate-limits every sender, so a 429 from Discord doesn't count as a failed attempt. A 429 from any
 * other receiver does.
 */
function askedToWait(
  format: Format,
  retryAfterMs: number | undefined,
  { attempts, chance }: { attempts: number; chance: number },
): Verdict {
  const planned = WAITS_MS[format][Math.min(attempts - 1, WAITS_MS[format].length - 1)] ?? 0
  const waitMs = Math.min(retryAfterMs ?? jittered(planned, chance), MAX_RETRY_AFTER_MS)
  const isCounted = format === 'generic'
  if (isCounted && attempts > WAITS_MS.generic.length) return { is: 'failed' }
  return { is: 'retry', waitMs, holdMs: waitMs, isCounted }
}

function jittered(waitMs: number, chance: number): number {
  return Math.round(waitMs * (1 - JITTER + 2 * JITTER * chance))
}
