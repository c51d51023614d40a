/**
 * What access control adds: the processor time of a read by a token beyond one by an API key, and the time of a write with
 * its audit entry beside the same write of a service without it. Both in turn, round by round, on both engines.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { type Base, postgresBase, sqliteBase } from './management-base.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, processorNs, type Served, serve } from './served.ts'

const USERS = 10_000
const ROUNDS = 7
const WARM_ROUNDS = 2
const DRIVE_S = 2
const WRITERS = 32
const WITHOUT_AUDIT = { NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'without-audit.ts')}` }
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }

type Asked = { readonly secret: string; readonly method: 'GET' | 'POST'; readonly clients: number }
/** Microseconds of a request: of the processor, and until the next one is answered. */
type Cost = { readonly processor: number; readonly time: number }

export async function bench(): Promise<Row[]> {
  const rows = await benchEngine('SQLite', async () => sqliteBase(), { limit: '<= 3' })
  const postgres = await startPostgres()
  try {
    return [...rows, ...(await benchEngine('PostgreSQL', () => postgresBase(postgres.url), {}))]
  } finally {
    await postgres.stop()
  }
}

async function benchEngine(
  engine: string,
  open: () => Promise<Base>,
  bound: { readonly limit?: string },
): Promise<Row[]> {
  const [base, bare] = [await open(), await open()]
  for (const one of [base, bare]) await plant(engine, one)
  const audited = await serve(base.dataDir, base.settings)
  const silent = await serve(bare.dataDir, { ...bare.settings, ...WITHOUT_AUDIT })
  try {
    return [
      { ...(await compareReads(engine, audited)), ...bound },
      ...(await compareWrites(engine, audited, silent, bare)),
    ]
  } finally {
    await Promise.all([audited.stop(), silent.stop()])
    await Promise.all([base.remove(), bare.remove()])
  }
}

/** A project, whose users are written past the service. */
async function plant(engine: string, { dataDir, settings, query }: Base): Promise<void> {
  const served = await serve(dataDir, settings)
  await post(served, '/v1/projects/new', { name: 'Bench' })
  await served.stop()
  const key = engine === 'SQLite' ? "printf('%032d', i)" : "lpad(i::text, 32, '0')"
  await query(
    `insert into users (key, customer_id, project_id, note, created_at)
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${USERS})
     select ${key}, customer_id, id, 'a note', 0 from n, projects`,
  )
}

async function compareReads(engine: string, served: Served): Promise<Row> {
  const made = await post(served, '/v1/tokens/new', { name: 'Bench', scopes: ['users:read'] })
  const read = (secret: unknown) =>
    costOf(served, { secret: String(secret), method: 'GET', clients: 1 }).then(({ processor }) => processor)
  const [byToken, byKey] = await inTurn(
    () => read(made.secret),
    () => read(ADMIN_KEY),
  )
  const beyond = byToken.map((cost, round) => cost - (byKey[round] ?? 0))
  const note = `${median(byToken).toFixed(1)} µs by token, ${median(byKey).toFixed(1)} by API key`
  return { name: `${engine}: a read by token beyond one by API key`, value: median(beyond), unit: 'µs', note }
}

async function compareWrites(engine: string, audited: Served, silent: Served, bare: Base): Promise<Row[]> {
  const asked = { secret: ADMIN_KEY, method: 'POST', clients: WRITERS } as const
  const [own, plain] = await inTurn(
    () => costOf(audited, asked),
    () => costOf(silent, asked),
  )
  const entries = await bare.query("select count(*) as count from audit_entries where action = 'users.edit'")
  if (Number(entries[0]?.count) > 0) throw new Error('the service without audit entries writes some')
  const ratioOf = (member: keyof Cost) =>
    median(own.map((cost, i) => cost[member] / (plain[i]?.[member] ?? 0)))
  const name = `${engine}: an audited write to one without its entry`
  return [
    { name: `${name}, time`, value: ratioOf('time'), unit: 'x', limit: '<= 1.1', note: `${WRITERS} clients` },
    { name: `${name}, processor`, value: ratioOf('processor'), unit: 'x' },
  ]
}

/** The same number of each, in turn; the first ones only warm up. */
async function inTurn<T>(one: () => Promise<T>, other: () => Promise<T>): Promise<[T[], T[]]> {
  const [ones, others]: [T[], T[]] = [[], []]
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
    ones.push(await one())
    others.push(await other())
  }
  return [ones.slice(WARM_ROUNDS), others.slice(WARM_ROUNDS)]
}

async function costOf({ url, pid }: Served, { secret, method, clients }: Asked): Promise<Cost> {
  const script = path.join(import.meta.dirname, 'access.lua')
  const args = ['-t1', `-c${clients}`, `-d${DRIVE_S}`, '-s', script, url, '--', secret, method, String(USERS)]
  const before = processorNs(pid)
  const { stdout } = await promisify(execFile)('wrk', args)
  const spent = processorNs(pid) - before
  const [count = Number.NaN, us = Number.NaN] = (stdout.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number)
  if (Number.isNaN(count) || Number.isNaN(us)) throw new Error(stdout)
  return { processor: spent / 1000 / count, time: us / count }
}

async function post({ url }: Served, at: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url + at, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Record<string, unknown>
}
