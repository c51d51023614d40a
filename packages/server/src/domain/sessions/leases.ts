/**
 * Keys of the locks of a version (client protocol, Locks): what a grant says of them, and the leases that an accepted beat
 * brings. The obfuscator makes locks; the client package derives their keys.
 */
import { lockKey, sealLease } from '@scriptward/client/leases'
import { COLD_LOCK } from '@scriptward/client/live-messages'
import type { LockKeys } from '@scriptward/client/messages'
import { toB64u } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import type { Leases } from '../../protocol/ratchet.ts'
import type { InstanceState } from '../../store/tables/live-instances.ts'
import { loadPayload } from '../payloads.ts'
import { type Refused, refuse } from '../refusals.ts'
import { openSecrets } from './instances.ts'

/** A run that beats gets the other keys when it needs them, so that it loses them with its rights. */
export function describeLocks(serviceKey: Buffer | null, isBeating: boolean): { readonly locks?: LockKeys } {
  if (serviceKey === null) return {}
  if (!isBeating) return { locks: { all: toB64u(serviceKey) } }
  return { locks: { cold: toB64u(lockKey(serviceKey, COLD_LOCK)) } }
}

/** Beats that ask for leases are not held to the pause between beats, because a script waits for them. */
export async function limitLeases(
  { limits, now }: Deps,
  exec: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await limits.attempts.takeAttempt('leases', exec, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/** Undefined when there is nothing to lease: the version has no locks, or was deleted with its script. */
export async function prepareLeases(
  deps: Deps,
  instance: InstanceState,
  asked: readonly number[],
): Promise<Leases | undefined> {
  const { exec, script_id: id, script_version: version } = instance
  const leaseKey = openSecrets(deps, instance)?.lease
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
