/**
 * What beats and sessions have in common: the keys of an instance at rest, whether it may go on, the place that it takes
 * among its user's instances, and what its script is told of its user.
 */
import { hash } from 'node:crypto'
import { nextBeatKey } from '@scriptward/client/live'
import type { ChangingVariables, KickReason } from '@scriptward/client/live-messages'
import { KEY_BYTES, type SessionKeys } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { countLiveInstances } from '../../store/tables/instances.ts'
import type { Judged, Standing } from '../../store/tables/live-instances.ts'
import { lockUser } from '../../store/tables/users.ts'
import { openBytes, SEAL_NONCE_BYTES, sealBytes } from '../sealing.ts'
import { findBannedGuests, reasonToStop } from './revocation.ts'

/** The key that the next beat is sealed under, and the one of the last beat. */
export type BeatStates = { readonly current: Buffer; readonly former: Buffer }
/**
 * What connections are made of, the key that a payload is sealed under when a session is required, and what leases are
 * sealed under, which instances of before there were leases lack.
 */
export type Secrets = { readonly ws: Buffer; readonly payload: Buffer; readonly lease: Buffer | undefined }

export function sealSecrets(deps: Deps, exec: string, keys: Pick<SessionKeys, 'ws' | 'payload' | 'lease'>) {
  return sealPair(deps, secretsOf(exec), keys.ws, Buffer.concat([keys.payload, keys.lease]))
}

export function openSecrets(deps: Deps, { exec, secrets }: Standing): Secrets | undefined {
  if (secrets === null) return undefined
  const [ws, rest] = openPair(deps, secretsOf(exec), secrets)
  const lease = rest.length > KEY_BYTES ? rest.subarray(KEY_BYTES) : undefined
  return { ws, payload: rest.subarray(0, KEY_BYTES), lease }
}

/** `n` is the number of the last beat; the states after later ones follow from these. */
export function sealBeatStates(deps: Deps, exec: string, n: number, { current, former }: BeatStates): Buffer {
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeUIntBE(n, 0, NUMBER_BYTES)
  return sealPair(deps, beatsOf(exec), current, Buffer.concat([former, number]))
}

/** The states of the row's last beat, stepped on from those that were sealed last. */
export function openBeatStates(deps: Deps, standing: Standing): BeatStates | undefined {
  const { exec, beat_n, beat_keys } = standing
  if (beat_keys === null) return undefined
  const [current, rest] = openPair(deps, beatsOf(exec), beat_keys)
  let states: BeatStates = { current, former: rest.subarray(0, KEY_BYTES) }
  // Versions that sealed them with every beat wrote no number.
  const sealedAt = rest.length > KEY_BYTES ? rest.readUIntBE(KEY_BYTES, NUMBER_BYTES) : beat_n
  for (let n = sealedAt + 1; n <= beat_n; n += 1)
    states = { current: nextBeatKey(states.current, stepOf(deps, exec, n)), former: states.current }
  return states
}

/** The 16 bytes that both sides step on with after beat `n`: chance to everybody who does not have the keyring. */
export function stepOf({ protocol }: Deps, exec: string, n: number): Buffer {
  return protocol.keyring.beatStep(`${exec}${n}`).subarray(0, STEP_BYTES)
}

/** Why an instance has to stop, as far as one look tells. */
export async function stopReason(deps: Deps, standing: Judged): Promise<KickReason | undefined> {
  const now = deps.now()
  const isGuestBanned = (await findBannedGuests(deps.db.read, [standing], now)).has(standing.exec)
  return reasonToStop(standing, { now, graceMs: deps.config.graceMs, isGuestBanned })
}

/**
 * Whether an instance has a place among its user's. One that was not heard of for too long lost it, and gets it back
 * when nobody took it meanwhile.
 */
export async function hasPlace(tx: Queries, standing: Judged, now: number): Promise<boolean> {
  const { user_key, project_id, expires_at, max_instances } = standing
  if (expires_at > now || user_key === null || max_instances === null) return true
  if (!(await lockUser(tx, project_id, user_key))) return false
  return (await countLiveInstances(tx, user_key, now)) < max_instances
}

/** Variables that an owner may change while the script runs, and what tells two states of them apart. */
export function changingVariables(standing: Pick<Judged, 'note' | 'chat_id' | 'script_name'>) {
  const { note, chat_id, script_name } = standing
  const variables: ChangingVariables = { chat_id, note, script_name: script_name ?? '' }
  return { variables, digest: digestOf(JSON.stringify(variables)) }
}

export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}

export function secondsLeft(key_expires: number | null, now: number): number | null {
  return key_expires === null ? null : Math.max(0, Math.floor((key_expires - now) / 1000))
}

function sealPair(deps: Deps, owner: string, first: Buffer, second: Buffer): Buffer {
  const nonce = deps.random(SEAL_NONCE_BYTES)
  return sealBytes(deps.protocol.keyring.instanceKey, owner, Buffer.concat([first, second]), nonce)
}

function openPair({ protocol }: Deps, owner: string, sealed: Uint8Array): readonly [Buffer, Buffer] {
  const bytes = openBytes(protocol.keyring.instanceKey, owner, sealed)
  return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
}

const NUMBER_BYTES = 6
const STEP_BYTES = 16

const secretsOf = (exec: string) => `instance ${exec} secrets`
const beatsOf = (exec: string) => `instance ${exec} beats`
