/**
 * Commands in flight to one session. They are numbered and limited in number, and each has a timeout.
 * Unanswered commands are resent over a new connection.
 */

export type Message = { readonly key: string; readonly data: unknown }
/** A message in flight. The client replies with its `id` within `ttl` milliseconds. */
export type Command = Message & { readonly id: string; readonly ttl: number }
export type Reply =
  | { readonly ok: true; readonly data?: unknown }
  | { readonly ok: false; readonly reason: string }
export type Outcome =
  | { readonly processed: true; readonly response: unknown }
  | { readonly processed: false; readonly reason: string }

/** Returns false if too much data is buffered. */
export type SendCommand = (command: Command) => boolean

/** Maximum number of commands in flight per session. */
export const MAX_COMMANDS = 16
/** Maximum size of a message or answer, in bytes of JSON. */
export const MAX_DATA_BYTES = 65_536
/** Maximum nesting depth of tables in an answer. */
const MAX_DEPTH = 64
const REASON_LENGTH = 500
/** The outcome of a command without a reply in time. The client may have run it. */
export const NO_REPLY: Outcome = { processed: false, reason: 'client never responded' }
const ERRORED = 'function errored, message: '
/** Reasons that are accepted verbatim from a client. Any other reason is treated as an error message. */
const CLIENT_REASONS: ReadonlySet<string> = new Set(['function doesnt exist', 'invalid return data'])

type Waiting = {
  readonly message: Message
  readonly until: number
  readonly resolve: (outcome: Outcome) => void
  isAcknowledged: boolean
  timer: NodeJS.Timeout | undefined
}

export class Commands {
  readonly #waitMs: number
  readonly #now: () => number
  readonly #waiting = new Map<string, Waiting>()
  /** Number of the last command. */
  #count: number

  /**
   * `before` is the number of commands that have already been sent to the client, which accepts each number
   * only once.
   */
  constructor(waitMs: number, now: () => number, before = 0) {
    this.#count = before
    this.#waitMs = waitMs
    this.#now = now
  }

  get count(): number {
    return this.#count
  }

  /** Without a connection, the command waits for the next one. */
  ask(message: Message, send: SendCommand | undefined): Promise<Outcome> | Outcome {
    if (this.#waiting.size >= MAX_COMMANDS) return unprocessed('session queue full')
    this.#count += 1
    const id = String(this.#count)
    return new Promise((resolve) => {
      const until = this.#now() + this.#waitMs
      const waiting: Waiting = { message, until, resolve, isAcknowledged: false, timer: undefined }
      this.#waiting.set(id, waiting)
      if (send !== undefined && !send({ ...message, id, ttl: this.#waitMs })) this.#refuse(id)
      // The timer starts after sending, so that sending doesn't use up the client's time.
      else waiting.timer = setTimeout(() => this.#settle(id, NO_REPLY), this.#waitMs)
    })
  }

  /**
   * Resends all unanswered commands in order. `last` is the latest command that the client received. Commands
   * up to that one are sent without data, because the client doesn't run them again and only repeats a reply
   * that may have been lost.
   */
  sendAgain(last: string | undefined, send: SendCommand): void {
    const now = this.#now()
    for (const [id, { message, until, isAcknowledged }] of this.#waiting) {
      if (until <= now) continue
      const isKnown = isAcknowledged || Number(id) <= Number(last ?? 0)
      const data = isKnown ? null : message.data
      if (!send({ ...message, data, id, ttl: until - now })) this.#refuse(id)
    }
  }

  acknowledge(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) waiting.isAcknowledged = true
  }

  reply(id: string, reply: Reply): void {
    if (this.#waiting.has(id)) this.#settle(id, outcomeOf(reply))
  }

  /** Fails every command in flight, because the session has ended. */
  end(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, unprocessed('session disconnected'))
  }

  #refuse(id: string): void {
    this.#settle(id, unprocessed('session queue full'))
  }

  #settle(id: string, outcome: Outcome): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(waiting?.timer)
    waiting?.resolve(outcome)
  }
}

/**
 * Clients are not trusted. A reply must be empty or a table of limited size, and an error must be a string of
 * limited length.
 */
function outcomeOf(reply: Reply): Outcome {
  if (!reply.ok) return unprocessed(reasonOf(reply.reason))
  const response = reply.data ?? null
  const isTable = typeof response === 'object' && isShallow(response, MAX_DEPTH)
  if (!isTable || Buffer.byteLength(JSON.stringify(response)) > MAX_DATA_BYTES)
    return unprocessed('invalid return data')
  return { processed: true, response }
}

/** This is checked before anything recurses through the entire value. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1))
}

function reasonOf(text: string): string {
  if (CLIENT_REASONS.has(text)) return text
  const words = text.startsWith(ERRORED) ? text.slice(ERRORED.length) : text
  return `${ERRORED}${words.slice(0, REASON_LENGTH)}`
}

function unprocessed(reason: string): Outcome {
  return { processed: false, reason }
}
