/**
 * Builds the message for a denied customer: what is wrong, what to do, and how long the denial lasts. It
 * extends the sentence in `DENIALS` with details of the attempt. Pure. The link is chosen in
 * `denials/denials.ts`.
 */
import type { BadHello } from '@scriptward/client/hello'
import { DENIALS, type Denial, type DenialReason, denial, type Runtime } from '@scriptward/client/messages'

/** The part of the attempt that the message depends on. */
export type DeniedHost = {
  readonly now: number
  /** Whether the attempt included a key. */
  readonly isKeyGiven: boolean
  /** The executor's own name, safe to display. */
  readonly executor: string
  readonly runtime: Runtime
}

type Facts = DeniedHost & {
  readonly details: NonNullable<Denial['details']>
  readonly waitMs: number
}

/** Returns the denial with this customer's message and all other fields unchanged. */
export function wordDenial(answer: Denial, host: DeniedHost): Denial {
  const { details = {}, retry_after = 1 } = answer
  const words = WORDS[answer.reason]?.({ ...host, details, waitMs: retry_after * 1000 })
  return words === undefined ? answer : { ...answer, message: words }
}

/** Denies an invalid hello and names the invalid field for developers of other clients. */
export function denyBadHello({ member, mend }: BadHello): Denial {
  const message = `The loader sent an invalid request: ${member} ${mend}. Get a new copy of the loader.`
  return { ...denial('bad_request', { details: { member, mend } }), message }
}

/** Formats a duration in its two largest units, rounded up: "14 minutes", "23 hours 54 minutes", "3 days". */
export function durationWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds < 60) return counted(seconds, 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return counted(minutes, 'minute')
  if (minutes < 24 * 60) return twoUnits(minutes, 60, ['hour', 'minute'])
  return twoUnits(Math.ceil(minutes / 60), 24, ['day', 'hour'])
}

const WORDS: Partial<Record<DenialReason, (facts: Facts) => string>> = {
  rate_limited: ({ waitMs, details }) => {
    const wait = durationWords(waitMs)
    return details.wrong_keys
      ? `Too many wrong keys were tried from your network. Check script_key, then try again in ${wait}.`
      : `Too many attempts. Try again in ${wait}.`
  },
  script_disabled: ({ details }) => String(details.disabled_message ?? DENIALS.script_disabled.message),
  invalid_key: ({ isKeyGiven }) =>
    isKeyGiven
      ? DENIALS.invalid_key.message
      : 'No key was given. Put script_key = "your key" above the loader, or set the variable SCRIPT_KEY.',
  key_expired: ({ now, details }) =>
    `This key expired ${durationWords(now - Number(details.expired_at))} ago. Extend it, or get a new one.`,
  blacklisted: ({ now, details }) => {
    const { blacklist_reason: reason, blacklist_expires: expires } = details
    const why = reason ? ` Reason: ${reason}.` : ''
    const end = typeof expires === 'number' ? ` It ends in ${durationWords(expires - now)}.` : ''
    return `This key or device is blocked.${why}${end}`
  },
  executor_not_allowed: ({ executor }) =>
    `This script doesn't support your executor (${executor}). Use another executor.`,
  fingerprint_mismatch: ({ now, details }) =>
    `This key is bound to another device. ${resetWords(now, details)}`,
  fingerprint_missing: missingWords,
  max_instances: ({ details }) =>
    `This key is already running the maximum number of times (${details.max}). Close one, or end it on your key's page.`,
  join_required: ({ details }) =>
    details.chat_linked
      ? "Join this script's Discord server first."
      : "Link your Discord account to this key and join this script's Discord server first.",
  sessions_required: ({ executor }) =>
    `This script needs WebSocket support, but your executor (${executor}) has no WebSocket.connect. Use an executor that has it.`,
}

function resetWords(now: number, { can_reset, reset_available_at: at }: Facts['details']): string {
  if (can_reset) return "Reset the device on your key's page, then run the script again."
  if (typeof at === 'number')
    return `You can reset the device in ${durationWords(at - now)}, on your key's page.`
  return "Ask the script's author to reset the device."
}

/** Names the missing function: the customer can change the executor, and the author can change the rule. */
function missingWords({ executor, runtime }: Facts): string {
  const ask = "or ask the author to allow devices that can't be identified."
  return runtime === 'luau'
    ? `Your executor (${executor}) has no working gethwid function, so your device can't be identified. Use an executor that has one, ${ask}`
    : `Your device can't be identified: no machine ID could be read with io.open or io.popen. Run the script where both work, ${ask}`
}

function twoUnits(count: number, per: number, [large, small]: readonly [string, string]): string {
  const rest = count % per
  const whole = counted(Math.floor(count / per), large)
  return rest === 0 ? whole : `${whole} ${counted(rest, small)}`
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
