/**
 * Decrypts and encrypts heartbeats and end messages (client protocol §11), and caches the ratchets of
 * instances. The domain layer decides the content of responses.
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
  type ErrorReport,
  readBeat,
} from '@scriptward/client/live-messages'
import { PROTOCOL } from '@scriptward/client/messages'
import type { ProbeAnswer } from '@scriptward/client/probe'
import { open, seal, toB64u } from '@scriptward/client/wire'
import { remember } from '../platform/limits/remember.ts'

/** A decrypted body, with the keys that encrypt its response. */
export type Answering = Pick<NumberedBody, 'exec' | 'n'> & {
  readonly keys: DirectionKeys
  /** The numbers of the locks whose keys are requested. */
  readonly q?: readonly number[]
  /** Messages from the script to chat channels. */
  readonly m?: readonly BeatMessage[]
  /** Calls to server functions. */
  readonly a?: readonly BeatAsk[]
  /** Errors in the script. */
  readonly e?: readonly ErrorReport[]
  /** Functions of the executor, as reported by the client. */
  readonly p?: ProbeAnswer
}

/** Returns key grants for a response, encrypted for the heartbeat whose response has this `r`. */
export type Leases = (r: Buffer) => Pick<BeatAccepted, 'leases' | 'lease_in'>

/**
 * A decrypted heartbeat with the expected number, plus requested key grants and server function results for
 * its response.
 */
export type DueBeat = {
  readonly body: string
  readonly answering: Answering
  readonly state: Buffer
  readonly leases?: Leases
  readonly answers?: readonly BeatAnswer[]
}

/**
 * `state` is the state after the previous heartbeat. Returns undefined if the box was encrypted for something
 * else.
 */
export function openBeat(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, 0, beatAad(exec, n), box)
  const beat = bytes && readBeat(bytes)
  if (!beat) return undefined
  const { up: _, ...wanted } = beat
  return { exec, n, keys, ...wanted }
}

/** Decrypts an end message, which has the number of the next heartbeat or of an unanswered heartbeat. */
export function openEnd(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, END_COUNTER, endAad(exec, n), box)
  const end = bytes && readBeat(bytes)
  return end && { exec, n, keys, ...(end.e ? { e: end.e } : {}), ...(end.p ? { p: end.p } : {}) }
}

export function sealBeatReply({ exec, n, keys }: Answering, reply: BeatReply): string {
  return framed(seal(keys.s2c, 0, beatAad(exec, n), JSON.stringify(reply)))
}

/**
 * The response to a second heartbeat whose number has already been used by a copy of the run. It is
 * deterministic, because its counter is fixed.
 */
export function sealCopiedReply({ exec, n, keys }: Answering, reply: BeatRefused): string {
  return framed(seal(keys.s2c, COPIED_COUNTER, beatAad(exec, n), JSON.stringify(reply)))
}

export function sealEndReply({ exec, n, keys }: Answering, reply: EndReply): string {
  return framed(seal(keys.s2c, END_COUNTER, endAad(exec, n), JSON.stringify(reply)))
}

function framed(box: Buffer): string {
  return `${PROTOCOL}.${toB64u(box)}`
}

/** The number of the last heartbeat, and the state that encrypts the next heartbeat. */
export type Ratchet = { readonly n: number; readonly state: Buffer }
/** The state as a Latin-1 string, which uses less memory than a buffer. */
type CachedRatchet = { readonly n: number; readonly state: string }

/** Each entry takes up about 250 bytes. */
const MAX_RATCHETS = 20_000

/**
 * Caches ratchets of instances that send heartbeats to this process, to avoid reading and decrypting their
 * state. The database is authoritative. If another process has advanced a ratchet, this is detected by the
 * number of the last heartbeat.
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
