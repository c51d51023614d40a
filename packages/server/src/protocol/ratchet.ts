/**
 * The sealed half of beats and ends (client protocol §11): which body belongs to which state of an instance, and how it
 * is answered. What the answer says is decided in the domain.
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
import { type BeatRefused, type BeatReply, type EndReply, readBeat } from '@scriptward/client/live-messages'
import { PROTOCOL } from '@scriptward/client/messages'
import { open, seal, toB64u } from '@scriptward/client/wire'

/** The keys of a body that opened, which seal its answer. */
export type Answering = Pick<NumberedBody, 'exec' | 'n'> & {
  readonly keys: DirectionKeys
  /** Locks whose keys it asks for. */
  readonly q?: readonly number[]
}

/** Boxes with the keys of locks by their numbers, sealed for the beat whose answer has this `r`. */
export type Leases = (r: Buffer) => Readonly<Record<string, string>>

/** A beat that opened under the state that its number follows, and what its answer brings if it asks for locks. */
export type DueBeat = {
  readonly body: string
  readonly answering: Answering
  readonly state: Buffer
  readonly leases?: Leases
}

/** `state` is the one that follows the beat before. Undefined when it was sealed for something else. */
export function openBeat(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, 0, beatAad(exec, n), box)
  const beat = bytes && readBeat(bytes)
  return beat && { exec, n, keys, ...(beat.q ? { q: beat.q } : {}) }
}

/** The same for an end, which has the number of the next beat or of one that nobody answered. */
export function openEnd(state: Buffer, { exec, n, box }: NumberedBody): Answering | undefined {
  const keys = beatKeys(state)
  const bytes = open(keys.c2s, END_COUNTER, endAad(exec, n), box)
  return bytes && readBeat(bytes) && { exec, n, keys }
}

export function sealBeatReply({ exec, n, keys }: Answering, reply: BeatReply): string {
  return framed(seal(keys.s2c, 0, beatAad(exec, n), JSON.stringify(reply)))
}

/** To a client that beats a second time with a number that another one used. Equal for equal words, as the counter is. */
export function sealCopiedReply({ exec, n, keys }: Answering, reply: BeatRefused): string {
  return framed(seal(keys.s2c, COPIED_COUNTER, beatAad(exec, n), JSON.stringify(reply)))
}

export function sealEndReply({ exec, n, keys }: Answering, reply: EndReply): string {
  return framed(seal(keys.s2c, END_COUNTER, endAad(exec, n), JSON.stringify(reply)))
}

function framed(box: Buffer): string {
  return `${PROTOCOL}.${toB64u(box)}`
}
