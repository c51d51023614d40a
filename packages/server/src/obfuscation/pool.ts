/**
 * Obfuscation off the main thread: a bounded queue before a few worker threads, each job with a deadline and a memory
 * limit. Threads start with the first job and end when idle.
 */
import { padsOf } from '@scriptward/client/leases'
import type { BuildOutcome, ObfuscationOptions, Protected } from './build.ts'
import { unpack } from './lz4.ts'
import { prove } from './proof.ts'
import { Thread, type ThreadLimits } from './thread.ts'

export type Obfuscator = {
  /** With a test, a build is returned only if it behaves in the test as the source does. */
  buildScript(source: string, options: ObfuscationOptions, test?: string | null): Promise<BuildOutcome>
  load(): { readonly waiting: number; readonly running: number }
  /** Ends every thread; jobs in the queue resolve to `busy`. */
  close(): Promise<void>
}

export type PoolLimits = ThreadLimits & {
  readonly threads: number
  /** Jobs that may wait for a thread. */
  readonly queue: number
}

export class ObfuscationPool implements Obfuscator {
  readonly #threads: readonly Thread[]
  readonly #idle: Thread[]
  readonly #queue: number
  #waiting: ((thread: Thread | undefined) => void)[] = []
  readonly #closing = new AbortController()

  /** `onFault` gets what the obfuscator threw; the caller of `buildScript` only learns that it did. */
  constructor(limits: PoolLimits, onFault: (error: Error) => void) {
    this.#threads = Array.from({ length: limits.threads }, () => new Thread(limits, onFault))
    this.#idle = [...this.#threads]
    this.#queue = limits.queue
  }

  async buildScript(
    source: string,
    options: ObfuscationOptions,
    test: string | null = null,
  ): Promise<BuildOutcome> {
    const thread = await this.#takeThread()
    if (!thread) return 'busy'
    try {
      const outcome = await thread.runTask({ source, options })
      return test === null || typeof outcome === 'string' || 'errors' in outcome
        ? outcome
        : await this.#proveBuild({ source, test }, outcome, options.serviceKey)
    } finally {
      this.#returnThread(thread)
    }
  }

  async #proveBuild(
    tested: { readonly source: string; readonly test: string },
    built: Protected,
    serviceKey: Uint8Array | undefined,
  ): Promise<BuildOutcome> {
    const pads = serviceKey ? built.locks.map(({ size }, lock) => padsOf(serviceKey)(lock, size)) : []
    const errors = await prove({ ...tested, build: markedText(built), pads }, this.#closing.signal)
    if (this.#closing.signal.aborted) return 'busy'
    return errors.length > 0 ? { errors } : built
  }

  load() {
    return { waiting: this.#waiting.length, running: this.#threads.length - this.#idle.length }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const next of this.#waiting) next(undefined)
    this.#waiting = []
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  async #takeThread(): Promise<Thread | undefined> {
    if (this.#closing.signal.aborted) return undefined
    const thread = this.#idle.pop()
    if (thread || this.#waiting.length >= this.#queue) return thread
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #returnThread(thread: Thread): void {
    const next = this.#waiting.shift()
    if (next) next(thread)
    else this.#idle.push(thread)
  }
}

/** The build as some execution may be sent it: every other slot written in its second way. */
function markedText({ payload, size, slots }: Protected): string {
  const text = Buffer.from(unpack(payload, size), 'latin1')
  slots.forEach((slot, i) => {
    for (const edit of i % 2 === 0 ? slot : []) text.write(edit.text, edit.at, 'latin1')
  })
  return text.toString('latin1')
}
