/**
 * Functions shared by heartbeats and sessions: encrypting the keys of an instance for storage, checking
 * whether it may continue and has a slot, and selecting the variables that its script sees.
 */
import { createHmac, hash } from 'node:crypto'
import { nextBeatKey } from '@scriptward/client/live'
import type { ChangingVariables, KickReason } from '@scriptward/client/live-messages'
import { KEY_BYTES, type SessionKeys } from '@scriptward/client/wire'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { SealKind } from '../../platform/secrets/seal.ts'
import type { Content, Selection } from '../../protocol/contents.ts'
import { isInGrace, runStatus } from '../key-validity/clocks.ts'
import { featuresOf } from '../key-validity/terms.ts'
import { lockUser } from '../keys/store/users.ts'
import { hasOtherVariables, joinDigests, selectionOf } from './contents.ts'
import { type Context, findBlacklistedGuests, reasonToStop } from './revocation.ts'
import { countLiveInstances } from './store/instances.ts'
import type { HeartbeatRow, InstanceState } from './store/live-instances.ts'
import { sentLabels } from './user-attributes.ts'

/** The keys that encrypt the next heartbeat and the last one. */
export type BeatStates = { readonly current: Buffer; readonly former: Buffer }
/**
 * Keys of an instance: for its connections, for a payload that requires a session, and for key grants.
 * Instances of earlier versions have no key for key grants.
 */
export type Secrets = { readonly ws: Buffer; readonly payload: Buffer; readonly lease: Buffer | undefined }

export function sealSecrets(deps: Deps, exec: string, keys: Pick<SessionKeys, 'ws' | 'payload' | 'lease'>) {
  return sealPair(deps, ['instanceSecrets', exec], keys.ws, Buffer.concat([keys.payload, keys.lease]))
}

export function openSecrets(deps: Deps, { exec, secrets }: InstanceState): Secrets | undefined {
  if (secrets === null) return undefined
  const [ws, rest] = openPair(deps, ['instanceSecrets', exec], secrets)
  const lease = rest.length > KEY_BYTES ? rest.subarray(KEY_BYTES) : undefined
  return { ws, payload: rest.subarray(0, KEY_BYTES), lease }
}

/**
 * `n` is the number of the last heartbeat. The states of later heartbeats are derived from the states stored
 * here.
 */
export function sealBeatStates(deps: Deps, exec: string, n: number, { current, former }: BeatStates): Buffer {
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeUIntBE(n, 0, NUMBER_BYTES)
  return sealPair(deps, ['beatStates', exec], current, Buffer.concat([former, number]))
}

/** Returns the states of the row's last heartbeat, which are derived from the last stored states. */
export function openBeatStates(deps: Deps, instance: InstanceState): BeatStates | undefined {
  const { exec, beat_n, beat_keys } = instance
  if (beat_keys === null) return undefined
  const [current, rest] = openPair(deps, ['beatStates', exec], beat_keys)
  let states: BeatStates = { current, former: rest.subarray(0, KEY_BYTES) }
  // Earlier versions stored the states on every heartbeat, but without the heartbeat's number.
  const sealedAt = rest.length > KEY_BYTES ? rest.readUIntBE(KEY_BYTES, NUMBER_BYTES) : beat_n
  for (let n = sealedAt + 1; n <= beat_n; n += 1)
    states = { current: nextBeatKey(states.current, stepOf(deps, exec, n)), former: states.current }
  return states
}

/**
 * Returns the 16 bytes that both sides use to advance the ratchet after heartbeat `n`. They can't be
 * predicted without the keyring.
 */
export function stepOf({ secrets }: Deps, exec: string, n: number): Buffer {
  const code = createHmac('sha256', secrets.beatKey).update(`${exec}${n}`)
  return code.digest().subarray(0, STEP_BYTES)
}

/**
 * Returns the reason why an instance must stop, if there is one. `held` is set if this process has the
 * instance's session.
 */
export async function stopReason(
  deps: Deps,
  instance: HeartbeatRow,
  held: Pick<Context, 'isHeld'> = {},
): Promise<KickReason | undefined> {
  const now = deps.now()
  const isGuestBlacklisted = (await findBlacklistedGuests(deps.db.read, [instance], now)).has(instance.exec)
  return reasonToStop(instance, { now, graceMs: deps.config.graceMs, isGuestBlacklisted, ...held })
}

/**
 * Returns whether an instance has a slot among its user's `max_instances`. An instance that is silent for too
 * long loses its slot, and gets it back only if the slot is still free.
 */
export async function hasPlace(tx: Queries, instance: HeartbeatRow, now: number): Promise<boolean> {
  const { user_key, project_id, expires_at, max_instances } = instance
  if (expires_at > now || user_key === null || max_instances === null) return true
  if (!(await lockUser(tx, project_id, user_key))) return false
  return (await countLiveInstances(tx, { project_id, key: user_key }, now)) < max_instances
}

/** Row columns with the variables that may change while the script runs. */
export type Described = Pick<
  HeartbeatRow,
  | 'note'
  | 'chat_id'
  | 'script_name'
  | 'key_expires'
  | 'features'
  | 'plan_name'
  | 'plan_features'
  | 'grace'
  | 'script_id'
  | 'plan_id'
  | 'user_key'
  | 'tags'
  | 'metadata'
>

/** `variables` excludes the variables set by the owner. The digest covers both kinds. */
export type Telling = {
  readonly variables: ChangingVariables
  readonly selection: Selection
  readonly digest: string
}

/**
 * Returns the variables that may change while the script runs, because the owner edits them or time passes,
 * and their digest.
 */
export function changingVariables(instance: Described, now: number, content: Content | undefined): Telling {
  const { note, chat_id, script_name, plan_name: plan } = instance
  const announcement = content?.announcementFor(instance.script_id, instance.user_key, now)
  const variables: ChangingVariables = {
    ...{ chat_id, note, script_name: script_name ?? '', plan },
    features: featuresOf(instance.features, instance.plan_features),
    in_grace: isInGrace(instance.key_expires, instance.grace, now),
    ...(instance.user_key === null ? {} : { status: runStatus(instance.key_expires, instance.grace, now) }),
    ...(announcement ? { announcement } : {}),
    ...sentLabels(instance),
  }
  const selection = selectionOf(content, instance)
  return { variables, selection, digest: joinDigests(digestOf(JSON.stringify(variables)), selection) }
}

/**
 * Returns the variables to send to a client that last received `known`: always the built-in variables, and
 * the variables set by the owner only if they have changed.
 */
export function selectUpdates(known: string | null, { variables, selection }: Telling): ChangingVariables {
  return hasOtherVariables(known, selection) ? { ...variables, vars: selection.vars } : variables
}

/**
 * Returns the number of bytes that count toward the per-second limit. Only values set by owners count,
 * because they may be large.
 */
export function largeBytesOf(known: string | null, { variables, selection }: Telling): number {
  const { metadata } = variables
  const own = metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata))
  return own + (hasOtherVariables(known, selection) ? selection.bytes : 0)
}

export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}

export function secondsLeft(key_expires: number | null, now: number): number | null {
  return key_expires === null ? null : Math.max(0, Math.floor((key_expires - now) / 1000))
}

type Sealed = readonly [SealKind, exec: string]

function sealPair({ secrets }: Deps, [kind, exec]: Sealed, first: Buffer, second: Buffer): Buffer {
  return secrets.seal(kind, exec, Buffer.concat([first, second]))
}

function openPair({ secrets }: Deps, [kind, exec]: Sealed, sealed: Uint8Array): readonly [Buffer, Buffer] {
  const bytes = secrets.open(kind, exec, sealed)
  return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
}

const NUMBER_BYTES = 6
const STEP_BYTES = 16
