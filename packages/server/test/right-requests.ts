/**
 * Provides a valid body for each endpoint that changes data, and the state that the request needs to succeed.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Endpoint } from '../src/api/endpoint.ts'
import { issueOnce } from '../src/features/access/single-use.ts'
import { insertWaitingApiKey } from '../src/features/accounts/store/waiting-api-keys.ts'
import { insertBot } from '../src/features/discord/store/bots.ts'
import { exampleOf } from './examples.ts'
import type { Client, TestServer } from './harness.ts'
import { bindDevice } from './nouns.ts'
import { adKey, discordBot } from './store/rows.ts'
import { CHECKPOINT, type ResourceIds } from './subjects.ts'

/** Removes the API family from the name. Both families accept the same bodies. */
const nameOf = ({ name }: Endpoint): string => name.replace(/^v1\./, '')

type Body = (nouns: ResourceIds) => object
const BODIES: Readonly<Record<string, Body>> = {
  'projectUsers.export': () => ({ type: 'json' }),
  'projectUsers.resetAll': () => ({}),
  'projectUsers.purge': () => ({}),
  'projectUsers.clear': () => ({}),
  'projectUsers.bulk': ({ user_key }) => ({ keys: [user_key], action: 'blacklist' }),
  'users.blacklist': () => ({ expires: null, reason: 'shared the key' }),
  'bans.create': () => ({ kind: 'network', value: '203.0.113.0/24' }),
  'bans.preview': () => ({ kind: 'network', value: '203.0.113.0/24' }),
  'variables.replace': () => ({ version: 0, variables: { motd: { value: 'hello' } } }),
  'serverFunctions.put': () => ({ source: 'return function() return 3 end' }),
  'serverFunctions.try': () => ({ values: [] }),
  'executorRules.edit': () => ({ mode: 'watch', rules: [{ action: 'deny', executor: 'Garden' }] }),
  'scriptErrors.edit': () => ({ state: 'resolved' }),
  'releases.start': () => ({ percent: 10 }),
  // The time must be far in the future, because tests move the clock by years.
  'announcements.create': () => ({ text: 'Back at ten', level: 'info', until: 4_102_444_800_000 }),
  'users.link': () => ({ chat_id: '12345', force: true }),
  'discord.edit': () => ({ staff: [] }),
  'adSystems.create': ({ project_id }) => ({ project_id, name: 'More ads' }),
  'adSystems.edit': () => ({ name: 'Other ads' }),
  'adCheckpoints.create': () => CHECKPOINT,
  'adCheckpoints.swap': () => ({ index: 0 }),
  'plans.edit': () => ({ name: 'Another plan' }),
  'plans.remove': () => ({}),
  'members.invite': () => ({ email: `${randomBytes(8).toString('hex')}@example.com`, role: 'reader' }),
  'members.edit': () => ({ role: 'reader' }),
  'admin.people.objection': () => ({}),
  'webhooks.create': () => ({ name: 'Till', address: 'https://hooks.example.com/till' }),
  'webhooks.test': () => ({ webhook_id: 'execution' }),
  'admin.customers.create': () => ({ tier: 0, email: `${randomBytes(8).toString('hex')}@example.com` }),
}

type State = (server: TestServer, owner: Client, nouns: ResourceIds) => Promise<unknown>
const prepared: State = (_, owner, { system_id }) =>
  owner.post(`/v1/adsystems/${system_id}/checkpoints/prepare`)
const bound: State = (server, _, { project_id = '', user_key = '' }) =>
  bindDevice(server, project_id, user_key)
const botConnected: State = ({ deps }, _, { project_id = '' }) =>
  deps.db.transaction(async (tx) => {
    const token = deps.secrets.seal('discordToken', project_id, 'token')
    await insertBot(tx, { ...discordBot, project_id, token })
  })
const placeBackup: State = async ({ deps }, _, { backup_name = '' }) => {
  const { dir } = deps.config.backup
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, backup_name), 'backup')
}
const STATES: Readonly<Record<string, State>> = {
  'users.unblacklist': (_, owner, { user_key }) => owner.post(`/users/${user_key}/blacklist`),
  'users.reset': bound,
  'userDevices.name': bound,
  'userDevices.remove': bound,
  'users.unlock': ({ deps }, _, { project_id = '', user_key = '', system_id = '' }) =>
    deps.db.transaction(async (tx) => {
      await tx.updateTable('users').set({ ad_system_id: system_id }).where('key', '=', user_key).execute()
      await tx
        .insertInto('ad_keys')
        .values({
          ...adKey,
          project_id,
          user_key,
          system_id,
          locked_network: '10.0.0.0/24',
          locked_until: 2 ** 50,
        })
        .execute()
    }),
  'account.takeKey': ({ deps }, _, { id = '' }) => {
    const sealed = deps.secrets.seal('apiKey', id, 'sw_waiting')
    const row = { customer_id: id, api_key_hash: 'waiting', sealed, created_at: deps.now(), mail_at: 0 }
    return deps.db.transaction((tx) => insertWaitingApiKey(tx, row))
  },
  // Ensures that the version is neither live nor part of a release.
  'scriptVersions.yank': ({ deps }, _, { script_id = '' }) =>
    deps.db.transaction(async (tx) => {
      await tx.updateTable('scripts').set({ version: 2 }).where('id', '=', script_id).execute()
      await tx.deleteFrom('releases').where('script_id', '=', script_id).execute()
      await tx.deleteFrom('script_channels').where('script_id', '=', script_id).execute()
    }),
  'releases.start': ({ deps }, _, { script_id = '' }) =>
    deps.db.transaction((tx) =>
      tx.updateTable('scripts').set({ version: 2 }).where('id', '=', script_id).execute(),
    ),
  'users.resume': (_, owner, { user_key }) => owner.post(`/v1/users/${user_key}/pause`),
  'users.extend': (_, owner, { user_key }) =>
    owner.post(`/users/${user_key}/edit`, { key_expires: 253_402_300_000_000 }),
  'adCheckpoints.create': prepared,
  'discord.edit': botConnected,
  'discord.compare': botConnected,
  'discord.disconnect': botConnected,
  'adCheckpoints.createByGet': prepared,
  'admin.people.objection': ({ deps }, _, { id = '', person_id = '' }) =>
    deps.db.transaction((tx) => {
      const removed = { purpose: 'owner_objection', personId: person_id, customerId: id } as const
      return issueOnce(deps, tx, { ...removed, forMs: 86_400_000 })
    }),
  'admin.backups.download': placeBackup,
  'admin.backups.remove': placeBackup,
  'admin.people.enable': ({ admin }, _, { person_id }) => admin.post(`/v1/admin/people/${person_id}/disable`),
  'admin.customers.unblacklist': ({ admin }, _, { id }) => admin.post(`/v1/admin/customers/${id}/blacklist`),
}

export async function makeReady(server: TestServer, endpoint: Endpoint, owner: Client, nouns: ResourceIds) {
  await STATES[nameOf(endpoint)]?.(server, owner, nouns)
}

export function rightBody(endpoint: Endpoint, nouns: ResourceIds): unknown {
  return BODIES[nameOf(endpoint)]?.(nouns) ?? exampleOf(endpoint.body)
}

/** The query string of a GET request that needs one or that changes data. */
export function rightQuery(endpoint: Endpoint): string {
  if (nameOf(endpoint) === 'scriptVersions.compare') return '?with=2'
  if (endpoint.method !== 'GET' || !endpoint.changes) return ''
  const { provider_data, ...rest } = CHECKPOINT
  return `?${new URLSearchParams({ ...rest, provider_data: JSON.stringify(provider_data) })}`
}
