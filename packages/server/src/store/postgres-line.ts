/**
 * One connection to PostgreSQL on which questions are asked without waiting for the answers to those before. The driver
 * opens it and ends it, and the driver's own package writes and reads its messages, all but rows: a row that is looked
 * for by its key costs less than a description of its columns, a list of its texts, and what else the driver makes of it.
 */
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { BackendMessage, DatabaseError, RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { isOfPlan } from './dialect.ts'
import { Fields, type Parsers, type RowReader, rowReader } from './postgres-rows.ts'

/** The codes of what a server answers (PostgreSQL 15, 55.7); what is not here tells nothing that is needed. */
const PARSED = 0x31
const ROW = 0x44
const FAILURE = 0x45
const DESCRIPTION = 0x54
const READY = 0x5a

/** Of a message, which its own length counts; its code comes before it. */
const LENGTH_BYTES = 4
const HEAD_BYTES = 1 + LENGTH_BYTES

const RUN = Buffer.concat([serialize.execute(), serialize.sync()])

export type Question = {
  readonly sql: string
  /** Under which the server keeps the statement; without one it is read anew each time. */
  readonly name: string | undefined
  /** In the form that PostgreSQL reads: texts, bytes and null. */
  readonly values: readonly (string | Buffer | null)[]
  /** How many wait for the answer. */
  readonly askers: number
  /** Columns that `row` reads itself before it reads the others. */
  readonly ownColumns: number
  /** Of each row while the bytes of it are there; `read` makes an object of the columns that are left. */
  row(fields: Fields, read: RowReader): void
  done(): void
  /** Instead of `done`, after any number of rows. */
  failed(error: unknown): void
}

/** What the server knows of a statement. */
class Plan {
  readonly name: string
  isMade = false
  read: RowReader = () => ({})

  constructor(name: string) {
    this.name = name
  }
}

type Asked = {
  readonly question: Question
  readonly plan: Plan
  readonly since: number
  readonly isAgain: boolean
  failure: unknown
}

export type LineConfig = pg.ClientConfig & {
  /** How long the network may be silent while somebody waits for an answer. */
  readonly silenceMs: number
  readonly parsers: Parsers
}

export class PostgresLine {
  readonly #client: pg.Client
  readonly #silenceMs: number
  readonly #parsers: Parsers
  readonly #plans = new Map<string, Plan>()
  readonly #fields = new Fields()
  readonly #asked: Asked[] = []
  readonly #messages = new Messages()
  #timer: NodeJS.Timeout | undefined
  #failure: unknown
  #onIdle: (() => void) | undefined

  /** Rejects with what kept it from being opened; `onEnd` is called once nothing can be asked on it any more. */
  static async open(config: LineConfig, onEnd: () => void): Promise<PostgresLine> {
    const { silenceMs, parsers, ...ofClient } = config
    const client = new pg.Client(ofClient)
    const line = new PostgresLine(client, { silenceMs, parsers })
    const ended = (error: Error) => {
      onEnd()
      line.#end(error)
    }
    client.on('error', ended).on('end', () => ended(new Error('Connection terminated')))
    await client.connect()
    line.#listen()
    return line
  }

  private constructor(client: pg.Client, { silenceMs, parsers }: Pick<LineConfig, 'silenceMs' | 'parsers'>) {
    this.#client = client
    this.#silenceMs = silenceMs
    this.#parsers = parsers
  }

  /** Those who have no answer yet. */
  get waiting(): number {
    return this.#asked.reduce((sum, { question }) => sum + question.askers, 0)
  }

  ask(question: Question, isAgain = false): void {
    if (this.#failure !== undefined) {
      question.failed(this.#failure)
      return
    }
    this.#asked.push({
      question,
      plan: this.#say(question),
      since: performance.now(),
      isAgain,
      failure: undefined,
    })
    this.#timer ??= setTimeout(() => this.#look(), this.#silenceMs).unref()
  }

  /** Answers what was asked before that. */
  async close(): Promise<void> {
    if (this.#asked.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#client.end()
  }

  /** Until the server has said that it knows the statement it is told anew, so that whoever asks fails for himself. */
  #say({ name = '', sql, values }: Question): Plan {
    const plan = this.#plans.get(name) ?? new Plan(name)
    if (name !== '') this.#plans.set(name, plan)
    const bound = serialize.bind({ statement: name, values: values as (string | Buffer | null)[] })
    const said = plan.isMade ? [bound, RUN] : [...told(name, sql), bound, RUN]
    this.#client.connection.stream.write(Buffer.concat(said))
    return plan
  }

  #listen(): void {
    const { stream } = this.#client.connection
    stream.removeAllListeners('data')
    stream.on('data', (chunk: Buffer) => {
      try {
        this.#messages.read(chunk, (bytes, at, end) => this.#hear(bytes, at, end))
      } catch (error) {
        // Nobody could tell any more whose answer comes next.
        stream.destroy(error as Error)
      }
    })
  }

  #hear(bytes: Buffer, at: number, end: number): void {
    const [asked] = this.#asked
    // Before it ends a connection the server may say why; who hears of the end is told by the driver.
    if (asked === undefined) return
    switch (bytes[at]) {
      case ROW:
        this.#fields.begin(bytes, at + HEAD_BYTES, end)
        readRow(asked, this.#fields)
        break
      case READY:
        this.#over(asked)
        break
      case PARSED:
        asked.plan.isMade = true
        break
      case FAILURE:
        asked.failure ??= messageOf(bytes.subarray(at, end)) as DatabaseError
        break
      case DESCRIPTION: {
        const { fields } = messageOf(bytes.subarray(at, end)) as RowDescriptionMessage
        asked.plan.read = rowReader(fields.slice(asked.question.ownColumns), this.#parsers)
      }
    }
  }

  #over(asked: Asked): void {
    this.#asked.shift()
    const { question, failure } = asked
    if (failure === undefined) question.done()
    else if (!asked.isAgain && isOfPlan(failure)) this.#renew(asked)
    else question.failed(failure)
    if (this.#asked.length === 0) this.#onIdle?.()
  }

  /** Those who asked behind the first one were told of the same, and go by the plan that is made for him. */
  #renew({ question, plan }: Asked): void {
    if (this.#plans.get(plan.name) === plan) this.#plans.delete(plan.name)
    this.ask(question, true)
  }

  #look(): void {
    this.#timer = undefined
    const [oldest] = this.#asked
    if (oldest === undefined) return
    const leftMs = oldest.since + this.#silenceMs - performance.now()
    if (leftMs > 0) this.#timer = setTimeout(() => this.#look(), leftMs).unref()
    else this.#client.connection.stream.destroy(new Error('Query read timeout'))
  }

  #end(error: unknown): void {
    this.#failure ??= error
    clearTimeout(this.#timer)
    const asked = this.#asked.splice(0)
    for (const { question, failure } of asked) question.failed(failure ?? error)
    this.#onIdle?.()
  }
}

/** What has a statement read and described, in the place of whatever has that name. */
function told(name: string, text: string): Buffer[] {
  return [
    serialize.close({ type: 'S', name }),
    serialize.parse({ name, text }),
    serialize.describe({ type: 'S', name }),
  ]
}

/** What one whole message says. */
function messageOf(bytes: Buffer): BackendMessage | undefined {
  let said: BackendMessage | undefined
  new Parser().parse(bytes, (message) => {
    said = message
  })
  return said
}

function readRow(asked: Asked, fields: Fields): void {
  try {
    asked.question.row(fields, asked.plan.read)
  } catch (error) {
    asked.failure ??= error
  }
}

/** Pieces of what comes over the network, put together to whole messages. */
class Messages {
  /** The beginning of a message whose end has not come yet, and how long that message is. */
  #parts: Buffer[] = []
  #partBytes = 0
  #wholeBytes = 0

  /** Throws for what is no message of the protocol. */
  read(chunk: Buffer, hear: (bytes: Buffer, at: number, end: number) => void): void {
    this.#parts.push(chunk)
    this.#partBytes += chunk.length
    if (this.#partBytes < this.#wholeBytes) return
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts)
    let at = 0
    let end = endOf(bytes, at)
    for (; end <= bytes.length; end = endOf(bytes, at)) {
      hear(bytes, at, end)
      at = end
    }
    this.#partBytes = bytes.length - at
    this.#parts = this.#partBytes === 0 ? [] : [bytes.subarray(at)]
    this.#wholeBytes = end - at
  }
}

/** Where the message that begins at `at` is over, or its head while that has not come. */
function endOf(bytes: Buffer, at: number): number {
  if (at + HEAD_BYTES > bytes.length) return at + HEAD_BYTES
  const length = bytes.readInt32BE(at + 1)
  if (length < LENGTH_BYTES) throw new Error('PostgreSQL answered with what is no message')
  return at + 1 + length
}
