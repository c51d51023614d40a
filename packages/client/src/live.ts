// Keys, additional texts and bodies of what follows a grant: heartbeats (client protocol §11) and WebSocket
// frames (§12). Sealing itself is wire.ts.
import { createHmac, createSecretKey } from 'node:crypto'
import { PROTOCOL } from './messages.ts'
import {
  type BadBody,
  EXECUTION_ID_BYTES,
  expand,
  fromB64u,
  KEY_BYTES,
  open,
  parseBox,
  type SealingKey,
  seal,
  splitBody,
  splitKeys,
  toB64u,
} from './wire.ts'

export interface DirectionKeys {
  readonly c2s: Buffer
  readonly s2c: Buffer
}

/** Derives the keys of the heartbeat after the state `beatKey` (§11). */
export function beatKeys(beatKey: Uint8Array): DirectionKeys {
  const [c2s, s2c] = splitKeys(expand(beatKey, BEAT_LABEL, 2 * KEY_BYTES))
  return { c2s, s2c } as DirectionKeys
}

export function beatAad(exec: string, n: number): Buffer {
  return Buffer.from(`lp1 beat${exec}${n}`)
}

/**
 * Additional text of the last beat, `/end`. It is sealed under the keys of the beat that would come next, or of the one
 * that was not answered yet, with the counter `END_COUNTER`, so that neither can be turned into the other on the way.
 */
export function endAad(exec: string, n: number): Buffer {
  return Buffer.from(`lp1 end${exec}${n}`)
}

/** Counter of an end and its answer; the keys of its number may have sealed a beat with counter 0. */
export const END_COUNTER = 1

/** Counter of the answer to a second, different beat of one number: the first one's has counter 0. */
export const COPIED_COUNTER = 2

/** Derives the state after an accepted heartbeat; `r` is the server's 16 random bytes. */
export function nextBeatKey(beatKey: Uint8Array, r: Uint8Array): Buffer {
  return createHmac('sha256', createSecretKey(beatKey)).update(STEP_LABEL).update(r).digest()
}

/** Keys of one WebSocket connection (§12). */
export function wsKeys(wsKey: Uint8Array, epoch: number): DirectionKeys {
  const [c2s, s2c] = splitKeys(expand(wsKey, Buffer.from(`lp1 ws ${epoch}`), 2 * KEY_BYTES))
  return { c2s, s2c } as DirectionKeys
}

/** `sender` is `c` for frames of the client, `s` for those of the server. */
export function wsAad(sender: 'c' | 's', exec: string): Buffer {
  return Buffer.from(`lp1 ws ${sender}${exec}`)
}

/** Body of a beat, and the first frame of a WebSocket, where `n` is the epoch. */
export interface NumberedBody {
  readonly exec: string
  readonly n: number
  readonly box: Buffer
}

/** `lp1.<exec>.<n>.<box>`; n counts from 1, in decimal without leading zeros. */
export function parseNumbered(body: string): NumberedBody | BadBody {
  const fields = splitBody(body, 4)
  if (typeof fields === 'string') return fields
  const [, exec = '', digits = '', boxText = ''] = fields
  if (!fromB64u(exec, EXECUTION_ID_BYTES)) return 'exec'
  if (!/^[1-9]\d{0,14}$/.test(digits)) return 'n'
  const box = parseBox(boxText)
  return box ? { exec, n: Number(digits), box } : 'box'
}

export function formatNumbered({ exec, n, box }: NumberedBody): string {
  return `${PROTOCOL}.${exec}.${n}.${toB64u(box)}`
}

/** A frame after the first: `counter` counts per direction, 1 for the server's first and 2 for the client's second. */
export function sealFrame(
  key: SealingKey,
  aad: Uint8Array,
  counter: number,
  text: string | Uint8Array,
): string {
  return toB64u(seal(key, counter, aad, text))
}

/** Returns undefined for anything other than the next frame in sequence. */
export function openFrame(
  key: SealingKey,
  aad: Uint8Array,
  counter: number,
  text: string,
): Buffer | undefined {
  const box = fromB64u(text)
  return box && open(key, counter, aad, box)
}

const BEAT_LABEL = Buffer.from('lp1 beat')
const STEP_LABEL = Buffer.from('lp1 step')
