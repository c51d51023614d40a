/**
 * Detects shared keys: keys used from many networks within seven days, or from two networks at the same time
 * with the same device IDs, which a few lines of Lua can forge. Networks and denied devices are stored as
 * salted hashes that cannot be reversed. Only the network of the last execution is stored in readable form,
 * because bans need it.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { storedNetworkAround } from '../../bans/ban-names.ts'
import {
  deleteOldMarks,
  deleteOldUserNetworks,
  listUnreported,
  saveMarks,
  saveSeenUsers,
  type UserNetworkMark,
  updateNetworkCounts,
  updateReported,
} from '../../devices/store/user-networks.ts'
import { type BeatingRun, listBeatingRuns } from '../../sessions/store/instances.ts'
import { addEvent, eventUser } from '../../webhooks/events/events.ts'
import type { KeyUse } from '../key-uses.ts'

type Writing = Pick<Deps, 'db' | 'now' | 'random' | 'secrets' | 'keyUses'>

const DAY_MS = 86_400_000
/** Maximum number of hashes per kind and key, enough for every threshold. */
const MAX_MARKS = 40
/** Maximum number of keys per transaction. A transaction blocks all other writes on SQLite. */
const BATCH_SIZE = 500
const HASH_DIGITS = 16
/** Two simultaneous runs both send a heartbeat within this time. */
const COMPARED_AFTER_MS = 60_000
const MARK_RETENTION_MS = 7 * DAY_MS
const NETWORK_RETENTION_MS = 30 * DAY_MS

/** Writes the collected uses and reports shared keys to webhooks, at most once a day per key. */
export async function writeKeyUses(deps: Writing): Promise<void> {
  const uses = deps.keyUses.takeUses()
  for (let from = 0; from < uses.length; from += BATCH_SIZE) {
    try {
      await deps.db.transaction((tx) => write(tx, deps, uses.slice(from, from + BATCH_SIZE)))
    } catch (error) {
      deps.keyUses.returnUses(uses.slice(from))
      throw error
    }
  }
}

/**
 * Sends a webhook event for each key that runs on two networks at the same time with the same device IDs, at
 * most once a day per key.
 */
export async function reportSimultaneousRuns(deps: Writing): Promise<void> {
  const moved = deps.keyUses.takeMoved(deps.now() - COMPARED_AFTER_MS)
  for (let from = 0; from < moved.length; from += BATCH_SIZE) {
    const runs = await listBeatingRuns(deps.db.read, moved.slice(from, from + BATCH_SIZE), deps.now())
    const byUser = Map.groupBy(runs, ({ user_seq }) => user_seq)
    const seqs = [...byUser].filter(([, own]) => isInTwoPlaces(own)).map(([seq]) => seq)
    if (seqs.length > 0) await deps.db.transaction((tx) => report(tx, deps, seqs, true))
  }
}

function isInTwoPlaces(runs: readonly BeatingRun[]): boolean {
  return runs.some((one, i) => runs.slice(i + 1).some((other) => areInTwoPlaces(one, other)))
}

/**
 * Compares only addresses of the same family, because a device may have an IPv4 and an IPv6 address. Compares
 * only overlapping runs, because a device may change networks between runs.
 */
function areInTwoPlaces(one: BeatingRun, other: BeatingRun): boolean {
  const areTogether = one.last_seen > other.granted_at && other.last_seen > one.granted_at
  const isOneFamily = one.address[0] === other.address[0]
  if (!areTogether || !isOneFamily) return false
  if (storedNetworkAround(one.address) === storedNetworkAround(other.address)) return false
  const known = new Set(one.devices.split(' '))
  return other.devices.split(' ').some((hash) => known.has(hash))
}

/** Deletes old networks and devices. Returns the highest number of rows deleted from any one table. */
export async function forgetKeyUses(tx: Queries, now: number, limit: number): Promise<number> {
  const marks = await deleteOldMarks(tx, now - MARK_RETENTION_MS, limit)
  return Math.max(marks, await deleteOldUserNetworks(tx, now - NETWORK_RETENTION_MS, limit))
}

async function write(tx: Queries, deps: Writing, uses: readonly KeyUse[]): Promise<void> {
  const seqs = uses.map(({ user_seq }) => user_seq)
  await saveSeenUsers(
    tx,
    uses.map(({ user_seq, project_id, network, at }) => ({ user_seq, project_id, network, seen_at: at })),
  )
  await saveMarks(
    tx,
    uses.flatMap((use) => marksOf(deps, use)),
    MAX_MARKS,
  )
  await updateNetworkCounts(tx, seqs)
  await report(tx, deps, seqs, false)
}

async function report(
  tx: Queries,
  deps: Writing,
  seqs: readonly number[],
  simultaneous: boolean,
): Promise<void> {
  const now = deps.now()
  const shared = await listUnreported(tx, seqs, { since: now - DAY_MS, isCertain: simultaneous })
  for (const user of shared) {
    const { networks, refused_devices, share_threshold: threshold, project_id } = user
    const found = { networks, refused_devices, threshold, simultaneous }
    const data = { user: eventUser(user), actor: 'service', ...found } as const
    await addEvent(tx, deps, { type: 'user.shared', project_id, data })
  }
  await updateReported(
    tx,
    shared.map(({ user_seq }) => user_seq),
    now,
  )
}

function marksOf({ secrets }: Writing, use: KeyUse): UserNetworkMark[] {
  const { user_seq, networks, devices, at: seen_at } = use
  const salt = createSecretKey(secrets.fingerprintPepper)
  const markOf = (kind: UserNetworkMark['kind']) => (value: string) => {
    const text = ['key use', user_seq, kind, value].join('\0')
    const hash = createHmac('sha256', salt).update(text).digest('hex').slice(0, HASH_DIGITS)
    return { user_seq, kind, hash, seen_at }
  }
  return [...[...networks].map(markOf('network')), ...[...devices].map(markOf('device'))]
}
