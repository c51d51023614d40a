/**
 * Rate limits for clients and pages (client protocol §17), and the response to a client that exceeds a limit.
 */
import { type Denial, denial, FINGERPRINT_STRENGTH, type Hello } from '@scriptward/client/messages'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../platform/limits/networks.ts'
import { report, reportLimit } from './security-events.ts'

type AddressLimit =
  | 'loader'
  | 'execFlood'
  | 'beatAddress'
  | 'connectAddress'
  | 'ownPageAddress'
  | 'adPageAddress'
  | 'adPostbackAddress'
  | 'chatAddress'
  | 'authAddress'

/**
 * Rate-limits an IP address if the response is unencrypted: for downloads, and for floods that would make
 * encryption too expensive.
 */
export async function limitAddress(
  deps: Deps,
  limit: AddressLimit,
  address: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await deps.limits.attempts.takeAttempt(limit, networkOf(address), deps.now())
  if (waitMs === 0) return undefined
  reportLimit(deps, limit, address)
  return refuse('rate_limited', { retry_after: toSeconds(waitMs) })
}

/**
 * Input to the rate limits for a decrypted hello. `project` is undefined if none is known. `isKnownKey`
 * indicates whether that project has the key.
 */
export type KeyAttempt = {
  readonly project: string | undefined
  readonly key: string | null
  readonly isKnownKey: boolean
  readonly fp: Hello['fp']
}

/**
 * Limits a decrypted hello by its key and its device. The limit per IP address applies only to nonexistent
 * keys. Otherwise, strangers who guess keys could lock out customers who share their IP address.
 */
export async function limitExecution(
  deps: Deps,
  attempt: KeyAttempt,
  address: string,
): Promise<Denial | undefined> {
  const { limits, now } = deps
  const { attempts } = limits
  const { key, isKnownKey } = attempt
  const network = networkOf(address)
  const device = strongestComponent(attempt)
  const pauseMs = isWrongKey(attempt) ? await attempts.pauseOf(network, now()) : 0
  if (pauseMs > 0)
    return denial('rate_limited', { retry_after: toSeconds(pauseMs), details: { wrong_keys: true } })
  const waitOfNetwork = isKnownKey ? 0 : await attempts.takeAttempt('execAddress', network, now())
  if (waitOfNetwork > 0) reportLimit(deps, 'execAddress', address)
  const waitMs =
    waitOfNetwork ||
    (isGiven(key) ? await attempts.takeAttempt('execKey', `${attempt.project} ${key}`, now()) : 0) ||
    (device === undefined ? 0 : await attempts.takeAttempt('execDevice', device, now()))
  return waitMs > 0 ? denial('rate_limited', { retry_after: toSeconds(waitMs) }) : undefined
}

/**
 * Limits a client that has proved that it owns the instance, so that strangers who only know the instance's
 * ID can't use up its attempts.
 */
export async function mayConnect({ limits, now }: Deps, exec: string): Promise<boolean> {
  return (await limits.attempts.takeAttempt('connectInstance', exec, now())) === 0
}

/**
 * Counts wrong keys per network. After too many, further wrong keys from that network are rejected for a
 * while. Attempts without a key don't count.
 */
export async function countWrongKey(
  deps: Deps,
  attempt: Pick<KeyAttempt, 'key' | 'isKnownKey'>,
  address: string,
): Promise<void> {
  if (!isWrongKey(attempt)) return
  const network = networkOf(address)
  const ms = await deps.limits.attempts.countWrongKey(network, deps.now())
  if (ms > 0) report(deps, 'keys_paused', { network, where: 'client', ms })
}

function isWrongKey({ key, isKnownKey }: Pick<KeyAttempt, 'key' | 'isKnownKey'>): boolean {
  return isGiven(key) && !isKnownKey
}

export function isGiven(key: string | null): key is string {
  return key !== null && key !== ''
}

function strongestComponent({ fp }: Pick<Hello, 'fp'>): string | undefined {
  const name = Object.keys(FINGERPRINT_STRENGTH).find(
    (one) => FINGERPRINT_STRENGTH[one] === 'strong' && fp[one],
  )
  return name && fp[name]
}

function toSeconds(waitMs: number): number {
  return Math.ceil(waitMs / 1000)
}
