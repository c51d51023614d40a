/**
 * Keys of an execution's locks (client protocol, Locks). Some keys are sent with the grant, and accepted
 * heartbeats add others at a limited pace. The obfuscator creates locks, and the client package derives their
 * keys.
 */
import { executionKey, lockKey, sealLease } from '@scriptward/client/leases'
import { COLD_LOCK } from '@scriptward/client/live-messages'
import type { LockKeys } from '@scriptward/client/messages'
import { toB64u } from '@scriptward/client/wire'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Leases } from '../../protocol/ratchet.ts'
import type { LockedTexts } from '../builds/locked-texts.ts'
import { loadPayload } from '../builds/payloads.ts'
import { openSecrets } from './instances.ts'
import type { Suspicion } from './run-reports.ts'
import type { InstanceState } from './store/live-instances.ts'

/** The keys that a heartbeat delivers, and the state of its instance afterward. */
export type LeasePlan = {
  readonly leases: Leases
  /** New value of the row, or null to leave it unchanged. */
  readonly leased: string | null
  /** Set at most once per run. */
  readonly suspicion: Suspicion | null
}

/** The locks whose keys an instance received with heartbeats, and whether it was reported. */
type Leased = { readonly locks: readonly number[]; readonly isReported: boolean }

/** The number of keys that a run may have right after its grant, and the wait for each further key. */
type Pace = { readonly atOnce: number; readonly everyMs: number }

const MARKED: Pace = { atOnce: 2, everyMs: 2000 }
/**
 * On startup, large programs reach up to a sixth of their automatic locks, and small programs nearly all of
 * them. A program waits for each key, so the pace is faster than for functions that the author chose to lock.
 */
const AUTOMATIC = { fewestAtOnce: 4, shareAtOnce: 1 / 5, everyMs: 1000 }
/** Maximum number of new keys per heartbeat. */
const MAX_NEW = 2
/**
 * Minimum number of requested locks that counts as suspicious. The official loader requests one lock per
 * heartbeat.
 */
const FEWEST_SUSPECT = 2

/**
 * Returns the keys in the grant. A run with heartbeats gets the keys of other locks only when it needs them,
 * so that it can't decrypt them once it may no longer continue.
 */
export function describeLocks(
  serviceKey: Buffer | null,
  { exec, isBeating }: { readonly exec: string; readonly isBeating: boolean },
): { readonly locks?: LockKeys } {
  if (serviceKey === null) return {}
  const key = executionKey(serviceKey, exec)
  if (!isBeating) return { locks: { all: toB64u(key) } }
  return { locks: { cold: toB64u(lockKey(key, COLD_LOCK)) } }
}

/**
 * Limits heartbeats with requests, which are exempt from the minimum interval between heartbeats because a script is
 * waiting. `share` is a factor that multiplies the limit.
 */
export async function limitAsking(
  { limits, now }: Deps,
  limit: 'leases' | 'messageBeats' | 'askBeats' | 'errorBeats',
  exec: string,
  share = 1,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await limits.attempts.takeAttempt(limit, exec, now(), share)
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/**
 * Returns undefined if there is nothing to grant, because the version has no locks or was deleted with its
 * script.
 */
export async function planLeases(
  deps: Deps,
  instance: InstanceState,
  asked: readonly number[],
): Promise<LeasePlan | undefined> {
  const { exec, script_id: id, script_version: version } = instance
  const leaseKey = openSecrets(deps, instance)?.lease
  const locked = (await loadPayload(deps, { id, version }))?.locked
  if (!leaseKey || !locked) return undefined
  const had = readLeased(instance.leased)
  const wanted = [...new Set(asked)].filter((lock) => lock < locked.texts.length)
  const fresh = wanted.filter((lock) => lock !== COLD_LOCK && !had.locks.includes(lock))
  const kinds = kindsOf(locked)
  const given = choose(deps, instance, { kinds, had: had.locks, fresh })
  const locks = [...had.locks, ...given]
  const suspicion = had.isReported ? null : suspect(fresh.length, locked.texts.length - 1)
  const key = executionKey(locked.serviceKey, exec)
  const withheld = fresh.filter((lock) => !given.includes(lock))
  const seals = wanted.filter((lock) => !withheld.includes(lock))
  const isChanged = given.length > 0 || suspicion !== null
  return {
    leases: (r) => ({
      ...describeBoxes(
        seals.map((lock) => [lock, sealLease({ exec, leaseKey, r }, lock, lockKey(key, lock))]),
      ),
      ...describeWait(pausesOf(deps, instance, { kinds, had: locks, withheld })),
    }),
    leased: isChanged ? JSON.stringify({ locks, isReported: had.isReported || suspicion !== null }) : null,
    suspicion,
  }
}

/** Locks whose keys are granted at the same pace. */
type Kind = { readonly locks: ReadonlySet<number>; readonly pace: Pace }

function kindsOf({ texts }: LockedTexts): readonly Kind[] {
  const numbers = texts.map((_, lock) => lock).slice(COLD_LOCK + 1)
  const automatic = new Set(numbers.filter((lock) => texts[lock]?.isAutomatic))
  const { fewestAtOnce, shareAtOnce, everyMs } = AUTOMATIC
  const atOnce = Math.max(fewestAtOnce, Math.ceil(automatic.size * shareAtOnce))
  return [
    { locks: new Set(numbers.filter((lock) => !automatic.has(lock))), pace: MARKED },
    { locks: automatic, pace: { atOnce, everyMs } },
  ]
}

type Request = { readonly kinds: readonly Kind[]; readonly had: readonly number[] }

/** Returns the requested locks whose keys the run gets now. */
function choose(
  deps: Deps,
  instance: InstanceState,
  { kinds, had, fresh }: Request & { readonly fresh: readonly number[] },
): readonly number[] {
  const due = kinds.flatMap(({ locks, pace }) => {
    const count = mayGet(deps, instance, pace, countIn(locks, had))
    return fresh.filter((lock) => locks.has(lock)).slice(0, count)
  })
  return fresh.filter((lock) => due.includes(lock)).slice(0, limitOf(deps, MAX_NEW))
}

/**
 * Returns the wait for the next key, for each kind of lock whose keys were withheld. If no keys were
 * withheld, returns the wait for each kind with missing keys.
 */
function pausesOf(
  deps: Deps,
  instance: InstanceState,
  { kinds, had, withheld }: Request & { readonly withheld: readonly number[] },
): readonly number[] {
  const open = kinds.filter(({ locks }) => countIn(locks, had) < locks.size)
  const waiting = open.filter(({ locks }) => countIn(locks, withheld) > 0)
  const asked = waiting.length > 0 ? waiting : open
  return asked.map(({ locks, pace }) => pauseOf(deps, instance, pace, countIn(locks, had)))
}

function countIn(locks: ReadonlySet<number>, had: readonly number[]): number {
  return had.filter((lock) => locks.has(lock)).length
}

function describeWait(pauses: readonly number[]) {
  return pauses.length === 0 ? {} : { lease_in: Math.min(...pauses) }
}

function describeBoxes(boxes: readonly (readonly [number, Buffer])[]) {
  if (boxes.length === 0) return {}
  return { leases: Object.fromEntries(boxes.map(([lock, box]) => [lock, toB64u(box)])) }
}

function readLeased(text: string | null): Leased {
  return text === null ? { locks: [], isReported: false } : (JSON.parse(text) as Leased)
}

/** Applies a limit unless limits are turned off. */
function limitOf({ config }: Deps, count: number): number {
  return config.clientRates === 0 ? Number.POSITIVE_INFINITY : count
}

/**
 * Returns how many more keys a run may get now at this pace if it already has `had` keys. Returns 0 if the
 * clock was set back.
 */
function mayGet(deps: Deps, { granted_at }: InstanceState, pace: Pace, had: number): number {
  const paces = Math.floor(((deps.now() - granted_at) * deps.config.clientRates) / pace.everyMs)
  return limitOf(deps, Math.max(0, pace.atOnce + Math.max(0, paces) - had))
}

/** Returns how many milliseconds a run with this many keys must wait for one more. */
function pauseOf(deps: Deps, { granted_at }: InstanceState, pace: Pace, had: number): number {
  const { clientRates } = deps.config
  if (clientRates === 0) return 0
  const due = granted_at + Math.ceil(((had + 1 - pace.atOnce) * pace.everyMs) / clientRates)
  return Math.max(0, due - deps.now())
}

/** A run that requests most locks in one heartbeat is collecting keys rather than running the script. */
function suspect(asked: number, locks: number): Suspicion | null {
  const isMost = asked >= FEWEST_SUSPECT && asked > locks / 2
  return isMost ? { reason: 'locks_at_once', asked, locks } : null
}
