/**
 * Shares limited capacity between owners. Each may run and queue only a limited number of jobs, and free
 * slots rotate between owners, so that one owner's queue delays another owner by at most one slot.
 */
export type QueueLimits = {
  /** Total number of slots. */
  readonly places: number
  /** Maximum number of jobs that run concurrently per owner. */
  readonly runningEach: number
  /** Maximum number of queued jobs per owner. Further jobs are rejected. */
  readonly waitingEach: number
  /**
   * Maximum number of queued jobs of all owners combined. Beyond this limit, the owner with the most queued
   * jobs loses the latest one, so that no number of owners can keep another from queueing.
   */
  readonly waiting?: number
}

/** `full`: the owner has too many queued jobs. `aborted`: the caller disconnected before the work began. */
export type Queued<T> = { readonly done: T } | { readonly refused: 'full' | 'aborted' }

type Turn = 'begun' | 'full' | 'aborted'
type Waiting = { readonly begin: () => void; readonly drop: (why: 'full') => void }
type Owner = { running: number; readonly waiting: Set<Waiting> }

export class FairQueue {
  readonly #limits: QueueLimits
  /** Ordered by next turn. Owners without work are removed. */
  readonly #owners = new Map<string, Owner>()
  #running = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` when it is the owner's turn. If `signal` aborts, queued work is dropped, but running work
   * continues.
   */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<Queued<T>> {
    if (signal?.aborted) return { refused: 'aborted' }
    const owner = this.#owners.get(name) ?? { running: 0, waiting: new Set() }
    if (!this.#mayRun(owner) && !this.#makeRoom(owner)) return { refused: 'full' }
    this.#owners.set(name, owner)
    const turn = await this.#turn(owner, signal)
    if (turn !== 'begun') {
      if (owner.running === 0 && owner.waiting.size === 0) this.#owners.delete(name)
      return { refused: turn }
    }
    try {
      return { done: await work() }
    } finally {
      this.#leave(name, owner)
    }
  }

  /** Number of running and queued jobs of all owners. */
  load(): { readonly running: number; readonly waiting: number } {
    const waiting = [...this.#owners.values()].reduce((sum, one) => sum + one.waiting.size, 0)
    return { running: this.#running, waiting }
  }

  #mayRun({ running, waiting }: Owner): boolean {
    const { places, runningEach } = this.#limits
    return this.#running < places && running < runningEach && waiting.size === 0
  }

  /** Returns false if the owner's queue is full. */
  #makeRoom({ waiting }: Owner): boolean {
    const { waitingEach, waiting: most = Number.POSITIVE_INFINITY } = this.#limits
    if (waiting.size >= waitingEach) return false
    if (this.load().waiting < most) return true
    const sets = [...this.#owners.values()].map((one) => one.waiting)
    const largest = sets.reduce((a, b) => (b.size > a.size ? b : a), waiting)
    if (largest.size <= waiting.size + 1) return false
    ;[...largest].at(-1)?.drop('full')
    return true
  }

  async #turn(owner: Owner, signal: AbortSignal | undefined): Promise<Turn> {
    if (this.#mayRun(owner)) {
      this.#begin(owner)
      return 'begun'
    }
    return new Promise((resolve) => {
      const leave = (turn: Turn) => {
        signal?.removeEventListener('abort', abort)
        owner.waiting.delete(one)
        resolve(turn)
      }
      const abort = () => leave('aborted')
      const one: Waiting = {
        begin: () => {
          this.#begin(owner)
          leave('begun')
        },
        drop: leave,
      }
      owner.waiting.add(one)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  #begin(owner: Owner): void {
    owner.running += 1
    this.#running += 1
  }

  #leave(name: string, owner: Owner): void {
    owner.running -= 1
    this.#running -= 1
    // Reinserting moves the owner to the end.
    this.#owners.delete(name)
    if (owner.running > 0 || owner.waiting.size > 0) this.#owners.set(name, owner)
    this.#beginNext()
  }

  #beginNext(): void {
    for (const owner of this.#owners.values()) {
      if (this.#running >= this.#limits.places) return
      const [next] = owner.waiting
      if (next && owner.running < this.#limits.runningEach) next.begin()
    }
  }
}
