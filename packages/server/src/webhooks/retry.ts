/**
 * When a message is tried again and when an address is left alone, as a table and pure functions over numbers. Nothing
 * here knows a clock: times are given.
 */

export type Format = 'generic' | 'chat'
/** What one attempt came to; `retryAfterMs` is what the receiver asked for. */
export type Attempted =
  | { readonly status: number; readonly retryAfterMs?: number | undefined }
  | { readonly error: string }

export type Verdict =
  /** Done, and the address works. */
  | { readonly is: 'delivered' }
  /** Try this message again after so long; no attempt remains when `failed`. */
  | { readonly is: 'retry'; readonly waitMs: number; readonly holdMs: number; readonly isCounted: boolean }
  | { readonly is: 'failed' }
  /** The receiver says that it is gone for good. */
  | { readonly is: 'gone' }

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Waits before the second attempt, the third, and so on; the first is made at once. */
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
/** Older messages are of no use in a chat. */
export const CHAT_AGE_MS = 15 * MINUTE_MS
/** So long without success, and with so many failures in a row, pauses an address. */
export const PAUSE_AFTER_MS = 5 * DAY_MS
const PAUSE_AFTER_FAILURES = 10
/** A paused address is tried once in this time. */
export const PAUSE_MS = DAY_MS
const MOST_RETRY_AFTER_MS = HOUR_MS
const JITTER = 0.2
const FIRST_HOLD_MS = 5 * SECOND_MS
const LONGEST_HOLD_MS = 5 * MINUTE_MS

/** `attempts` counts this one; `chance` is a number from 0 to 1. */
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

/**
 * How long an address that failed so often in a row is left alone, whatever waits for it: a receiver that hangs then
 * holds a place for a small part of the time only.
 */
export function holdMs(failures: number, chance: number): number {
  const wait = FIRST_HOLD_MS * 2 ** Math.min(failures - 1, 10)
  return jittered(Math.min(wait, LONGEST_HOLD_MS), chance)
}

export function isPauseDue(failingSince: number, failures: number, now: number): boolean {
  return failures >= PAUSE_AFTER_FAILURES && now - failingSince >= PAUSE_AFTER_MS
}

/** `Retry-After` in seconds or as a date, or the `retry_after` of the chat platform, in seconds. */
export function readRetryAfter(header: string | undefined, text: string, now: number): number | undefined {
  const inBody = /"retry_after"\s*:\s*(\d{1,7}(?:\.\d{1,6})?)/.exec(text)?.[1]
  const seconds = inBody ?? (/^\d{1,9}(\.\d{1,6})?$/.test(header ?? '') ? header : undefined)
  if (seconds !== undefined) return Number(seconds) * SECOND_MS
  const date = Date.parse(header ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The chat platform answers 401 and 404 for an address that was deleted there. */
function isGone(format: Format, status: number): boolean {
  return format === 'chat' ? status === 404 || status === 401 : status === 410
}

/** The chat platform limits everybody, so its 429 is no failed attempt; elsewhere it is one. */
function askedToWait(
  format: Format,
  retryAfterMs: number | undefined,
  { attempts, chance }: { attempts: number; chance: number },
): Verdict {
  const planned = WAITS_MS[format][Math.min(attempts - 1, WAITS_MS[format].length - 1)] ?? 0
  const waitMs = Math.min(retryAfterMs ?? jittered(planned, chance), MOST_RETRY_AFTER_MS)
  const isCounted = format === 'generic'
  if (isCounted && attempts > WAITS_MS.generic.length) return { is: 'failed' }
  return { is: 'retry', waitMs, holdMs: waitMs, isCounted }
}

function jittered(waitMs: number, chance: number): number {
  return Math.round(waitMs * (1 - JITTER + 2 * JITTER * chance))
}
