/**
 * Messages between the processes of one installation through Valkey: notes to one process or to all,
 * request/response calls, and events of a project's sessions for processes with listeners. Messages are never
 * delivered late. Instead, a process that missed messages is notified.
 */
import { type Valkey, ValkeyUnavailable } from '../../platform/valkey/valkey.ts'
import type { SessionEvent } from './session.ts'

/** JSON with a type, such as `{ t: 'end', … }`. */
export type Note = { readonly t: string }

export type BusListener<N extends Note, Q extends Note> = {
  onNote(note: N): void
  onEvent(event: SessionEvent): void
  /** Resolves to null if the requested object isn't in this process. */
  answer(question: Q): Promise<unknown>
  /** Called when events from other processes may have been missed. */
  onGap(): void
}

/** Thrown if the process that holds a session didn't receive or answer the request. A retry may succeed. */
export class ProcessUnreachable extends ValkeyUnavailable {
  constructor() {
    super('the server process that holds this session is currently unreachable')
  }
}

type Call = { readonly process: string; readonly settle: (answer: unknown) => void }

/** An answer that did not reach the process that asked. `until` is a timestamp from `performance.now()`. */
type Unheard = {
  readonly process: string
  readonly call: string
  readonly answer: unknown
  readonly until: number
}

type Envelope = {
  readonly from: string
  readonly note?: Note
  readonly event?: SessionEvent
  readonly question?: Note
  readonly answer?: unknown
  /** Correlates a request with its response. */
  readonly call?: string
  /** How long the process that asks waits for the answer. */
  readonly waitMs?: number
}

const ALL = 'all'
const EVENTS = 'events:'
/** Rounds are about a second apart. */
const DEAF_ROUNDS = 5
const ECHO: Note = { t: 'echo' }
const MISSED: Note = { t: 'missed' }

export class ProcessBus<N extends Note, Q extends Note> {
  /** ID of this process, which is new on each startup. */
  readonly id: string
  readonly #valkey: Valkey
  readonly #calls = new Map<string, Call>()
  #unheard: Unheard[] = []
  #listener: BusListener<N, Q> | undefined
  #nextCall = 1
  #hearsItself = true
  #deafRounds = 0
  /** Set if an event of this process couldn't be published. */
  #hasFailed = false

  constructor(valkey: Valkey, id: string) {
    this.#valkey = valkey
    this.id = id
  }

  async open(listener: BusListener<N, Q>): Promise<void> {
    this.#listener = listener
    this.#valkey.onMessages({
      onMessage: (_, text) => this.#receive(text),
      onGap: () => listener.onGap(),
    })
    await this.#valkey.follow(ALL)
    await this.#valkey.follow(this.id)
  }

  /** An unreachable process never receives the note. */
  send(process: string, note: N): void {
    this.#publish(process, { note }).catch(() => {})
  }

  broadcast(note: N): void {
    this.send(ALL, note)
  }

  /** Subscribes to events of a project. */
  async follow(projectId: string): Promise<void> {
    await this.#valkey.follow(EVENTS + projectId)
  }

  unfollow(projectId: string): void {
    this.#valkey.unfollow(EVENTS + projectId)
  }

  tell(event: SessionEvent): void {
    this.#publish(EVENTS + event.session.project_id, { event }).catch(() => {
      this.#hasFailed = true
    })
  }

  /**
   * Resolves to a process's response: null if the requested object doesn't exist there, and undefined if there
   * is no response, although the process may have handled the request. Throws {@link ProcessUnreachable} if no
   * process received the request.
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
    const heard = await this.#publish(process, { question, call, waitMs }).catch(() => 0)
    if (heard > 0) return answer
    this.#calls.get(call)?.settle(undefined)
    throw new ProcessUnreachable()
  }

  /** Settles pending calls to a process that has ended, and drops answers to its calls. */
  dropCalls(process: string): void {
    this.#unheard = this.#unheard.filter((one) => one.process !== process)
    for (const call of [...this.#calls.values()]) if (call.process === process) call.settle(undefined)
  }

  /** Handles failures since the last round, and detects when this process no longer receives messages. */
  round(): void {
    if (!this.#valkey.isUp) return
    if (this.#hasFailed) this.#reportMissed()
    this.#answerAgain()
    if (this.#hearsItself) this.#deafRounds = 0
    else if (++this.#deafRounds >= DEAF_ROUNDS) {
      this.#deafRounds = 0
      this.#valkey.reconnectListener()
    }
    this.#hearsItself = false
    this.#publish(this.id, { note: ECHO }).catch(() => {})
  }

  close(): void {
    for (const { settle } of [...this.#calls.values()]) settle(undefined)
  }

  #reportMissed(): void {
    this.#hasFailed = false
    this.#publish(ALL, { note: MISSED }).catch(() => {
      this.#hasFailed = true
    })
  }

  #publish(channel: string, said: Omit<Envelope, 'from'>): Promise<number> {
    return this.#valkey.publish(channel, JSON.stringify({ from: this.id, ...said }))
  }

  #receive(text: string): void {
    const envelope = readEnvelope(text)
    if (envelope === undefined) return
    const { from, note, event, question, answer, call = '', waitMs = 0 } = envelope
    if (from === this.id) this.#hearsItself = true
    else if (event !== undefined) this.#listener?.onEvent(event)
    else if (note?.t === MISSED.t) this.#listener?.onGap()
    else if (note !== undefined) this.#listener?.onNote(note as N)
    else if (question !== undefined)
      this.#answer(question as Q, { process: from, call, until: performance.now() + waitMs })
    else this.#calls.get(call)?.settle(answer)
  }

  #answer(question: Q, asked: Omit<Unheard, 'answer'>): void {
    this.#listener
      ?.answer(question)
      .then((answer) => this.#deliver({ ...asked, answer }))
      // Errors are ignored, because the caller has a timeout.
      .catch(() => {})
  }

  /** After an interruption, this process may be connected again before the one that asked, or after it. */
  async #deliver(one: Unheard): Promise<void> {
    const { process, call, answer, until } = one
    const heard = await this.#publish(process, { call, answer }).catch(() => 0)
    if (heard === 0 && performance.now() < until) this.#unheard.push(one)
  }

  #answerAgain(): void {
    const unheard = this.#unheard
    this.#unheard = []
    for (const one of unheard) void this.#deliver(one)
  }
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return undefined
  }
}
