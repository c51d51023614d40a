/**
 * The questions that are under way to one session: numbered, bounded in number, each waited for until its time is over,
 * and sent again over a new connection as long as nobody has answered them.
 */

export type Message = { readonly key: string; readonly data: unknown }
/** A message on its way: the client answers with its `id`, and has `ttl` milliseconds to do so. */
export type Command = Message & { readonly id: string; readonly ttl: number }
export type Reply =
  | { readonly ok: true; readonly data?: unknown }
  | { readonly ok: false; readonly reason: string }
export type Outcome =
  | { readonly processed: true; readonly response: unknown }
  | { readonly processed: false; readonly reason: string }

/** False when too much waits to be sent already. */
export type SendCommand = (command: Command) => boolean

/** More unanswered commands than this and a session takes no further one. */
export const MOST_COMMANDS = 16
/** Bytes of JSON that a message or an answer may have. */
export const MOST_DATA_BYTES = 65_536
/** Tables within tables that an answer may have. */
const MOST_DEPTH = 64
const REASON_LENGTH = 500
const UNANSWERED = 'client never responded'
const ERRORED = 'function errored, message: '
/** Reasons that a client may give in these words; all others are taken for the text of an error. */
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
  /** How many there were. */
  #count: number

  /** `before` is how many the client was given already: it takes no number twice. */
  constructor(waitMs: number, now: () => number, before = 0) {
    this.#count = before
    this.#waitMs = waitMs
    this.#now = now
  }

  get count(): number {
    return this.#count
  }

  /** Without a connection the question waits for the next one. */
  ask(message: Message, send: SendCommand | undefined): Promise<Outcome> | Outcome {
    if (this.#waiting.size >= MOST_COMMANDS) return unprocessed('session queue full')
    this.#count += 1
    const id = String(this.#count)
    return new Promise((resolve) => {
      const until = this.#now() + this.#waitMs
      const waiting: Waiting = { message, until, resolve, isAcknowledged: false, timer: undefined }
      this.#waiting.set(id, waiting)
      if (send !== undefined && !send({ ...message, id, ttl: this.#waitMs })) this.#refuse(id)
      // What is to be done here anyway is done while the client is at work.
      else waiting.timer = setTimeout(() => this.#settle(id, unprocessed(UNANSWERED)), this.#waitMs)
    })
  }

  /**
   * All that was not answered, in order; `last` is the newest command that the client knows of. Those that it has come
   * without their data: it runs none a second time, but gives the answer again, which may have been lost.
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

  /** The session is over, and so is the wait for its answers. */
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

/** What a client sends is not trusted: an answer is nothing or a table of bounded size, an error a bounded text. */
function outcomeOf(reply: Reply): Outcome {
  if (!reply.ok) return unprocessed(reasonOf(reply.reason))
  const response = reply.data ?? null
  const isTable = typeof response === 'object' && isShallow(response, MOST_DEPTH)
  if (!isTable || Buffer.byteLength(JSON.stringify(response)) > MOST_DATA_BYTES)
    return unprocessed('invalid return data')
  return { processed: true, response }
}

/** Asked before anything walks the whole value, because such a walk uses the stack. */
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
