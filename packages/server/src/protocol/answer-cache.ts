/**
 * Caches `/exec` responses for clients whose response was lost: resending the same body returns the same
 * bytes and is not counted twice. Processes share the cache through Valkey, where responses are encrypted,
 * because they contain payload keys.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { fromB64u, toB64u } from '@scriptward/client/wire'
import type { Sealer } from '../platform/secrets/seal.ts'
import type { Valkey } from '../platform/valkey/valkey.ts'

export type CachedAnswer = {
  readonly reply: Buffer
  /** Whether the client accepts binary responses. */
  readonly isRaw: boolean
  /** The data for re-encrypting the payload. Absent if there is no payload. */
  readonly source?: CachedPayload
}

export type CachedPayload = {
  readonly exec: string
  /** The user or device whose watermark the payload contains. */
  readonly holder: string
  readonly key: Buffer
  readonly projectId: string
  readonly scriptId: string
  readonly version: number
  /** Whether the payload is only the data of a split build. */
  readonly isData: boolean
}

/** Identifies the body that a response belongs to. */
export type BodyName = { readonly digest: string; readonly nonce: string }

type Shared = { readonly valkey: Valkey; readonly sealer: Sealer }

/** A client times out after 15 s and tries three times. */
const TTL_MS = 60_000
const MAX_ANSWERS = 5000
/** Number of polls for a response that another process is preparing. */
const POLLS = 50
const POLL_MS = 100

const STORE = `return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])`
const FIND = `
local answer = redis.call('get', KEYS[1])
if answer then return answer end
if redis.call('get', KEYS[2]) == ARGV[1] then return 1 end
return 0`
const BEING_MADE = 1

export function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url')
}

export class AnswerCache {
  readonly #answers = new Map<string, { readonly answer: CachedAnswer; readonly expires: number }>()
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #shared: Shared | undefined

  constructor(shared: Shared | undefined) {
    this.#shared = shared
  }

  /** Concurrent requests with the same body share the first request's response. */
  shareAnswer<T>(body: string, make: () => Promise<T>): Promise<T> {
    const running = this.#running.get(body) as Promise<T> | undefined
    if (running) return running
    const made = make().finally(() => this.#running.delete(body))
    this.#running.set(body, made)
    return made
  }

  keepAnswer(digest: string, answer: CachedAnswer, now: number): void {
    this.#answers.set(digest, { answer, expires: now + TTL_MS })
    for (const [oldest, { expires }] of this.#answers) {
      if (expires > now && this.#answers.size <= MAX_ANSWERS) break
      this.#answers.delete(oldest)
    }
    // This is best effort. If it fails and the client's response is lost too, the execution is counted twice.
    this.#publish(digest, answer)?.catch(() => {})
  }

  /** Throws `ValkeyUnavailable` if Valkey is down and another process may have the response. */
  async findAnswer(name: BodyName, now: number): Promise<CachedAnswer | undefined> {
    const own = this.#answers.get(name.digest)
    if (own) return now < own.expires ? own.answer : undefined
    for (let poll = 0; this.#shared && poll < POLLS; poll++) {
      const found = await this.#findShared(this.#shared, name)
      if (found !== BEING_MADE) return found
      await wait(POLL_MS)
    }
    return undefined
  }

  #publish(digest: string, answer: CachedAnswer): Promise<unknown> | undefined {
    if (!this.#shared) return undefined
    const { valkey, sealer } = this.#shared
    const text = sealer.seal('execAnswer', digest, write(answer)).toString('base64url')
    return valkey.run(STORE, [nameOf(digest)], [text, TTL_MS])
  }

  async #findShared({ valkey, sealer }: Shared, { digest, nonce }: BodyName) {
    const found = await valkey.run(FIND, [nameOf(digest), `spent:${nonce}`], [digest])
    if (typeof found === 'string')
      return read(sealer.openText('execAnswer', digest, Buffer.from(found, 'base64url')))
    return found === BEING_MADE ? BEING_MADE : undefined
  }
}

const nameOf = (digest: string) => `answer:${digest}`

function write({ reply, isRaw, source }: CachedAnswer): string {
  const texts = source && { ...source, key: toB64u(source.key) }
  return JSON.stringify({ reply: toB64u(reply), isRaw, source: texts })
}

function read(text: string): CachedAnswer {
  const { reply, isRaw, source } = JSON.parse(text)
  const answer = { reply: bytesOf(reply), isRaw }
  return source ? { ...answer, source: { ...source, key: bytesOf(source.key) } } : answer
}

function bytesOf(text: string): Buffer {
  return fromB64u(text) ?? Buffer.alloc(0)
}
