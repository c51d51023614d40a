/**
 * Answers of `/exec` that may have been lost on their way. A client that got none sends the same body again and is given the
 * same bytes, without being counted a second time; its boot record is used up. Processes tell each other by Valkey, where
 * an answer rests sealed, since it names the key of a payload.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { fromB64u, toB64u } from '@scriptward/client/wire'
import type { Valkey } from '../valkey/valkey.ts'
import { openSecret, SECRET_NONCE_BYTES, sealSecret } from './sealed-secrets.ts'

export type CachedAnswer = {
  /** The box of the reply. */
  readonly reply: Buffer
  /** The client can take bytes. */
  readonly isRaw: boolean
  /** What the box beside it is sealed from again; absent when there is none. */
  readonly source?: CachedPayload
}

export type CachedPayload = {
  readonly exec: string
  readonly key: Buffer
  readonly projectId: string
  readonly scriptId: string
  readonly version: number
  /** The data of a version alone, not the whole of it. */
  readonly isData: boolean
}

/** Which body an answer belongs to. */
export type BodyName = { readonly digest: string; readonly nonce: string }

type Shared = { readonly valkey: Valkey; readonly key: Buffer; readonly random: (count: number) => Buffer }

/** A client gives up after a quarter of a minute, and tries three times. */
const KEPT_MS = 60_000
const MOST_KEPT = 5000
/** For so long one is waited for that another process works on. */
const LOOKS = 50
const LOOK_MS = 100

const KEEP = `return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])`
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

  /** Copies of a body that arrive while the first of them is worked on get what it gets. */
  once<T>(body: string, make: () => Promise<T>): Promise<T> {
    const running = this.#running.get(body) as Promise<T> | undefined
    if (running) return running
    const made = make().finally(() => this.#running.delete(body))
    this.#running.set(body, made)
    return made
  }

  keep(digest: string, answer: CachedAnswer, now: number): void {
    this.#answers.set(digest, { answer, expires: now + KEPT_MS })
    for (const [oldest, { expires }] of this.#answers) {
      if (expires > now && this.#answers.size <= MOST_KEPT) break
      this.#answers.delete(oldest)
    }
    // Nobody waits for it: where it does not arrive, a client in bad luck is counted twice, as without it.
    this.#share(digest, answer)?.catch(() => {})
  }

  /** Throws `ValkeyUnavailable` when only another process may know. */
  async find(name: BodyName, now: number): Promise<CachedAnswer | undefined> {
    const own = this.#answers.get(name.digest)
    if (own) return now < own.expires ? own.answer : undefined
    for (let look = 0; this.#shared && look < LOOKS; look++) {
      const found = await this.#look(this.#shared, name)
      if (found !== BEING_MADE) return found
      await wait(LOOK_MS)
    }
    return undefined
  }

  #share(digest: string, answer: CachedAnswer): Promise<unknown> | undefined {
    if (!this.#shared) return undefined
    const { valkey, key, random } = this.#shared
    const text = sealSecret(key, Buffer.from(write(answer)), random(SECRET_NONCE_BYTES))
    return valkey.run(KEEP, [nameOf(digest)], [text, KEPT_MS])
  }

  async #look({ valkey, key }: Shared, { digest, nonce }: BodyName) {
    const found = await valkey.run(FIND, [nameOf(digest), `spent:${nonce}`], [digest])
    if (typeof found === 'string') return read(openSecret(key, found).toString('utf8'))
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
