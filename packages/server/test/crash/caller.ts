/** Requests of a customer and their scripts to a service that may be killed meanwhile. */
import { setTimeout as wait } from 'node:timers/promises'
import { component, ProtocolClient } from '../protocol/client.ts'

const RETRY_MS = 200

export type Body = Readonly<Record<string, unknown>>

/** There was no whole answer, or none that says what became of the request: it may be done or not. */
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

  /** With an idempotency key it may be retried; that it was done already, with a lost answer, is then an answer too. */
  post(path: string, body: Body = {}, name?: string): Promise<Body> {
    const headers = {
      'content-type': 'application/json',
      ...(name === undefined ? {} : { 'idempotency-key': name }),
    }
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** One execution by a client on a device of its own. */
  async execute(scriptId: string, key: string): Promise<Body> {
    const changes = { key, fp: { machine_id: component(key) } }
    const { reply } = await new ProtocolClient(this.#url).run(scriptId, changes).catch(lost)
    if (!reply.ok) throw new Error(`the execution was denied: ${reply.reason}`)
    return {}
  }

  /** Whatever is not done is a failure here, since all requests are in order. */
  async #send(path: string, init: RequestInit): Promise<Body> {
    const headers = { ...(init.headers as Record<string, string>), token: this.#apiKey }
    const response = await fetch(this.#url + path, { ...init, headers }).catch(lost)
    const text = await response.text().catch(lost)
    if (response.status === 409 && text.includes('"idempotency_')) return {}
    // All writers are one customer, of whose uploads few may wait; this one was not tried.
    if (response.status === 429) return wait(RETRY_MS).then(() => this.#send(path, init))
    // A machine that is too busy answers so, and a commit that took too long may still have been one.
    if (response.status === 503) throw new Lost(text)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text) as Body
  }
}

/** What `fetch` throws when a connection is refused or ends. */
function lost(error: unknown): never {
  if (error instanceof TypeError) throw new Lost(String(error))
  throw error
}
