/**
 * Tests that a second server on the same PostgreSQL database refuses to start unless both share a Valkey
 * server. Without Valkey, each would count limits and sessions separately.
 */
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { examine } from '../../src/cli/doctor.ts'
import { type Location, postgres } from '../databases.ts'
import { ADMIN_KEY, startServer, type TestServer } from '../harness.ts'
import { until } from '../patience.ts'
import { startValkey } from './valkey-server.ts'

const OTHER = 'SCRIPTWARD_DATABASE_URL: another server is using this database'
/** The database server is shared with other workers, whose tests also wait for locks. */
const LOCKS = `select pid from pg_locks where locktype = 'advisory'
  and database = (select oid from pg_database where datname = current_database())`

let location: Location
let first: TestServer
let client: pg.Client
beforeEach(async () => {
  location = await postgres.locateMigrated()
  first = await startServer(postgres, { location })
  client = new pg.Client({ connectionString: location.databaseUrl })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await first.stop()
  await location.remove()
})

const locks = async (state: 'granted' | 'not granted') =>
  (await client.query<{ pid: number }>(`${LOCKS} and ${state}`)).rows
const isServing = async (server: TestServer) => (await fetch(`${server.url}/readyz`)).ok

it('a second server is rejected with a hint until the first has stopped', async () => {
  await expect(startServer(postgres, { location })).rejects.toThrow(
    `${OTHER}: stop it. To run several processes of one server, give all of them the same keyring and the same SCRIPTWARD_VALKEY_URL`,
  )
  expect(await isServing(first)).toBe(true)
  await first.stop()
  first = await startServer(postgres, { location })
  expect(await isServing(first)).toBe(true)
})

it('a process with Valkey is rejected next to a server without it, and several with Valkey are not', async () => {
  const valkey = await startValkey()
  const shared = { location, config: { valkeyUrl: valkey.url } }
  await expect(startServer(postgres, shared)).rejects.toThrow(`${OTHER} without SCRIPTWARD_VALKEY_URL`)
  await first.stop()
  first = await startServer(postgres, shared)
  const second = await startServer(postgres, shared)
  await expect(startServer(postgres, { location })).rejects.toThrow(`${OTHER}: stop it`)
  await second.stop()
  await first.stop()
  await valkey.remove()
  first = await startServer(postgres, { location })
})

it('the doctor reports another server on the database, and not the one that runs here', async () => {
  const settings = { SCRIPTWARD_DATABASE_URL: location.databaseUrl, SCRIPTWARD_DATA_DIR: location.dataDir }
  const found = async (port: string) =>
    (await examine({ ...settings, SCRIPTWARD_PORT: port, SCRIPTWARD_ADMIN_KEY: ADMIN_KEY })).find(
      ({ name }) => name === 'database',
    )
  expect(await found('0')).toMatchObject({ state: 'wrong', text: expect.stringContaining(OTHER) })
  expect(await found(new URL(first.url).port)).toMatchObject({ state: 'ok' })
})

it('the lock is acquired again after its connection is lost, and the log names the holder if that fails', async () => {
  const [held] = await locks('granted')
  const other = new pg.Client({ connectionString: location.databaseUrl })
  await other.connect()
  const taking = other.query('select pg_advisory_lock($1)', [await keyOf(client, held?.pid ?? 0)])
  await until(async () => (await locks('not granted')).length > 0)
  await client.query('select pg_terminate_backend($1)', [held?.pid])
  await taking
  await until(() => first.log.some((line) => line.includes(`${OTHER}: stop it`)))
  await other.end()
  await until(async () => (await locks('granted')).some(({ pid }) => pid !== held?.pid))
  await expect(startServer(postgres, { location })).rejects.toThrow(OTHER)
})

/** PostgreSQL shows the number of an advisory lock split over two columns. */
async function keyOf(at: pg.Client, pid: number): Promise<string> {
  const { rows } = await at.query(
    "select ((classid::bigint << 32) | objid::bigint)::text as key from pg_locks where locktype = 'advisory' and pid = $1",
    [pid],
  )
  return String(rows[0]?.key)
}
