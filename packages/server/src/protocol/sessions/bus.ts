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

/** Thrown if the process that holds a session didn't receive the request. A retry may succeed. */
export class ProcessUnreachable extends ValkeyUnavailable {}

type Call = { readonly process: string; readonly settle: (answer: unknown) => void }

type Envelope = {
  readonly from: string
  readonly note?: Note
  readonly event?: SessionEvent
  readonly question?: Note
  readonly answer?: unknown
  /** Correlates a request with its response. */
  readonly call?: string
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
   * Resolves to a process's response: null if the requested object doesn't exist there, and undefined on
   * timeout. Throws {@link ProcessUnreachable} if no process received the request.
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
    const heard = await this.#publish(process, { question, call }).catch(() => 0)
    if (heard > 0) return answer
    this.#calls.get(call)?.settle(undefined)
    throw new ProcessUnreachable('the server process that holds this session is currently unreachable')
  }

  /** Settles pending calls to a process that has ended. */
  dropCalls(process: string): void {
    for (const call of [...this.#calls.values()]) if (call.process === process) call.settle(undefined)
  }

  /** Handles failures since the last round, and detects when this process no longer receives messages. */
  round(): void {
    if (!this.#valkey.isUp) return
    if (this.#hasFailed) this.#reportMissed()
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
    const { from, note, event, question, answer, call = '' } = envelope
    if (from === this.id) this.#hearsItself = true
    else if (event !== undefined) this.#listener?.onEvent(event)
    else if (note?.t === MISSED.t) this.#listener?.onGap()
    else if (note !== undefined) this.#listener?.onNote(note as N)
    else if (question !== undefined) this.#answer(from, call, question as Q)
    else this.#calls.get(call)?.settle(answer)
  }

  #answer(process: string, call: string, question: Q): void {
    this.#listener
      ?.answer(question)
      .then((answer) => this.#publish(process, { call, answer }))
      // Errors are ignored, because the caller has a timeout.
      .catch(() => {})
  }
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return undefined
  }
}
