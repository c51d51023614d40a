/**
 * Messages between the processes of one service, over Valkey: broadcasts, notes to one process, and calls that are
 * answered. Broadcasts are numbered, so that a process that missed one notices the gap and asks for everything again. A
 * process that was silent for some rounds counts as gone.
 */
import type { Valkey } from '../valkey/valkey.ts'

/** JSON with a name, such as `{ t: 'event', … }`. */
export type Note = { readonly t: string }

export type BusListener<N extends Note, Q extends Note> = {
  onNote(from: string, note: N): void
  answer(question: Q): Promise<unknown>
  /** A new process, or one that broadcasts were missed of; called again until {@link ProcessBus.markKnown}. */
  onGap(process: string): void
  /** It ended, or was silent for too long. */
  onLost(process: string): void
}

type Peer = { seq: number; silentRounds: number; isKnown: boolean }
type Call = { readonly process: string; readonly settle: (answer: unknown) => void }

type Envelope = {
  readonly from: string
  /** Number of a broadcast. */
  readonly seq?: number
  readonly note?: Note
  readonly question?: Note
  readonly answer?: unknown
  /** Id of a question and of its answer. */
  readonly call?: string
}

const ALL = 'all'
/** Rounds are about a second apart. */
const DEAD_ROUNDS = 10
const DEAF_ROUNDS = 5
const ALIVE: Note = { t: 'alive' }
const BYE: Note = { t: 'bye' }

export class ProcessBus<N extends Note, Q extends Note> {
  /** Of this process; new at each start. */
  readonly id: string
  readonly #valkey: Valkey
  readonly #peers = new Map<string, Peer>()
  readonly #calls = new Map<string, Call>()
  #listener: BusListener<N, Q> | undefined
  #seq = 0
  #nextCall = 1
  #hearsItself = false
  #deafRounds = 0

  constructor(valkey: Valkey, id: string) {
    this.#valkey = valkey
    this.id = id
  }

  /** Returns how many other processes there are. */
  async open(listener: BusListener<N, Q>): Promise<number> {
    this.#listener = listener
    const onMessage = (channel: string, text: string) => {
      const envelope = readEnvelope(text)
      if (envelope !== undefined) this.#receive(channel, envelope)
    }
    await this.#valkey.subscribe({ channels: [ALL, this.id], onMessage })
    return (await this.#publish(ALL, { seq: ++this.#seq, note: ALIVE })) - 1
  }

  /** A process that cannot be reached now notices the gap later. */
  broadcast(note: N): void {
    this.#broadcast(note)
  }

  send(process: string, note: N): void {
    this.#publish(process, { note }).catch(() => {})
  }

  /**
   * The answer of a process; undefined when it is gone, or did not answer in `waitMs`. Throws `ValkeyUnavailable` when
   * nothing was sent.
   */
  async call(process: string, question: Q, waitMs: number): Promise<unknown> {
    const call = `${this.#nextCall++}`
    const answer = new Promise((resolve) => {
      const settle = (given: unknown) => {
        clearTimeout(timer)
        this.#calls.delete(call)
        resolve(given)
      }
      const timer = setTimeout(settle, waitMs)
      this.#calls.set(call, { process, settle })
    })
    try {
      const heard = await this.#publish(process, { question, call })
      if (heard === 0) this.#calls.get(call)?.settle(undefined)
    } catch (error) {
      this.#calls.get(call)?.settle(undefined)
      throw error
    }
    return answer
  }

  /** Everything of this process is known again; true when something was missing. */
  markKnown(process: string): boolean {
    const peer = this.#peers.get(process)
    if (peer === undefined || peer.isKnown) return false
    peer.isKnown = true
    return true
  }

  /** Announces that this process is alive, and counts the silence of the others. */
  round(): void {
    if (!this.#valkey.isUp) return
    if (this.#hearsItself) this.#countSilence()
    // A process that does not even hear itself cannot judge others.
    else if (++this.#deafRounds >= DEAF_ROUNDS) {
      this.#deafRounds = 0
      this.#valkey.reconnectListener()
    }
    this.#hearsItself = false
    this.#broadcast(ALIVE)
  }

  /** How many other processes are known. */
  countOthers(): number {
    return this.#peers.size
  }

  close(): void {
    this.#broadcast(BYE)
    for (const { settle } of [...this.#calls.values()]) settle(undefined)
  }

  #countSilence(): void {
    this.#deafRounds = 0
    for (const [process, peer] of this.#peers) {
      peer.silentRounds += 1
      if (peer.silentRounds > DEAD_ROUNDS) this.#dropPeer(process)
    }
  }

  #broadcast(note: Note): void {
    this.#seq += 1
    this.#publish(ALL, { seq: this.#seq, note }).catch(() => {})
  }

  #publish(channel: string, said: Omit<Envelope, 'from'>): Promise<number> {
    return this.#valkey.publish(channel, JSON.stringify({ from: this.id, ...said }))
  }

  #receive(channel: string, { from, seq, note, question, answer, call = '' }: Envelope): void {
    if (from === this.id) {
      this.#hearsItself = true
      return
    }
    if (channel === ALL && note?.t === BYE.t) {
      this.#dropPeer(from)
      return
    }
    const peer = this.#peerOf(from)
    if (seq !== undefined) this.#count(from, peer, seq)
    if (note !== undefined && note.t !== ALIVE.t) this.#listener?.onNote(from, note as N)
    if (question !== undefined) this.#answer(from, call, question as Q)
    else if (call !== '') this.#calls.get(call)?.settle(answer)
  }

  #peerOf(process: string): Peer {
    const peer = this.#peers.get(process) ?? { seq: -1, silentRounds: 0, isKnown: false }
    peer.silentRounds = 0
    this.#peers.set(process, peer)
    return peer
  }

  #count(process: string, peer: Peer, seq: number): void {
    if (seq !== peer.seq + 1) peer.isKnown = false
    peer.seq = seq
    if (!peer.isKnown) this.#listener?.onGap(process)
  }

  #answer(process: string, call: string, question: Q): void {
    const listener = this.#listener
    if (listener === undefined) return
    listener
      .answer(question)
      .then((answer) => this.#publish(process, { call, answer }))
      // The caller has a timeout.
      .catch(() => {})
  }

  #dropPeer(process: string): void {
    this.#peers.delete(process)
    for (const call of [...this.#calls.values()]) if (call.process === process) call.settle(undefined)
    this.#listener?.onLost(process)
  }
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return undefined
  }
}
