/**
 * Payloads of the script versions that run at the moment, so that an execution does not read them from the database;
 * bounded by bytes, and safe to keep because a stored version never changes.
 */

import type { Marks } from './watermark.ts'

/** What can be sent to a client. */
export type Sendable = {
  /** One raw LZ4 block. */
  readonly block: Buffer
  /** Bytes after LZ4. */
  readonly size: number
  /** Null when it has no slots: all executions get the same. */
  readonly marks: Marks | null
}

/** The protected text of a version as one chunk. */
export type Payload = Sendable & {
  /** The same in two parts; null when it is built as one piece. */
  readonly split: Split | null
  /** 32 bytes from which the keys of its locks follow; null when it has none. */
  readonly serviceKey: Buffer | null
}

export type Split = {
  readonly data: Sendable
  /** Where in the chunk the table stands that has the data in it: its first byte, and the byte behind it. */
  readonly place: readonly [number, number]
  /** Packed, as loaders carry it; null when they do not. */
  readonly interpreter: string | null
}

const MOST_BYTES = 32 * 1024 * 1024

export class PayloadCache {
  readonly #payloads = new Map<string, Payload>()
  #bytes = 0

  find(scriptId: string, version: number): Payload | undefined {
    const key = `${scriptId} ${version}`
    const payload = this.#payloads.get(key)
    // Set again, so that the first key of the map is always the least recently used.
    if (payload && this.#payloads.delete(key)) this.#payloads.set(key, payload)
    return payload
  }

  keep(scriptId: string, version: number, payload: Payload): void {
    const key = `${scriptId} ${version}`
    if (this.#payloads.has(key) || bytesOf(payload) > MOST_BYTES) return
    this.#payloads.set(key, payload)
    this.#bytes += bytesOf(payload)
    for (const [oldest, old] of this.#payloads) {
      if (this.#bytes <= MOST_BYTES) break
      this.#payloads.delete(oldest)
      this.#bytes -= bytesOf(old)
    }
  }
}

function bytesOf({ split, ...whole }: Payload): number {
  const parts = split ? sizeOf(split.data) + (split.interpreter?.length ?? 0) : 0
  return sizeOf(whole) + parts
}

function sizeOf({ block, marks }: Sendable): number {
  return block.length + (marks ? marks.places.byteLength + marks.starts.byteLength + marks.bytes.length : 0)
}
