/**
 * Inserts running scripts into the database, with the same rows as real executions. Each script has its own
 * user.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../../packages/server/src/database/engine/db.ts'
import { openDatabase } from '../../packages/server/src/database/engine/open.ts'
import type { Deps } from '../../packages/server/src/deps.ts'
import { sealBeatStates, sealSecrets } from '../../packages/server/src/features/sessions/instances.ts'
import { openKeyring, type Secrets } from '../../packages/server/src/platform/secrets/keyring.ts'
import { ADMIN_KEY } from '../served.ts'
import type { Instance } from '../sessions-server.ts'

/** The database and keyring of a running server. */
export type Store = { readonly db: Database; readonly secrets: Secrets }
export type Home = { readonly customerId: string; readonly projectId: string; readonly scriptId: string }

type Made = { readonly exec: string; readonly user: string; readonly ws: Buffer; readonly beat: Buffer }

const ROWS_AT_ONCE = 250
const HOUR_MS = 3_600_000
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }

export async function openStore(dataDir: string, databaseUrl?: string): Promise<Store> {
  const db = await openDatabase({ dataDir, databaseUrl, isRefusal: () => false })
  return { db, secrets: await openKeyring({ dataDir }, randomBytes, false) }
}

export async function makeHome(url: string, { db }: Store): Promise<Home> {
  const { project_id: projectId = '' } = await post(url, '/v1/projects/new', { name: 'Scale' })
  const script = { name: 'Script', script: 'print("it runs")' }
  const { script_id: scriptId = '' } = await post(url, `/projects/${projectId}/scripts/new`, script)
  const owner = await db.read.selectFrom('customers').select('id').executeTakeFirstOrThrow()
  return { customerId: owner.id, projectId, scriptId }
}

/** Adds users without runs. `changes` overrides columns of each added user. */
export async function addUsers(
  { db }: Store,
  { projectId, customerId }: Home,
  keys: readonly string[],
  changes: Readonly<Record<string, number>> = {},
): Promise<void> {
  const common = { project_id: projectId, customer_id: customerId, created_at: Date.now(), ...changes }
  for (const some of inParts(keys))
    await db.transaction((tx) =>
      tx
        .insertInto('users')
        .values(some.map((key) => ({ key, ...common })))
        .execute(),
    )
}

export async function addRunning(store: Store, home: Home, count: number): Promise<Instance[]> {
  const made = Array.from({ length: count }, (): Made => {
    const [exec, user] = [randomBytes(16).toString('base64url'), randomBytes(16).toString('hex')]
    return { exec, user, ws: randomBytes(32), beat: randomBytes(32) }
  })
  await addUsers(
    store,
    home,
    made.map(({ user }) => user),
  )
  for (const some of inParts(made)) {
    const rows = some.map((one) => rowOf(store, home, one))
    await store.db.transaction((tx) => tx.insertInto('instances').values(rows).execute())
  }
  return made.map(({ exec, ws, beat }) => ({ exec, ws: ws.toString('hex'), beat: beat.toString('hex') }))
}

function rowOf({ secrets }: Store, { projectId, scriptId }: Home, { exec, user, ws, beat }: Made) {
  const deps = { secrets } as Deps
  const now = Date.now()
  return {
    ...{ exec, project_id: projectId, script_id: scriptId, user_key: user, device: null },
    ...{ script_version: 1, executor: 'luajit', runtime: 'luajit' },
    ...{ game_user_id: '1', place_id: '2', job_id: '3' },
    ...{ granted_at: now, last_seen: now, expires_at: now + HOUR_MS, variables_digest: null },
    ws_required: 0 as const,
    secrets: sealSecrets(deps, exec, { ws, payload: ws, lease: ws }),
    beat_keys: sealBeatStates(deps, exec, 0, { current: beat, former: beat }),
  }
}

function inParts<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / ROWS_AT_ONCE)
  return Array.from({ length: count }, (_, i) => all.slice(i * ROWS_AT_ONCE, (i + 1) * ROWS_AT_ONCE))
}

async function post(url: string, to: string, body: object): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(url + to, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${to}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Readonly<Record<string, string>>
}
