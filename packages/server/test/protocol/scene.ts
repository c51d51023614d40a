/**
 * Test setup for executions: an account with a project, a script and users, inserted directly into a server's
 * database.
 */
import type { Insertable } from 'kysely'
import { newId } from '../../src/api/ids.ts'
import type { Tables } from '../../src/database/schema/tables.ts'
import { newUserKey } from '../../src/features/accounts/credentials.ts'
import { pack } from '../../src/features/builds/lz4.ts'
import { insertUser } from '../../src/features/keys/store/users.ts'
import { insertProject } from '../../src/features/projects/store/projects.ts'
import { insertActivation } from '../../src/features/scripts/store/script-activations.ts'
import { insertScriptVersion } from '../../src/features/scripts/store/script-versions.ts'
import { insertScript } from '../../src/features/scripts/store/scripts.ts'
import type { Owner, TestServer } from '../harness.ts'
import { ProtocolClient } from './client.ts'

/** The parts of a server that a scene needs; the server may run in another process. */
export type SceneServer = Pick<TestServer, 'url' | 'createCustomer'> & {
  readonly deps: Pick<TestServer['deps'], 'now' | 'random' | 'db' | 'secrets'>
}

type Changes<T extends keyof Tables> = Partial<Insertable<Tables[T]>>

export type Scene = {
  readonly owner: Owner
  readonly customerId: string
  readonly projectId: string
  readonly scriptId: string
  readonly client: ProtocolClient
  addUser(changes?: Changes<'users'>): Promise<string>
  edit<T extends 'customers' | 'projects' | 'scripts' | 'users'>(
    table: T,
    changes: Changes<T>,
    key?: string,
  ): Promise<void>
}

export const TEXT = 'return function(ward, ...) return "payload of the scene" end'

export async function makeScene(
  server: SceneServer,
  script: Changes<'scripts'> = {},
  text = TEXT,
): Promise<Scene> {
  const { now, random, db, secrets } = server.deps
  const owner = await server.createCustomer({ tier: 0 })
  const projectId = newId('prj', now(), random)
  const scriptId = newId('scr', now(), random)
  await db.transaction(async (tx) => {
    await insertProject(tx, { ...PROJECT, id: projectId, customer_id: owner.id, created_at: now() })
    await insertScript(tx, { ...SCRIPT, id: scriptId, project_id: projectId, created_at: now(), ...script })
    const source = secrets.seal('source', scriptId, text)
    await insertScriptVersion(tx, { ...version(scriptId, text, now()), source })
    await insertActivation(tx, { script_id: scriptId, activated_at: now(), version: 1 })
  })
  return {
    owner,
    customerId: owner.id,
    projectId,
    scriptId,
    client: new ProtocolClient(server.url),
    addUser: (changes) => addUser(server, projectId, changes),
    async edit(table, changes, key) {
      const ids = { customers: owner.id, projects: projectId, scripts: scriptId, users: key }
      await edit(server, { table, id: ids[table] ?? '', changes })
    },
  }
}

const PROJECT = {
  name: 'Garden',
  fingerprint_reset_cooldown: 3_600_000,
  allow_fingerprint_resets: 1,
  delete_expired_users: 0,
  require_chat: 0,
  require_join_chat_server: 0,
} as const

const SCRIPT = {
  name: 'main',
  free_for_all: 0,
  use_heartbeat: 1,
  kick_outdated: 0,
  require_sessions: 0,
  silent: 0,
  version: 1,
} as const

function version(scriptId: string, text: string, now: number) {
  return {
    script_id: scriptId,
    version: 1,
    preset: 'light',
    created_at: now,
    source_bytes: text.length,
    payload: pack(text),
    payload_size: text.length,
    report: '{}',
    duration_ms: 1,
  }
}

async function addUser(
  server: SceneServer,
  projectId: string,
  changes: Changes<'users'> = {},
): Promise<string> {
  const { db, now, random } = server.deps
  const key = newUserKey(random)
  await db.transaction((tx) => insertUser(tx, { key, project_id: projectId, created_at: now(), ...changes }))
  return key
}

type Edit = {
  readonly table: 'customers' | 'projects' | 'scripts' | 'users'
  readonly id: string
  readonly changes: object
}

async function edit({ deps }: SceneServer, { table, id, changes }: Edit): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const query = tx.updateTable(table).set(changes)
    if (table === 'users') await query.where('key', '=', id).execute()
    else await query.where('id', '=', id).execute()
  })
}
