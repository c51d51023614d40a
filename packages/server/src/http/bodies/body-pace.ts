/**
 * Limits how fast the server reads large request bodies. Reading a body, copying it to the worker pool and
 * freeing its memory all happen on the main thread, so accounts take turns, one MiB at a time. A single
 * sender barely waits, and many concurrent senders leave the main thread enough time for everyone else.
 */
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { FairQueue } from '../../platform/limits/fair-queue.ts'

const BYTES_PER_SECOND = 16 * 1_048_576
const PIECE_BYTES = 1_048_576

/** `bytes` is the maximum size of the body. */
type LargeBody = { readonly body: Readable; readonly bytes: number }

export class BodyPace {
  /** The queue is unlimited, because `BodyRoom` limits how much one account may send concurrently. */
  readonly #turns = new FairQueue({ places: 1, runningEach: 1, waitingEach: Number.POSITIVE_INFINITY })

  /**
   * Passes the bytes through, each piece during one of the owner's turns. The stream ends early if the signal
   * aborts.
   */
  read(owner: string, large: LargeBody, signal: AbortSignal): Readable {
    return Readable.from(this.#pieces(owner, large, signal), { objectMode: false })
  }

  async *#pieces(owner: string, { body, bytes }: LargeBody, signal: AbortSignal): AsyncGenerator<Buffer> {
    let [left, allowed] = [bytes, 0]
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (allowed <= 0) {
        const piece = Math.min(PIECE_BYTES, left)
        if (!(await this.#turn(owner, piece, signal))) return
        allowed += piece
      }
      allowed -= chunk.length
      left -= chunk.length
      yield chunk
    }
  }

  /**
   * Waits for a turn, which lasts as long as the piece is allowed to take. Resolves to whether the turn
   * started.
   */
  #turn(owner: string, piece: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const rest = async () => {
        resolve(true)
        await wait((1000 * piece) / BYTES_PER_SECOND, undefined, { ref: false })
      }
      void this.#turns.run(owner, rest, signal).then((queued) => resolve(!('refused' in queued)))
    })
  }
}
