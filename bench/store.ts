/**
 * Measures the overhead of the store over the bare database drivers. A point read with a prepared statement
 * is compared with the same read through the driver. The changes per second of 32 concurrent writers are
 * compared with a driver that makes the same number of changes per commit or, on PostgreSQL, with 32 bare
 * connections that commit one change at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Database } from '../packages/server/src/database/engine/db.ts'
import { openDatabase } from '../packages/server/src/database/engine/open.ts'
import { findRunningUser } from '../packages/server/src/features/keys/store/users.ts'
import { startPostgres } from '../packages/server/test/postgres.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

const USERS = 200_000
const READS = 20_000
const WRITERS = 32
const ROUND_MS = 400
const ROUNDS = 5
/** Number of warm-up rounds, in which Node compiles hot code and PostgreSQL settles on its query plans. */
const WARM_ROUNDS = 5
const OWNERS = `
  insert into tiers (id, name, max_users, max_projects, max_scripts, free_for_all, obfuscations, price, max_ad_users,
    max_checkpoints, max_systems) values (1, 'bench', -1, -1, -1, -1, -1, 0, -1, -1, -1);
  insert into customers (id, api_key_hash, api_key_start, email, tier, plan_expires, created_at)
    values ('cus_1', 'h', 's', 'e', 1, 0, 0);
  insert into projects (id, customer_id, name, fingerprint_reset_cooldown, allow_fingerprint_resets,
    delete_expired_users, require_chat, require_join_chat_server, created_at)
    values ('prj_1', 'cus_1', 'bench', 0, 0, 0, 0, 0, 0);`
const INSERT = `insert into users (key, customer_id, project_id, created_at) values (?, 'cus_1', ?, ?)`

export async function bench(): Promise<Row[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const db = await openDatabase({ dataDir, isRefusal: () => false })
  const bare = new DatabaseSync(path.join(dataDir, 'scriptward.db'))
  bare.exec('pragma synchronous = full; pragma cache_size = -65536')
  fill(bare)
  try {
    return [
      ...(await benchReads(db, bare)),
      ...(await benchWrites(db, bare)),
      ...(await benchPostgres(dataDir)),
    ]
  } finally {
    bare.close()
    await db.close()
    rmSync(dataDir, { recursive: true })
  }
}

async function benchPostgres(dataDir: string): Promise<Row[]> {
  const server = await startPostgres()
  const db = await openDatabase({ dataDir, databaseUrl: server.url, isRefusal: () => false })
  const clients = Array.from({ length: WRITERS }, () => new pg.Client({ connectionString: server.url }))
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await clients[0]?.query(OWNERS)
    return await comparePostgresWrites(db, clients)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
    await db.close()
    await server.stop()
  }
}

async function comparePostgresWrites(db: Database, clients: readonly pg.Client[]): Promise<Row[]> {
  const own: number[] = []
  const bare: number[] = []
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
    own.push(await ownWrites(db, round))
    bare.push(await barePostgresWrites(clients, round))
  }
  own.splice(0, WARM_ROUNDS)
  bare.splice(0, WARM_ROUNDS)
  const ratios = own.map((count, round) => count / (bare[round] ?? 0))
  const note = `${WRITERS} writers at once`
  return [
    { name: 'PostgreSQL: changes committed', value: median(own), unit: '/s', note },
    { name: 'PostgreSQL: bare connections, one in a commit', value: median(bare), unit: '/s' },
    {
      name: 'PostgreSQL: changes relative to the bare connections',
      value: median(ratios),
      unit: 'x',
      limit: '>= 0.5',
    },
  ]
}

async function barePostgresWrites(clients: readonly pg.Client[], round: number): Promise<number> {
  const end = performance.now() + ROUND_MS
  let written = 0
  const text = `insert into users (key, customer_id, project_id, created_at) values ($1, 'cus_1', $2, $3)`
  const writer = async (client: pg.Client, lane: number): Promise<void> => {
    for (let number = 0; performance.now() < end; number += 1) {
      await client.query({ name: 'bare', text, values: [`b${round}-${lane}-${number}`, 'prj_1', number] })
      written += 1
    }
  }
  await Promise.all(clients.map(writer))
  return (written / ROUND_MS) * 1000
}

/** Generates keys in a different order than the rows, so that reads jump around the file as real reads do. */
const keyOf = (number: number): string => `${(number * 7919) % USERS}`.padStart(32, 'k')

function fill(bare: DatabaseSync): void {
  bare.exec(`begin; ${OWNERS}`)
  const insert = bare.prepare(INSERT)
  for (let number = 0; number < USERS; number += 1) insert.run(keyOf(number), 'prj_1', number)
  bare.exec('commit')
}

async function benchReads(db: Database, bare: DatabaseSync): Promise<Row[]> {
  const statement = bare.prepare('select * from users where key = ? and project_id = ?')
  const ownUs: number[] = []
  const bareUs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    let start = performance.now()
    for (let read = 0; read < READS; read += 1) await findRunningUser(db.read, 'prj_1', keyOf(read * 31))
    ownUs.push(((performance.now() - start) / READS) * 1000)
    start = performance.now()
    for (let read = 0; read < READS; read += 1) statement.get(keyOf(read * 31), 'prj_1')
    bareUs.push(((performance.now() - start) / READS) * 1000)
  }
  return [
    {
      name: 'SQLite: point read of a user',
      value: median(ownUs),
      unit: 'µs',
      note: `${USERS} users, SQLite`,
    },
    { name: 'SQLite: the same on the bare binding', value: median(bareUs), unit: 'µs' },
    {
      name: 'SQLite: point read relative to the bare binding',
      value: median(ownUs) / median(bareUs),
      unit: 'x',
    },
  ]
}

async function benchWrites(db: Database, bare: DatabaseSync): Promise<Row[]> {
  const own: number[] = []
  const grouped: number[] = []
  const single: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await ownWrites(db, round))
    grouped.push(bareWrites(bare, `g${round}`, WRITERS))
    single.push(bareWrites(bare, `s${round}`, 1))
  }
  const note = `${WRITERS} writers at once, synchronous = full`
  return [
    { name: 'SQLite: changes committed', value: median(own), unit: '/s', note },
    { name: 'SQLite: bare binding, 32 in a commit', value: median(grouped), unit: '/s' },
    { name: 'SQLite: bare binding, one in a commit', value: median(single), unit: '/s' },
    {
      name: 'SQLite: changes relative to the bare binding with 32 in a commit',
      value: median(own) / median(grouped),
      unit: 'x',
      limit: '>= 0.5',
    },
  ]
}

async function ownWrites(db: Database, round: number): Promise<number> {
  const end = performance.now() + ROUND_MS
  let written = 0
  const writer = async (lane: number): Promise<void> => {
    for (let number = 0; performance.now() < end; number += 1) {
      const row = {
        key: `${round}-${lane}-${number}`,
        customer_id: 'cus_1',
        project_id: 'prj_1',
        created_at: number,
      }
      await db.transaction((tx) => tx.insertInto('users').values(row).execute())
      written += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, lane) => writer(lane)))
  return (written / ROUND_MS) * 1000
}

function bareWrites(bare: DatabaseSync, name: string, inCommit: number): number {
  const insert = bare.prepare(INSERT)
  const end = performance.now() + ROUND_MS
  let written = 0
  while (performance.now() < end) {
    bare.exec('begin immediate')
    for (let one = 0; one < inCommit; one += 1) {
      insert.run(`${name}-${written}`, 'prj_1', written)
      written += 1
    }
    bare.exec('commit')
  }
  return (written / ROUND_MS) * 1000
}
