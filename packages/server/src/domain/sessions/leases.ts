/**
 * Keys of what is locked in a version (client protocol, Locks): the version's service key at rest, what a grant tells of it,
 * and the leases that an accepted beat brings. How locks are made is the obfuscator's part, how keys derive the client package's.
 */
import { lockKey, sealLease } from '@scriptward/client/leases'
import { COLD_LOCK } from '@scriptward/client/live-messages'
import type { LockKeys } from '@scriptward/client/messages'
import { toB64u } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import type { Leases } from '../../protocol/ratchet.ts'
import type { Standing } from '../../store/tables/live-instances.ts'
import { loadPayload } from '../payloads.ts'
import { type Refused, refuse } from '../refusals.ts'
import { openSecrets } from './instances.ts'

/** A run that beats gets the other keys when it needs them, so that they end with its rights. */
export function describeLocks(serviceKey: Buffer | null, isBeating: boolean): { readonly locks?: LockKeys } {
  if (serviceKey === null) return {}
  if (!isBeating) return { locks: { all: toB64u(serviceKey) } }
  return { locks: { cold: toB64u(lockKey(serviceKey, COLD_LOCK)) } }
}

/** Beats that ask may come sooner than others, since somebody waits for them, but not without end. */
export async function limitLeases(
  { protocol, now }: Deps,
  exec: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await protocol.limits.take('leases', exec, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/** Undefined when there is nothing to lease: the version has no locks, or is gone with its script. */
export async function prepareLeases(
  deps: Deps,
  standing: Standing,
  asked: readonly number[],
): Promise<Leases | undefined> {
  const { exec, script_id: id, script_version: version } = standing
  const leaseKey = openSecrets(deps, standing)?.lease
  const serviceKey = (await loadPayload(deps, { id, version }))?.serviceKey
  if (!leaseKey || !serviceKey) return undefined
  return (r) => {
    const boxes = asked.map((lock) => {
      const box = sealLease({ exec, leaseKey, r }, lock, lockKey(serviceKey, lock))
      return [lock, toB64u(box)]
    })
    return Object.fromEntries(boxes)
  }
}
