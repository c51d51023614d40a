/**
 * Records acknowledged writes. Each writer creates its own users, edits their notes, and blocks their keys.
 * Every change that returned 200 is verified afterward: writers read it back through the server, and the
 * benchmark reads the database.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../packages/server/src/database/engine/db.ts'
import { ADMIN_KEY } from '../served.ts'
import { type Seen, Watch } from './watch.ts'

/** Each change sets the note to the next number. */
type Entry = {
  readonly key: string
  acknowledged: number
  tried: number
  ban: 'none' | 'tried' | 'acknowledged'
  /** Set after a change that got no response. The server may still apply it, so no other change follows. */
  isUnsure: boolean
}
type Row = { readonly note: string | null; readonly blacklisted: number }

const PAUSE_MS = 50
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }
const KEYS_AT_ONCE = 500

export class Ledger {
  readonly changes = new Watch()
  readonly reads = new Watch()
  /** Number of reads through the server that missed an earlier acknowledged write. */
  staleReads = 0
  readonly #url: string
  readonly #projectId: string
  readonly #entries: Entry[] = []
  #isOver = false
  #writing: Promise<unknown> = Promise.resolve()

  constructor(url: string, projectId: string) {
    this.#url = url
    this.#projectId = projectId
  }

  start(writers: number): void {
    this.#writing = Promise.all(Array.from({ length: writers }, () => this.#write()))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#writing
  }

  /** Number of acknowledged changes. */
  get count(): number {
    return this.#entries.reduce(
      (sum, { acknowledged, ban }) => sum + 1 + acknowledged + Number(ban === 'acknowledged'),
      0,
    )
  }

  /** Returns a key whose block was acknowledged. */
  anyBanned(): string | undefined {
    const banned = this.#entries.filter(({ ban }) => ban === 'acknowledged')
    return banned[Math.floor(Math.random() * banned.length)]?.key
  }

  take(): { readonly changes: Seen; readonly reads: Seen } {
    return { changes: this.changes.take(), reads: this.reads.take() }
  }

  /** Counts the acknowledged changes that are missing from the database. */
  async countLost(db: Database): Promise<number> {
    const before = this.#entries.map((entry) => ({ ...entry, entry }))
    const rows = new Map<string, Row>()
    for (let i = 0; i < before.length; i += KEYS_AT_ONCE) {
      const keys = before.slice(i, i + KEYS_AT_ONCE).map(({ key }) => key)
      const found = db.read
        .selectFrom('users')
        .select(['key', 'note', 'blacklisted'])
        .where('key', 'in', keys)
      for (const { key, ...row } of await found.execute()) rows.set(key, row)
    }
    return before.reduce((lost, { entry, ...known }) => lost + lostOf(known, entry, rows.get(known.key)), 0)
  }

  async #write(): Promise<void> {
    const own: Entry[] = []
    while (!this.#isOver) {
      const entry = own[Math.floor(Math.random() * own.length)]
      const chance = Math.random()
      if (entry === undefined || entry.isUnsure || chance < 0.1) await this.#add(own)
      else if (chance < 0.15) await this.#ban(entry)
      else if (chance < 0.5) await this.#read(entry)
      else await this.#edit(entry)
      await wait(PAUSE_MS)
    }
  }

  async #add(own: Entry[]): Promise<void> {
    const text = await this.#change(`/projects/${this.#projectId}/users/new`, { note: '0' })
    if (text === undefined) return
    const { user_key: key } = JSON.parse(text) as { user_key: string }
    const entry: Entry = { key, acknowledged: 0, tried: 0, ban: 'none', isUnsure: false }
    own.push(entry)
    this.#entries.push(entry)
  }

  async #edit(entry: Entry): Promise<void> {
    entry.tried += 1
    const { tried } = entry
    const text = await this.#change(`/users/${entry.key}/edit`, { note: String(tried) })
    if (text === undefined) entry.isUnsure = true
    else entry.acknowledged = tried
  }

  async #ban(entry: Entry): Promise<void> {
    if (entry.ban !== 'none') return
    entry.ban = 'tried'
    const text = await this.#change(`/users/${entry.key}/blacklist`, { expires: 0, reason: 'scale' })
    if (text === undefined) entry.isUnsure = true
    else entry.ban = 'acknowledged'
  }

  async #read(entry: Entry): Promise<void> {
    const known = { ...entry }
    const answer = await this.reads.of(`${this.#url}/v1/users/${entry.key}`, { headers: HEADERS })
    if (answer === undefined) return
    const { user } = JSON.parse(answer.text) as { user: { note: string; blacklisted: boolean } }
    const row = { note: user.note, blacklisted: Number(user.blacklisted) }
    this.staleReads += lostOf(known, entry, row)
  }

  async #change(path: string, body: object): Promise<string | undefined> {
    const sent = { method: 'POST', headers: HEADERS, body: JSON.stringify(body) }
    return (await this.changes.of(`${this.#url}/v1${path}`, sent))?.text
  }
}

/**
 * `known` is the state acknowledged before the row was read. `entry` also includes changes that were only
 * attempted.
 */
function lostOf(known: Omit<Entry, 'key'>, entry: Entry, row: Row | undefined): number {
  if (row === undefined) return 1
  const note = Number(row.note)
  const hasNote = note >= known.acknowledged && note <= entry.tried
  const hasBan = known.ban !== 'acknowledged' || row.blacklisted === 1
  return Number(!hasNote) + Number(!hasBan)
}
