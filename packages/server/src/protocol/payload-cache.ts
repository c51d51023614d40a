/** LRU cache of the payloads of script versions, bounded by bytes. It never goes stale: a stored version never changes. */

import type { MessagePart } from '@scriptward/obfuscator'
import type { LockedTexts } from '../features/builds/locked-texts.ts'
import type { Marks } from '../features/builds/watermark.ts'

/** A payload as clients get it. */
export type Sendable = {
  /** One raw LZ4 block. */
  readonly block: Buffer
  /** Bytes after LZ4. */
  readonly size: number
  /** Null without watermark slots. */
  readonly marks: Marks | null
  /** Null when nothing is locked. */
  readonly locked: LockedTexts | null
}

/** The protected text of a version. */
export type Payload = Sendable & {
  /** The same in two parts; null for a build in one piece. */
  readonly split: Split | null
  /** What the version sends to chat channels, in the order of their numbers. */
  readonly messages: readonly Template[]
}

export type Split = {
  readonly data: Sendable
  /** Byte range of the data's table in the chunk: first byte, and the byte after the last. */
  readonly place: readonly [number, number]
  /** Packed, as loaders carry it; null when it is too large for them. */
  readonly interpreter: string | null
}

/** A message to a chat channel; `webhook` is the address of the project that it goes to. */
export type Template = {
  /** In the source, from 1. */
  readonly line: number
  readonly webhook: `whk_${string}`
  readonly body: MessagePart
  /** Of each value; null for one that may be anything. */
  readonly patterns: readonly (string | null)[]
}

const MAX_BYTES = 32 * 1024 * 1024

export class PayloadCache {
  readonly #payloads = new Map<string, Payload>()
  #bytes = 0

  findPayload(scriptId: string, version: number): Payload | undefined {
    const key = `${scriptId} ${version}`
    const payload = this.#payloads.get(key)
    // Moves to the end of the map, whose first key is then the least recently used.
    if (payload && this.#payloads.delete(key)) this.#payloads.set(key, payload)
    return payload
  }

  keepPayload(scriptId: string, version: number, payload: Payload): void {
    const key = `${scriptId} ${version}`
    if (this.#payloads.has(key) || bytesOf(payload) > MAX_BYTES) return
    this.#payloads.set(key, payload)
    this.#bytes += bytesOf(payload)
    for (const [oldest, old] of this.#payloads) {
      if (this.#bytes <= MAX_BYTES) break
      this.#payloads.delete(oldest)
      this.#bytes -= bytesOf(old)
    }
  }
}

function bytesOf({ split, ...whole }: Payload): number {
  const parts = split ? sizeOf(split.data) + (split.interpreter?.length ?? 0) : 0
  return sizeOf(whole) + parts
}

function sizeOf({ block, marks, locked }: Sendable): number {
  const ofMarks = marks ? marks.places.byteLength + marks.starts.byteLength + marks.bytes.length : 0
  const ofLocks = locked ? locked.texts.reduce((sum, { plain }) => sum + plain.length, 0) : 0
  return block.length + ofMarks + ofLocks
}
