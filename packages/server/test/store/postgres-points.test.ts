/** Single rows of PostgreSQL: what is said on their connection, and what it stands. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isUnavailable } from '../../src/store/dialect.ts'
import { PostgresPoints } from '../../src/store/postgres-points.ts'
import { prepared } from '../../src/store/prepared.ts'
import { makeCertificate } from '../certificate.ts'
import { postgres, type TestDatabase } from '../databases.ts'
import { runRaw } from './raw.ts'
import { tier } from './rows.ts'

const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

/** The number of the message (PostgreSQL 15, 55.7). */
const SSL_REQUEST = 80877103

const VALUES = sql`select 7::smallint as small, -12::int as whole, 9007199254740991::bigint as large,
  -9007199254740991::bigint as low, 0.1::numeric as exact, 1.5e300::float8 as wide, 'NaN'::float8 as none,
  '-Infinity'::float8 as below, true as yes, '\\x00ff41'::bytea as bytes, null::bigint as nothing, null::text as silence,
  ''::text as empty, 'plain' as plain, 'ä\u{1f600} after' as wider, 'last' as last, '{"a": [1]}'::jsonb as json,
  array['x', 'y'] as list, ${'z'.repeat(3000)}::text as long`

const everything = prepared((db, p: { id: number }) =>
  db.selectFrom('tiers').selectAll().where('id', '=', p.id),
)
const echoOf = prepared(
  (_, p: { text: string }) => sql<{ text: string }>`select ${p.text}::text as text from tiers where id = 1`,
)
const sumOf = prepared(
  (_, p: { a: number; b: number }) =>
    sql<{ sum: number }>`select ${p.a}::bigint + ${p.b} as sum from tiers where id = 1`,
)
const laterOf = prepared(
  (_, p: { id: number }) => sql<{ id: number }>`select id from later where id = ${p.id}`,
)

const messageOf = (error: Error) => error.message

describe('single rows of PostgreSQL', () => {
  let db: TestDatabase

  beforeEach(async () => {
    db = await postgres.open()
    await db.transaction((tx) => tx.insertInto('tiers').values(tier).execute())
  })
  afterEach(() => db.remove())

  const readEverything = (count: number) =>
    Promise.all(Array.from({ length: count }, () => everything.first(db.readPoint, { id: 1 })))

  test('have the values that any other read has', async () => {
    const { rows } = await VALUES.execute(db.read)
    expect((await VALUES.execute(db.readPoint)).rows).toEqual(rows)
    expect(rows[0]).toMatchObject({ low: -9007199254740991, wider: 'ä\u{1f600} after', last: 'last' })
  })

  test('are found by values of every kind, and what is no value fails nobody else', async () => {
    const values = ['text', 1.5, true, 12n, null, undefined, Buffer.from([0, 255])]
    const types = ['text', 'float8', 'bool', 'bigint', 'int', 'text', 'bytea']
    const columns = values.map(
      (value, index) => sql`${value}::${sql.raw(types[index] ?? '')} as ${sql.id(`c${index}`)}`,
    )
    const query = sql`select ${sql.join(columns)}`
    const wrong = sql`select ${{ an: 'object' }}::text`.execute(db.readPoint).catch(messageOf)
    const [found, refused] = await Promise.all([query.execute(db.readPoint), wrong])
    expect(found.rows).toEqual((await query.execute(db.read)).rows)
    expect(refused).toBe('no parameter of a statement: object')
  })

  test('are found by numbers up to the largest ones, asked for at once', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const pairs = [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, most, -most].map((a) => ({
      a,
      b: a > 0 ? -1 : 1,
    }))
    const rows = await Promise.all(pairs.map((pair) => sumOf.first(db.readPoint, pair)))
    expect(rows.map((row) => row?.sum)).toEqual(pairs.map(({ a, b }) => a + b))
  })

  test('are whole however long they are, and whatever comes with them', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => `${index} ${'aö\u{1f600}'.repeat(index * 400)}`)
    const rows = await Promise.all(texts.map((text) => echoOf.first(db.readPoint, { text })))
    expect(rows.map((row) => row?.text)).toEqual(texts)
    const long = 'x'.repeat(3_000_000)
    expect((await echoOf.first(db.readPoint, { text: long }))?.text).toBe(long)
  })

  test.each([1, 40])(
    'are found with the columns that another process adds meanwhile, %i at once',
    async (count) => {
      await readEverything(count)
      await runRaw(db.location, 'alter table tiers add column added int not null default 5')
      const rows = await readEverything(count)
      expect(rows).toEqual(Array(count).fill({ ...tier, added: 5 }))
    },
  )

  test.each([1, 40])('are found by statements that the server has forgotten, %i at once', async (count) => {
    const before = await readEverything(count)
    await sql`deallocate all`.execute(db.readPoint)
    expect(await readEverything(count)).toEqual(before)
  })

  test.each([1, 40])(
    'fail with what is wrong with a statement until nothing is, %i at once',
    async (count) => {
      const ask = () => laterOf.first(db.readPoint, { id: 3 }).catch(messageOf)
      const askAll = () => Promise.all(Array.from({ length: count }, ask))
      expect(await askAll()).toEqual(Array(count).fill('relation "later" does not exist'))
      await runRaw(db.location, 'create table later as select 3 as id')
      expect(await askAll()).toEqual(Array(count).fill({ id: 3 }))
    },
  )

  test('that wait when the connection is lost fail as unavailable, and the next ones are answered', async () => {
    await readEverything(2)
    const sleeping = sql`select pg_sleep(20)`.execute(db.readPoint)
    const waiting = Array.from({ length: 40 }, () => everything.first(db.readPoint, { id: 1 }))
    const failures = Promise.all([sleeping, ...waiting].map((one) => one.catch(isUnavailable)))
    await runRaw(db.location, END_OTHERS)
    expect(await failures).toEqual(Array(41).fill(true))
    expect(db.load().waiting).toBe(0)
    expect(await readEverything(3)).toEqual(Array(3).fill(tier))
  })

  test('that were asked for before the database was closed are answered', async () => {
    await readEverything(1)
    const asked = readEverything(40)
    const closed = db.close()
    expect(await asked).toEqual(Array(40).fill(tier))
    await closed
    expect(db.load().connections).toBe(0)
    await db.location.remove()
    db = await postgres.open()
  })

  test('that were asked for before there was a connection are counted, and answered when it is closed', async () => {
    const asked = readEverything(40)
    const closed = db.close()
    expect(db.load().waiting).toBe(40)
    expect(await asked).toEqual(Array(40).fill(tier))
    await closed
    await db.location.remove()
    db = await postgres.open()
  })

  test('are found over TLS', async () => {
    const between = await relay(db.location.databaseUrl ?? '', makeCertificate())
    const ssl = { rejectUnauthorized: false }
    const points = new PostgresPoints({
      connectionString: between.url,
      ssl,
      silenceMs: 60_000,
      parsers: () => String,
    })
    const ask = (id: number) =>
      points.first({ sql: 'select name from tiers where id = $1', statement: 'name' }, [id])
    expect(await Promise.all([1, 2, 1].map(ask))).toEqual([{ name: tier.name }, null, { name: tier.name }])
    await points.close()
    between.close()
  })

  test('fail when what comes over the network is no answer, and the next ones do not', async () => {
    const between = await relay(db.location.databaseUrl ?? '')
    const points = new PostgresPoints({
      connectionString: between.url,
      silenceMs: 60_000,
      parsers: () => String,
    })
    const ask = (text: string) => points.first({ sql: text, statement: `s${text.length}` }, [])
    await ask('select 1 as one')
    const waiting = ['select pg_sleep(60)', 'select 22 as two'].map((text) => ask(text).catch(messageOf))
    between.say(Buffer.from([0x44, 0, 0, 0, 0]))
    expect(await Promise.all(waiting)).toEqual(Array(2).fill('PostgreSQL answered with what is no message'))
    expect(await ask('select 1 as one')).toEqual({ one: 1 })
    await points.close()
    between.close()
  })

  test('fail as unavailable when the network is silent, and come over another connection afterwards', async () => {
    const config = { connectionString: db.location.databaseUrl, silenceMs: 200, parsers: () => String }
    const points = new PostgresPoints(config)
    const ask = (text: string) => points.first({ sql: text, statement: `s${text.length}` }, [])
    expect(isUnavailable(await ask('select pg_sleep(60)').catch((error) => error))).toBe(true)
    expect(await ask('select 1 as one')).toEqual({ one: 1 })
    await points.close()
  })
})

/** Stands between a client and the server at `url`, and can say something in its place. With a certificate it speaks TLS to the client. */
async function relay(url: string, certificate?: { readonly key: Buffer; readonly cert: Buffer }) {
  const { hostname, port } = new URL(url)
  const clients = new Set<Socket>()
  const server = createServer(async (plain) => {
    const client = certificate === undefined ? plain : await secured(plain, certificate)
    const upstream = connect(Number(port), hostname)
    clients.add(client.on('error', () => {}).on('close', () => clients.delete(client)))
    client.pipe(upstream.on('error', () => {})).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    say: (bytes: Buffer) => {
      for (const client of clients) client.write(bytes)
    },
    close: () => server.close(),
  }
}

/** Says yes to a client that asks for TLS before anything else, as PostgreSQL does. */
async function secured(plain: Socket, certificate: { readonly key: Buffer; readonly cert: Buffer }) {
  const [asked] = (await once(plain, 'data')) as [Buffer]
  expect(asked.readInt32BE(4)).toBe(SSL_REQUEST)
  plain.write('S')
  return new TLSSocket(plain, { isServer: true, ...certificate })
}
