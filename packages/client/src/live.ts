// Keys, additional authenticated data and bodies of messages that follow a grant: heartbeats (client protocol
// §11) and WebSocket frames (§12). The encryption itself is in wire.ts.
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

/** Derives a heartbeat's keys from `beatKey`, the state that precedes the heartbeat (§11). */
export function beatKeys(beatKey: Uint8Array): DirectionKeys {
  const [c2s, s2c] = splitKeys(expand(beatKey, BEAT_LABEL, 2 * KEY_BYTES))
  return { c2s, s2c } as DirectionKeys
}

export function beatAad(exec: string, n: number): Buffer {
  return Buffer.from(`lp1 beat${exec}${n}`)
}

/**
 * Additional authenticated data of the end message, `/end`. The end message is encrypted with the keys of the
 * unanswered heartbeat, or of the next one if there is none, and the counter `END_COUNTER`. Because its
 * additional data differs from a heartbeat's, an attacker can't pass one message off as the other.
 */
export function endAad(exec: string, n: number): Buffer {
  return Buffer.from(`lp1 end${exec}${n}`)
}

/**
 * Counter of an end message and its response. A heartbeat with the same number may already have used its keys
 * with counter 0.
 */
export const END_COUNTER = 1

/**
 * Counter of the response to a second, different heartbeat with the same number; the response to the first
 * one uses counter 0.
 */
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

/** `sender` is `c` for the client's frames and `s` for the server's frames. */
export function wsAad(sender: 'c' | 's', exec: string): Buffer {
  return Buffer.from(`lp1 ws ${sender}${exec}`)
}

/** Body of a heartbeat, or the first frame of a WebSocket, where `n` is the epoch. */
export interface NumberedBody {
  readonly exec: string
  readonly n: number
  readonly box: Buffer
}

/** Parses `lp1.<exec>.<n>.<box>`. `n` counts from 1, in decimal without leading zeros. */
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

/**
 * Encrypts a frame after the first. Each direction has its own `counter`: it is 1 for the server's first
 * frame and 2 for the client's second.
 */
export function sealFrame(
  key: SealingKey,
  aad: Uint8Array,
  counter: number,
  text: string | Uint8Array,
): string {
  return toB64u(seal(key, counter, aad, text))
}

/** Decrypts the next frame in sequence. Returns undefined for anything else. */
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
