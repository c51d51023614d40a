/**
 * A service with a million users, on both engines: a backup while others read and write, what they wait for, and the
 * restore of that backup somewhere else. The backup is encrypted for a public key.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeAgeKeys } from '../packages/server/src/secrets/age.ts'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { type Base, plant, postgresBase, sqliteBase } from './management-base.ts'
import type { Row } from './row.ts'
import { sample, timed } from './sample.ts'
import { ADMIN_KEY, median, quantile, type Served, serve } from './served.ts'

const USERS = 1_000_000
const BACKUPS = 3
const ASKED = 1000
const READ_EVERY_MS = 10
const WRITE_EVERY_MS = 50
const CALM_MS = 10_000
const BYTES_PER_MB = 1_000_000
const MAIN = path.join(import.meta.dirname, '..', 'packages/server/src/main.ts')

const { publicKey, privateKey } = makeAgeKeys()

export async function bench(): Promise<Row[]> {
  const sqlite = await benchEngine('SQLite', async () => sqliteBase())
  const postgres = await startPostgres()
  try {
    return [...sqlite, ...(await benchEngine('PostgreSQL', () => postgresBase(postgres.url)))]
  } finally {
    await postgres.stop()
  }
}

async function benchEngine(engine: string, open: () => Promise<Base>): Promise<Row[]> {
  const { base } = await plant(await open(), USERS)
  const target = await open()
  try {
    const settings = { ...base.settings, SCRIPTWARD_BACKUP_PUBLIC_KEY: publicKey }
    const served = await serve(base.dataDir, settings)
    const made = await measureBackups(served, await keysOf(base)).finally(() => served.stop())
    const restoreMs = await timed(() => restore(target, made.place))
    return [
      ...rowsOf(made),
      { name: 'restore, somewhere else', value: restoreMs / 1000, unit: 's', limit: '<= 120' },
    ].map((row) => ({ ...row, name: `${engine}: ${row.name}` }))
  } finally {
    await base.remove()
    await target.remove()
  }
}

async function keysOf(base: Base): Promise<string[]> {
  const rows = await base.query(`select key from users order by random() limit ${ASKED}`)
  return rows.map(({ key }) => String(key))
}

type Waits = { readonly reads: number[]; readonly writes: number[] }
type Measured = {
  readonly place: string
  readonly times: number[]
  readonly calm: Waits
  readonly beside: Waits
}

/** Calm and busy in turn, so that whatever else the machine does slows both. */
async function measureBackups(served: Served, keys: readonly string[]): Promise<Measured> {
  const times: number[] = []
  const calm: Waits = { reads: [], writes: [] }
  const beside: Waits = { reads: [], writes: [] }
  let place = ''
  for (let number = 0; number < BACKUPS; number += 1) {
    await askOthers(served, keys, { during: wait(CALM_MS), into: calm })
    const start = performance.now()
    const making = call(served, '/v1/admin/backups', {}).then((answer) => {
      times.push(performance.now() - start)
      place = (answer as { backup: { place: string } }).backup.place
    })
    await askOthers(served, keys, { during: making, into: beside })
    await making
  }
  return { place, times, calm, beside }
}

async function askOthers(
  served: Served,
  keys: readonly string[],
  { during, into }: { readonly during: Promise<unknown>; readonly into: Waits },
): Promise<void> {
  let turn = 0
  const next = () => {
    turn += 1
    return keys[turn % keys.length]
  }
  const read = () => call(served, `/v1/users/${next()}`)
  const write = () => call(served, `/v1/users/${next()}/edit`, { note: `seen ${turn}` })
  const [reads, writes] = await Promise.all([
    sample(async () => void (await read()), READ_EVERY_MS, during),
    sample(async () => void (await write()), WRITE_EVERY_MS, during),
  ])
  into.reads.push(...reads)
  into.writes.push(...writes)
}

function rowsOf({ place, times, calm, beside }: Measured): Row[] {
  const size = `${Math.round(statSync(place).size / BYTES_PER_MB)} MB`
  return [
    { name: 'backup of a million users', value: median(times) / 1000, unit: 's', limit: '<= 60', note: size },
    compare('a read beside it to a calm one', calm.reads, beside.reads),
    compare('a write beside it to a calm one', calm.writes, beside.writes),
  ]
}

function compare(name: string, calm: readonly number[], beside: readonly number[]): Row {
  const [before, during] = [quantile(calm, 0.99), quantile(beside, 0.99)]
  const note = `${during.toFixed(1)} ms; calm ${before.toFixed(1)} ms; ${beside.length} asked`
  return { name: `${name}, p99`, value: during / before, unit: 'x', limit: '<= 2', note }
}

async function restore(target: Base, file: string): Promise<void> {
  const keys = path.join(target.dataDir, 'keys')
  writeFileSync(keys, `${privateKey}\n`)
  const env = { ...process.env, ...target.settings, SCRIPTWARD_DATA_DIR: target.dataDir }
  const words = [MAIN, 'restore', file, '--private-key', keys]
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the restore ended with ${code}`)
}

async function call({ url }: Served, at: string, body?: object): Promise<unknown> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url + at, { headers, ...sent })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${at} was answered with ${response.status}: ${text}`)
  return JSON.parse(text)
}
