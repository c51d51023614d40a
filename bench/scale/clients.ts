/**
 * Simulates clients that constantly request executions, with valid keys and with invalid requests: blocked
 * and expired keys, other devices, and replays of earlier requests. Counts the executions that are wrongly
 * granted.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type BootRecord,
  type Grant,
  LOADER_BUILD,
  type PublicKeys,
} from '../../packages/client/src/messages.ts'
import {
  clientHandshake,
  formatExec,
  fromB64u,
  type HandshakeKeys,
  openReply,
  seal,
  x25519Pair,
} from '../../packages/client/src/wire.ts'
import type { Database } from '../../packages/server/src/database/engine/db.ts'
import { addUsers, type Home, type Store } from './population.ts'
import { count, fromMap } from './tally.ts'
import { type Seen, Watch } from './watch.ts'

type Right = { readonly key: string; granted: number }
type Sent = { readonly body: string; readonly keys: HandshakeKeys; readonly text: string }
type Device = 'own' | 'other'
type Verdict = { readonly word: string; readonly sent: Sent }

const RIGHT_KEYS = 300
const WRONG_KEYS = 60
/** Number of recent requests kept for replaying. */
const REMEMBERED = 200
const PAUSE_MS = 200
/** The boot record has been used or has expired, so the loader fetches another one. */
const CONFLICT = 409

export class Clients {
  readonly executions = new Watch()
  readonly repeats = new Watch()
  /** Descriptions of wrongly granted executions. */
  readonly wrong: string[] = []
  /** Denials of valid keys, by reason. */
  readonly #denied = new Map<string, number>()
  readonly #url: string
  readonly #home: Home
  readonly #right: Right[] = Array.from({ length: RIGHT_KEYS }, () => ({ key: newKey(), granted: 0 }))
  readonly #expired = Array.from({ length: WRONG_KEYS }, newKey)
  readonly #answered: Sent[] = []
  readonly #anyBanned: () => string | undefined
  #serverKeys: PublicKeys['keys'] = []
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(url: string, home: Home, anyBanned: () => string | undefined) {
    this.#url = url
    this.#home = home
    this.#anyBanned = anyBanned
  }

  async start(store: Store, loops: number): Promise<void> {
    const keys = this.#right.map(({ key }) => key)
    await addUsers(store, this.#home, keys)
    await addUsers(store, this.#home, this.#expired, { key_expires: 1 })
    const answer = await fetch(`${this.#url}/client/v1/keys`)
    this.#serverKeys = ((await answer.json()) as PublicKeys).keys
    this.#running = Promise.all(Array.from({ length: loops }, () => this.#loop()))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  take(): {
    readonly executions: Seen
    readonly repeats: Seen
    readonly denied: Readonly<Record<string, number>>
  } {
    const denied = fromMap(this.#denied)
    this.#denied.clear()
    return { executions: this.executions.take(), repeats: this.repeats.take(), denied }
  }

  /** Counts the granted executions that are missing from the database. */
  async countLost(db: Database): Promise<number> {
    const known = this.#right.map(({ key, granted }) => ({ key, granted }))
    const keys = known.map(({ key }) => key)
    const rows = await db.read
      .selectFrom('users')
      .select(['key', 'executions'])
      .where('key', 'in', keys)
      .execute()
    const counted = new Map(rows.map(({ key, executions }) => [key, executions]))
    return known.reduce((lost, { key, granted }) => lost + Math.max(0, granted - (counted.get(key) ?? 0)), 0)
  }

  async #loop(): Promise<void> {
    for (let i = 0; !this.#isOver; i += 1) {
      await this.#tryRight()
      await WRONG_WAYS[i % WRONG_WAYS.length]?.(this)
      await wait(PAUSE_MS)
    }
  }

  async #tryRight(): Promise<void> {
    const right = anyOf(this.#right)
    const verdict = right && (await this.#run(right.key, 'own'))
    if (right === undefined || verdict === undefined) return
    if (verdict.word === 'granted') this.#note(right, verdict.sent)
    else count(this.#denied, verdict.word)
  }

  #note(right: Right, sent: Sent): void {
    right.granted += 1
    this.#answered.push(sent)
    if (this.#answered.length > REMEMBERED) this.#answered.shift()
  }

  async tryWrong(key: string | undefined, device: Device, words: string): Promise<void> {
    const verdict = key && (await this.#run(key, device))
    if (verdict && verdict.word === 'granted') this.wrong.push(words)
  }

  tryExpired(): Promise<void> {
    return this.tryWrong(anyOf(this.#expired), 'own', 'an expired key')
  }

  tryBanned(): Promise<void> {
    return this.tryWrong(this.#anyBanned(), 'own', 'a banned key')
  }

  tryOtherDevice(): Promise<void> {
    const bound = anyOf(this.#right.filter(({ granted }) => granted > 0))
    return this.tryWrong(bound?.key, 'other', 'another device')
  }

  /**
   * The server may send the same response again, in case the first one was lost. A different response would
   * be a free execution.
   */
  async repeat(): Promise<void> {
    const sent = anyOf(this.#answered)
    const answer = sent && (await this.#post(this.repeats, sent.body))
    if (answer?.status === 200 && answer.text !== sent?.text) {
      const { word } = verdictOf({ ...(sent as Sent), text: answer.text })
      if (word === 'granted') this.wrong.push('a request that was used')
    }
  }

  async #run(key: string, device: Device): Promise<Verdict | undefined> {
    const place = `${this.#url}/client/v1/boot?script=${this.#home.scriptId}`
    const boot = await this.executions.of(place, { headers: addressed() }, { isStep: true })
    if (boot === undefined) return undefined
    const { body, keys } = this.#request(
      JSON.parse(boot.text) as BootRecord,
      helloOf(this.#home, key, device),
    )
    const answer = await this.#post(this.executions, body)
    return answer?.status === 200 ? verdictOf({ body, keys, text: answer.text }) : undefined
  }

  #post(watch: Watch, body: string) {
    const headers = { 'content-type': 'text/plain', ...addressed() }
    return watch.of(`${this.#url}/client/v1/exec`, { method: 'POST', headers, body }, { fine: [CONFLICT] })
  }

  #request({ boot, kid, ek }: BootRecord, hello: object): Pick<Sent, 'body' | 'keys'> {
    const own = x25519Pair(randomBytes(32))
    const { x25519 = '' } = this.#serverKeys.find((one) => one.kid === kid) ?? {}
    const bootId = bytes(boot)
    const keys = clientHandshake({ kid, staticPublic: bytes(x25519), boot: bootId, ek: bytes(ek) }, own)
    if (!keys) throw new Error('the server sent unusable keys')
    const box = seal(keys.c2s, 0, keys.h, JSON.stringify(hello))
    return { body: formatExec({ kid, boot: bootId, ep: own.publicKey, box }), keys }
  }
}

const WRONG_WAYS: readonly ((clients: Clients) => Promise<void>)[] = [
  (clients) => clients.tryExpired(),
  (clients) => clients.tryBanned(),
  (clients) => clients.tryOtherDevice(),
  (clients) => clients.repeat(),
]

/** Every user has a different device. */
function helloOf({ scriptId }: Home, key: string, device: Device) {
  const machine = Buffer.from(key.padEnd(16).slice(0, 16), 'latin1')
  return {
    ...{ pv: 1, lb: LOADER_BUILD, sv: 1, script: scriptId, key, rt: 'lua5.1' },
    host: { executor: 'lua5.1', version: '', platform: 'linux' },
    fp: { machine_id: (device === 'own' ? machine : machine.reverse()).toString('base64url') },
    caps: { ws: false, raw: false, lz4: true, buffer: false, post: true, max_body: 65_536 },
  }
}

function verdictOf(sent: Sent): Verdict {
  const opened = openReply(sent.keys, sent.text)
  if (!opened) return { word: 'does not open', sent }
  const reply = JSON.parse(opened.json) as Grant | { readonly ok: false; readonly reason: string }
  return { word: reply.ok ? 'granted' : reply.reason, sent }
}

/** Each request comes from a different user and IP address. */
function addressed(): Record<string, string> {
  return { 'x-forwarded-for': `172.${randomInt(16, 32)}.${randomInt(256)}.${randomInt(256)}` }
}

function anyOf<T>(list: readonly T[]): T | undefined {
  return list[randomInt(Math.max(1, list.length))]
}

function newKey(): string {
  return randomBytes(16).toString('hex')
}

function bytes(text: string): Buffer {
  return fromB64u(text) ?? Buffer.alloc(0)
}
