/**
 * Setup that most tests use, created through the API: an account with a project, scripts, users and a bound
 * device.
 */
import { insertUserDevice } from '../src/features/devices/store/user-devices.ts'
import { insertUserFingerprints } from '../src/features/devices/store/user-fingerprints.ts'
import { type UserChanges, updateUser } from '../src/features/keys/store/users.ts'
import type { Client, NewCustomer, Owner, TestServer } from './harness.ts'
import { rowsOf } from './stored.ts'

type Members = Readonly<Record<string, unknown>>

/** A time in the past, for expired accounts. */
export const LONG_AGO = 1_000_000_000_000

export async function createProject(owner: Client, members: Members = {}): Promise<string> {
  return (await owner.post('/v1/projects/new', { name: 'Project', ...members })).string('project_id')
}

export type Owned = { readonly owner: Owner; readonly project: string }

/** Creates an account with a project. */
export async function createOwner(
  server: Pick<TestServer, 'createCustomer'>,
  account: NewCustomer = {},
  members: Members = {},
): Promise<Owned> {
  const owner = await server.createCustomer(account)
  return { owner, project: await createProject(owner, members) }
}

export async function createUser(owner: Client, project: string, members: Members = {}): Promise<string> {
  return (await owner.post(`/projects/${project}/users/new`, members)).string('user_key')
}

export async function readUser(owner: Client, key: string): Promise<Members> {
  return (await owner.get(`/v1/users/${key}`)).body.user as Members
}

/** Expires an account that had to be active during setup. */
export async function expire(server: TestServer, customerId: string): Promise<void> {
  await server.admin.post(`/v1/admin/customers/${customerId}/edit`, { plan_expires: LONG_AGO })
}

/** Changes columns that normally change only through an execution or a block. */
export async function changeUser(server: TestServer, key: string, changes: UserChanges): Promise<void> {
  await server.deps.db.transaction(async (tx) => {
    const { project_id } = await tx
      .selectFrom('users')
      .select('project_id')
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    await updateUser(tx, project_id, key, changes)
  })
}

/** The ID of the device that `bindDevice` binds to a key. */
export const deviceOf = (key: string): string => `dev_${key}`

export async function bindDevice(server: TestServer, project: string, key: string): Promise<void> {
  const display = { ip: '203.0.*.*', fingerprint: '3fa9…c17e', executor: 'Wa**' }
  await changeUser(server, key, {
    fingerprint_assigned: 1,
    fingerprint_display: JSON.stringify(display),
    executor: 'Wave',
  })
  const id = deviceOf(key)
  const owner = { user_key: key, project_id: project }
  const component = { ...owner, component: 'machine_id', strength: 3, hash: 'ab12', device: id }
  await server.deps.db.transaction(async (tx) => {
    await insertUserDevice(tx, { ...owner, id, display: JSON.stringify(display) })
    await insertUserFingerprints(tx, [component])
  })
}

export async function countComponents(server: TestServer, key: string): Promise<number> {
  const rows = await rowsOf(server, 'user_fingerprints', { user_key: key })
  return rows.length
}

export async function createScript(owner: Client, project: string, members: Members = {}): Promise<string> {
  const body = { name: 'Script', script: 'print("hi")', ...members }
  return (await owner.post(`/projects/${project}/scripts/new`, body)).string('script_id')
}

/** Creates a tier with only the given limits. */
export async function createTier(
  server: TestServer,
  limits: Readonly<Record<string, number>>,
): Promise<number> {
  const { tiers } = (await server.admin.get('/v1/admin/tiers')).body as { tiers: { id: number }[] }
  const id = Math.max(...tiers.map((tier) => tier.id)) + 1
  await server.admin.put(`/v1/admin/tiers/${id}`, { name: `tier ${id}`, price: 0, ...NO_LIMITS, ...limits })
  return id
}

export async function readAccount(owner: Owner): Promise<Members> {
  return (await owner.get(`/customers/${owner.apiKey}`)).body.customer as Members
}

/** The limits of an unlimited tier. */
export const NO_LIMITS = {
  max_users: -1,
  max_projects: -1,
  max_scripts: -1,
  free_for_all: -1,
  obfuscations: -1,
  max_ad_users: -1,
  max_checkpoints: -1,
  max_systems: -1,
}
