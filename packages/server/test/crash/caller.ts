/** Sends the requests of an account and its scripts to a server that may be killed at any time. */
import { setTimeout as wait } from 'node:timers/promises'
import { component, ProtocolClient } from '../protocol/client.ts'

const RETRY_MS = 200

export type Body = Readonly<Record<string, unknown>>

/**
 * Thrown if there is no complete response or no definite result, which means that the request may or may not
 * have been performed.
 */
export class Lost extends Error {}

export class Caller {
  readonly #url: string
  readonly #apiKey: string

  constructor(url: string, apiKey: string) {
    this.#url = url
    this.#apiKey = apiKey
  }

  get(path: string): Promise<Body> {
    return this.#send(path, { method: 'GET' })
  }

  /**
   * With an idempotency key, the request may be retried. In that case, the error that reports a lost first
   * response counts as success.
   */
  post(path: string, body: Body = {}, name?: string): Promise<Body> {
    const headers = {
      'content-type': 'application/json',
      ...(name === undefined ? {} : { 'idempotency-key': name }),
    }
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Runs one execution by a client on its own device. */
  async execute(scriptId: string, key: string): Promise<Body> {
    const changes = { key, fp: { machine_id: component(key) } }
    const { reply } = await new ProtocolClient(this.#url).run(scriptId, changes).catch(lost)
    if (!reply.ok) throw new Error(`the execution was denied: ${reply.reason}`)
    return {}
  }

  /** All requests are valid, so any failed request is an error. */
  async #send(path: string, init: RequestInit): Promise<Body> {
    const headers = { ...(init.headers as Record<string, string>), token: this.#apiKey }
    const response = await fetch(this.#url + path, { ...init, headers }).catch(lost)
    const text = await response.text().catch(lost)
    if (response.status === 409 && text.includes('"idempotency_')) return {}
    // The queue was full: all writers share one account, which may queue only a few uploads. This upload was
    // not attempted.
    if (response.status === 429) return wait(RETRY_MS).then(() => this.#send(path, init))
    // An overloaded server responds with this status. If the commit took too long, it may still have
    // succeeded.
    if (response.status === 503) throw new Lost(text)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text) as Body
  }
}

/** The messages of a `ProtocolClient` that got the response of an overloaded server. */
const OVERLOADED = /^(no boot record|not sealed): 503 /

/** Handles the exceptions of `fetch` when a connection is refused or closed, and those of an overloaded server. */
function lost(error: unknown): never {
  const { message } = error as Error
  if (error instanceof TypeError || OVERLOADED.test(message)) throw new Lost(message)
  throw error
}
