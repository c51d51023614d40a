/**
 * LRU cache of script version payloads, limited by size in bytes. Entries never go stale, because stored
 * versions never change.
 */

import type { MessagePart } from '@scriptward/obfuscator'
import type { LockedTexts } from '../features/builds/locked-texts.ts'
import type { Marks } from '../features/builds/watermark.ts'

/** A payload in the form that is sent to clients. */
export type Sendable = {
  /** One raw LZ4 block. */
  readonly block: Buffer
  /** Size in bytes after decompression. */
  readonly size: number
  /** Null if there are no watermark slots. */
  readonly marks: Marks | null
  /** Null if nothing is locked. */
  readonly locked: LockedTexts | null
}

/** A version's protected code. */
export type Payload = Sendable & {
  /** The payload split into two parts. Null for a build that isn't split. */
  readonly split: Split | null
  /** Messages that the version sends to chat channels, ordered by number. */
  readonly messages: readonly Template[]
  /** Whether the script calls code that its build moved to the server. */
  readonly callsServer: boolean
}

export type Split = {
  readonly data: Sendable
  /** Byte range of the data table in the chunk. The end is exclusive. */
  readonly place: readonly [number, number]
  /** The packed interpreter for loaders. Null if it is too large. */
  readonly interpreter: string | null
}

/** A message to a chat channel. `webhook` is the project endpoint that it is sent to. */
export type Template = {
  /** Line in the source, counted from 1. */
  readonly line: number
  readonly webhook: `whk_${string}`
  readonly body: MessagePart
  /** Pattern for each value. Null allows any value. */
  readonly patterns: readonly (string | null)[]
}

const MAX_BYTES = 32 * 1024 * 1024

export class PayloadCache {
  readonly #payloads = new Map<string, Payload>()
  #bytes = 0

  findPayload(scriptId: string, version: number): Payload | undefined {
    const key = `${scriptId} ${version}`
    const payload = this.#payloads.get(key)
    // Reinserting moves the entry to the end, so that the first key is the least recently used.
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
  const ofNumbers = (marks?.numbers?.places ?? []).reduce((sum, { byteLength }) => sum + byteLength, 0)
  const ofLocks = locked ? locked.texts.reduce((sum, { plain }) => sum + plain.length, 0) : 0
  return block.length + ofMarks + ofNumbers + ofLocks
}
