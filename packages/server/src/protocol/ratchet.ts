/**
 * Opens and seals beats and ends (client protocol §11), and caches the ratchets of instances. What an answer says is
 * decided in the domain.
 */
import {
  beatAad,
  beatKeys,
  COPIED_COUNTER,
  type DirectionKeys,
  END_COUNTER,
  endAad,
  type NumberedBody,
} from '@scriptward/client/live'
import {
  type BeatAccepted,
  type BeatAnswer,
  type BeatAsk,
  type BeatMessage,
  type BeatRefused,
  type BeatReply,
  type EndReply,
  readBeat,
} from '@scriptward/client/live-messages'
import { PROTOCOL } from '@scriptward/client/messages'
import { open, seal, toB64u } from '@scriptward/client/wire'
import { remember } from '../platform/limits/remember.ts'

/** An opened body, with the keys that seal its answer. */
export type Answering = Pick<NumberedBody, 'exec' | 'n'> & {
  readonly keys: DirectionKeys
  /** Numbers of the locks whose keys it asks for. */
  readonly q?: readonly number[]
  /** Messages of its script to chat channels. */
  readonly m?: readonly BeatMessage[]
  /** Calls of functions that the service runs for its script. */
  readonly a?: readonly BeatAsk[]
}

/** What an answer says of leases; boxes are sealed for the beat whose answer has this `r`. */
export type Leases = (r: Buffer) => Pick<BeatAccepted, 'leases' | 'lease_in'>

/** An opened beat with the expected number, and for its answer leases and what functions answered, if it asks for any. */
export type DueBeat = {
  readonly body: string
  readonly answering: Answering
  readonly state: Buffer
  readonly leases?: Leases
  readonly answers?: readonly BeatAnswer[]
}

/** `state` is the one after the previous beat. Undefined when the box was sealed for something else. */
export function openBeat(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, 0, beatAad(exec, n), box)
  const beat = bytes && readBeat(bytes)
  if (!beat) return undefined
  const { up: _, ...wanted } = beat
  return { exec, n, keys, ...wanted }
}

/** The same for an end, which has the number of the next beat or of an unanswered one. */
export function openEnd(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, END_COUNTER, endAad(exec, n), box)
  return bytes && readBeat(bytes) && { exec, n, keys }
}

export function sealBeatReply({ exec, n, keys }: Answering, reply: BeatReply): string {
  return framed(seal(keys.s2c, 0, beatAad(exec, n), JSON.stringify(reply)))
}

/** For a second beat with a number that another copy of the run used. Deterministic, because its counter is fixed. */
export function sealCopiedReply({ exec, n, keys }: Answering, reply: BeatRefused): string {
  return framed(seal(keys.s2c, COPIED_COUNTER, beatAad(exec, n), JSON.stringify(reply)))
}

export function sealEndReply({ exec, n, keys }: Answering, reply: EndReply): string {
  return framed(seal(keys.s2c, END_COUNTER, endAad(exec, n), JSON.stringify(reply)))
}

function framed(box: Buffer): string {
  return `${PROTOCOL}.${toB64u(box)}`
}

/** The number of the last beat, and the state that the next one is sealed under. */
export type Ratchet = { readonly n: number; readonly state: Buffer }
/** The state as a Latin-1 string, which takes less memory than a buffer. */
type CachedRatchet = { readonly n: number; readonly state: string }

/** About 250 bytes each. */
const MAX_RATCHETS = 20_000

/**
 * Ratchets of instances that beat at this process, so that their state need not be read and unsealed. The database is the
 * truth: a ratchet that another process moved on is detected by the number of its last beat.
 */
export class RatchetCache {
  readonly #ratchets = new Map<string, CachedRatchet>()

  findRatchet(exec: string): Ratchet | undefined {
    const cached = this.#ratchets.get(exec)
    return cached && { n: cached.n, state: Buffer.from(cached.state, 'latin1') }
  }

  keepRatchet(exec: string, { n, state }: Ratchet): void {
    remember(this.#ratchets, exec, { n, state: state.toString('latin1') }, MAX_RATCHETS)
  }

  dropRatchet(exec: string): void {
    this.#ratchets.delete(exec)
  }
}
