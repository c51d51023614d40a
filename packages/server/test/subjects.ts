/**
 * Setup for tests that iterate over the endpoint list: an account with one of every resource, and paths with
 * the resources' IDs.
 */

import type { Endpoint } from '../src/api/endpoint.ts'
import { newId } from '../src/api/ids.ts'
import type { Queries } from '../src/database/engine/db.ts'
import { newUserKey } from '../src/features/accounts/credentials.ts'
import { insertBan } from '../src/features/bans/store/bans.ts'
import { pack } from '../src/features/builds/lz4.ts'
import { insertErrorGroup } from '../src/features/errors/store/error-groups.ts'
import { saveFunction } from '../src/features/functions/store.ts'
import { insertUser } from '../src/features/keys/store/users.ts'
import { listMemberships } from '../src/features/people/store/members.ts'
import { insertPasskey } from '../src/features/people/store/passkeys.ts'
import { changeBanCount, changeUserCount } from '../src/features/projects/store/projects.ts'
import { upsertChannel } from '../src/features/releases/store/channels.ts'
import { insertRelease } from '../src/features/releases/store/releases.ts'
import { insertScriptVersion } from '../src/features/scripts/store/script-versions.ts'
import { insertScript } from '../src/features/scripts/store/scripts.ts'
import { insertTrace } from '../src/features/traces/store/traces.ts'
import type { Answer } from './answers.ts'
import type { Owner, TestServer } from './harness.ts'
import { joinSession } from './live-sessions.ts'
import { createProject, createUser, deviceOf } from './nouns.ts'
import { type Browser, browserOf } from './people/browsers.ts'
import { createPerson } from './people.ts'
import { passkey } from './store/access-rows.ts'
import { ban } from './store/ban-rows.ts'
import { contentRows } from './store/content-rows.ts'
import { errorRows } from './store/error-rows.ts'
import { release, script, scriptVersion, type TableName, tableNames, user } from './store/rows.ts'

/** A value for each path parameter. */
export type ResourceIds = Readonly<Record<string, string>>
/** `person` is a signed-in owner of the account. */
export type Furnished = { readonly owner: Owner; readonly ids: ResourceIds; readonly person: Browser }

type Wishes = {
  readonly owner?: Owner
  readonly key?: string | undefined
  /** Creates only what this request and its body name, which takes half the time. */
  readonly for?: Endpoint
}

/** Creates one of every resource for an account, without an obfuscator or a running script. */
export async function furnish(server: TestServer, wishes: Wishes = {}): Promise<Furnished> {
  const { owner: given, key } = wishes
  const { now, random } = server.deps
  const owner = given ?? (await server.createCustomer())
  const body = { name: 'Project', execution_webhook: 'https://hooks.example.com/executions' }
  const project_id = await createProject(owner, body)
  const script_id = newId('scr', now(), random)
  const ban_id = newId('ban', now(), random)
  const error_id = newId('err', now(), random)
  const release_id = newId('rel', now(), random)
  const trace_id = newId('trc', now(), random)
  const user_key = key ?? newUserKey(random)
  await server.deps.db.transaction(async (tx) => {
    await insertScript(tx, { ...script, id: script_id, project_id })
    const stored = { ...scriptVersion, script_id, ...textsOf(server, script_id), yanked_at: null }
    await insertScriptVersion(tx, stored)
    await insertScriptVersion(tx, { ...stored, version: 2 })
    await saveFunction(tx, functionOf(server, script_id))
    await insertErrorGroup(tx, { ...errorRows.error_groups, id: error_id, project_id, script_id })
    await insertTrace(tx, { ...contentRows.traces, id: trace_id, project_id, script_id })
    await insertRelease(tx, { ...release, id: release_id, script_id })
    await upsertChannel(tx, { script_id, name: 'beta', version: 1, created_at: now() })
    await insertUser(tx, { ...user, key: user_key, project_id })
    await changeUserCount(tx, owner.id, project_id, { users: 1, fromAds: 0 })
    await changeBanCount(tx, project_id, 1)
    await insertBan(tx, { ...ban, id: ban_id, project_id }, ['c:4712'])
  })
  const nouns = { project_id, ban_id, script_id, user_key, id: owner.id, api_key: owner.apiKey, tier: '1' }
  const { person, nouns: ofPerson } = await furnishPerson(server, owner.id)
  const place = { server, owner, project_id }
  const more: ResourceIds[] = []
  for (const [names, make] of PARTS)
    if (wishes.for === undefined || names.some((name) => isNamed(wishes.for as Endpoint, name)))
      more.push(await make(place))
  const session_id = joinSession(server, { customer_id: owner.id, project_id, script_id, user_key }).id
  const others = {
    ...ofPerson,
    function_name: FUNCTION,
    error_id,
    trace_id,
    release_id,
    channel: 'beta',
    backup_name: 'scriptward-2026-06-15T12-00-00-000Z.tar.zst',
    session_id,
    device_id: deviceOf(user_key),
    exec: 'A'.repeat(22),
    n: '1',
  }
  return { owner, ids: Object.assign({ ...nouns }, ...more, others), person }
}

type Room = { readonly server: TestServer; readonly owner: Owner; readonly project_id: string }

/** The resources that take requests to create. */
const PARTS: readonly (readonly [names: readonly string[], make: (room: Room) => Promise<ResourceIds>])[] = [
  [['system_id', 'checkpoint_id'], ({ owner, project_id }) => furnishAds(owner, project_id)],
  [
    ['plan_id', 'plans'],
    async ({ owner, project_id }) => {
      const make = async (name: string) =>
        (await owner.post(`/v1/projects/${project_id}/plans/new`, { name })).string('plan_id')
      return { plan_id: await make('Plan'), other_plan_id: await make('Other plan') }
    },
  ],
  [
    ['delivery_id'],
    async ({ owner, project_id }) => {
      const tested = await owner.post(`/v1/projects/${project_id}/webhooks/test`, { kind: 'execution' })
      return { delivery_id: tested.string('delivery_id') }
    },
  ],
  [['change_id'], async ({ owner, project_id }) => ({ change_id: await furnishChange(owner, project_id) })],
  [
    ['webhook_id'],
    async ({ owner, project_id }) => {
      const added = { name: 'Shop', address: 'https://hooks.example.com/shop' }
      return {
        webhook_id: idIn(await owner.post(`/v1/projects/${project_id}/webhooks/new`, added), 'webhook'),
      }
    },
  ],
  [
    ['token_id'],
    async ({ owner }) => {
      const asked = { name: 'Token', scopes: ['projects:read'] }
      return { token_id: idIn(await owner.post('/v1/tokens/new', asked), 'token') }
    },
  ],
  [
    ['announcement_id'],
    async ({ owner, project_id }) => {
      const announced = { text: 'Back at ten', level: 'info', until: 2 ** 47 }
      const told = await owner.post(`/v1/projects/${project_id}/announcements`, announced)
      return { announcement_id: idIn(told, 'announcement') }
    },
  ],
  [['person_id', 'member_id', 'invitation_id'], ({ server, owner }) => furnishTeam(server, owner)],
]

/** Whether a request to this endpoint names such a resource, in its path, query or body. */
function isNamed({ path, query, body }: Endpoint, name: string): boolean {
  const noun = path.includes(':id') ? idNounOf(path) : ''
  return name === noun || path.includes(`:${name}`) || JSON.stringify([query, body]).includes(name)
}

/** Creates the bulk change for a removed user. */
async function furnishChange(owner: Owner, project_id: string): Promise<string> {
  const key = await createUser(owner, project_id)
  return (await owner.post(`/v1/users/${key}/remove`)).string('change_id')
}

/** Creates a team member and a second invitation. */
async function furnishTeam(server: TestServer, owner: Owner): Promise<ResourceIds> {
  const helper = await createPerson(server, owner.id, { role: 'support' })
  const [seat] = await listMemberships(server.deps.db.read, helper.id)
  const invited = { email: `invited-${helper.email}`, role: 'reader' }
  const invitation = await owner.post('/v1/members/invite', invited)
  return {
    person_id: helper.id,
    member_id: seat?.id ?? '',
    invitation_id: idIn(invitation, 'invitation'),
  }
}

function idIn({ body }: Answer, noun: string): string {
  return (body[noun] as { readonly id: string }).id
}

async function furnishPerson(server: TestServer, customerId: string) {
  const { db, now, random } = server.deps
  const row = await createPerson(server, customerId)
  const passkey_id = newId('pky', now(), random)
  await db.transaction((tx) =>
    insertPasskey(tx, { ...passkey, id: passkey_id, person_id: row.id, credential_id: passkey_id }),
  )
  const person = await browserOf(server, row)
  const [own] = (await person.get('/v1/sign-ins')).body.sign_ins as { id: string }[]
  return { person, nouns: { passkey_id, sign_in_id: own?.id ?? '', account_id: customerId } }
}

const SOURCE = 'print(1)'

/** Stores the source and the payload as an upload does, so that they can be read back. */
function textsOf({ deps }: TestServer, scriptId: string) {
  const source = deps.secrets.seal('source', scriptId, SOURCE)
  const size = Buffer.byteLength(SOURCE)
  return { source, source_bytes: size, payload: pack(SOURCE), payload_size: size }
}

const FUNCTION = 'price'

/** Creates a server function as an upload does, so that it can be called. */
function functionOf({ deps }: TestServer, script_id: string) {
  const source = deps.secrets.seal(
    'serverFunction',
    `${script_id} ${FUNCTION}`,
    'return function() return 3 end',
  )
  return { script_id, name: FUNCTION, source, source_bytes: 30, updated_at: deps.now() }
}

/** Creates an ad system with one checkpoint through the API, as the owner. */
async function furnishAds(owner: Owner, project_id: string): Promise<ResourceIds> {
  const { string } = await owner.post('/v1/adsystems/new', { project_id, name: 'Ads' })
  const system_id = string('system_id')
  await owner.post(`/v1/adsystems/${system_id}/checkpoints/prepare`)
  const made = await owner.post(`/v1/adsystems/${system_id}/checkpoints/new`, CHECKPOINT)
  return { system_id, checkpoint_id: made.string('checkpoint_id') }
}

export const CHECKPOINT = {
  name: 'First',
  url: 'https://links.example.com/s?abc',
  provider: 'provider_c',
  provider_data: { link_id: '42' },
}

/**
 * Returns the path of an endpoint with the IDs of these resources. In operator paths, `:id` is the ID of an
 * account, a tier or a dashboard user.
 */
export function pathOf(endpoint: Endpoint, nouns: ResourceIds): string {
  const noun = idNounOf(endpoint.path)
  const named: ResourceIds = { ...nouns, id: nouns[noun] ?? '' }
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? 'none'))
}

/** The kind of resource that `:id` refers to in an operator path. */
export function idNounOf(path: string): 'tier' | 'person_id' | 'id' {
  if (path.includes('/tiers/')) return 'tier'
  return path.includes('/people/') ? 'person_id' : 'id'
}

/** Returns all stored data as one string, except the audit log, which has its own test. */
export async function dump(db: Queries): Promise<string> {
  const tables: string[] = []
  for (const name of tableNames.filter((one) => !one.startsWith('audit_')))
    tables.push(JSON.stringify([name, await sortedRows(db, name)]))
  return tables.join('\n')
}

async function sortedRows(db: Queries, name: TableName): Promise<string[]> {
  const rows = await db.selectFrom(name).selectAll().execute()
  return rows.map((row) => JSON.stringify(row)).sort()
}
