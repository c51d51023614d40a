/**
 * Rate limits of clients and pages (client protocol §17): which limits an attempt counts against, and the answer to a
 * client above one of them.
 */
import { type Denial, denial, FINGERPRINT_STRENGTH, type Hello } from '@scriptward/client/messages'
import type { Deps } from '../deps.ts'
import { networkOf } from '../limits/networks.ts'
import { type Refused, refuse } from './refusals.ts'

type AddressLimit =
  | 'loader'
  | 'execFlood'
  | 'beatAddress'
  | 'connectAddress'
  | 'adPageAddress'
  | 'adPostbackAddress'

/** For answers in the clear: downloads, and floods that are not worth the cost of a sealed answer. */
export async function limitAddress(
  { limits, now }: Deps,
  limit: AddressLimit,
  address: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await limits.attempts.takeAttempt(limit, networkOf(address), now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: toSeconds(waitMs) }) : undefined
}

/** For an opened hello: its address, its key and its device have a limit each. */
export async function limitExecution(
  { limits, now }: Deps,
  hello: Pick<Hello, 'key' | 'fp'>,
  address: string,
): Promise<Denial | undefined> {
  const { attempts } = limits
  const network = networkOf(address)
  const device = strongestComponent(hello)
  const waitMs =
    (await attempts.pauseOf(network, now())) ||
    (await attempts.takeAttempt('execAddress', network, now())) ||
    (hello.key === null ? 0 : await attempts.takeAttempt('execKey', hello.key, now())) ||
    (device === undefined ? 0 : await attempts.takeAttempt('execDevice', device, now()))
  return waitMs > 0 ? denial('rate_limited', { retry_after: toSeconds(waitMs) }) : undefined
}

/** For a client that has proved that it holds the instance; knowing its id alone must not use up its attempts. */
export async function mayConnect({ limits, now }: Deps, exec: string): Promise<boolean> {
  return (await limits.attempts.takeAttempt('connectInstance', exec, now())) === 0
}

/** Too many wrong keys pause an address. */
export async function countWrongKey(
  { limits, now }: Deps,
  { reason }: Denial,
  address: string,
): Promise<void> {
  if (reason === 'invalid_key') await limits.attempts.countWrongKey(networkOf(address), now())
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
