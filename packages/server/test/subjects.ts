/** For tests that run over the endpoint list: a customer with one of every noun, and paths that name them. */
import { newUserKey } from '../src/domain/accounts/credentials.ts'
import { newId } from '../src/domain/ids.ts'
import type { Endpoint } from '../src/endpoints/endpoint.ts'
import { pack } from '../src/obfuscation/lz4.ts'
import type { Queries } from '../src/store/engine/db.ts'
import { insertPasskey } from '../src/store/tables/passkeys.ts'
import { changeUserCount } from '../src/store/tables/projects.ts'
import { insertScriptVersion } from '../src/store/tables/script-versions.ts'
import { insertScript } from '../src/store/tables/scripts.ts'
import { insertUser } from '../src/store/tables/users.ts'
import type { Owner, TestServer } from './harness.ts'
import { joinSession } from './live-sessions.ts'
import { createProject } from './nouns.ts'
import { type Browser, browserOf } from './people/browsers.ts'
import { createPerson } from './people.ts'
import { passkey } from './store/access-rows.ts'
import { script, scriptVersion, type TableName, tableNames, user } from './store/rows.ts'

/** What may stand for each parameter of a path. */
export type Nouns = Readonly<Record<string, string>>
/** `person` is an owner of the account who is signed in. */
export type Furnished = { readonly owner: Owner; readonly nouns: Nouns; readonly person: Browser }

/** A customer with one of every noun more; no obfuscator and no running script is needed for that. */
export async function furnish(server: TestServer, given?: Owner, key?: string): Promise<Furnished> {
  const { now, random } = server.deps
  const owner = given ?? (await server.createCustomer())
  const body = { name: 'Project', execution_webhook: 'https://hooks.example.com/executions' }
  const project_id = await createProject(owner, body)
  const script_id = newId('scr', now(), random)
  const user_key = key ?? newUserKey(random)
  await server.deps.db.transaction(async (tx) => {
    await insertScript(tx, { ...script, id: script_id, project_id })
    await insertScriptVersion(tx, { ...scriptVersion, script_id, ...textsOf(server, script_id) })
    await insertUser(tx, { ...user, key: user_key, project_id })
    await changeUserCount(tx, owner.id, project_id, { users: 1, fromAds: 0 })
  })
  const nouns = { project_id, script_id, user_key, id: owner.id, api_key: owner.apiKey, tier: '1' }
  const ads = await furnishAds(owner, project_id)
  const { person, nouns: ofPerson } = await furnishPerson(server, owner.id)
  const tested = await owner.post(`/v1/projects/${project_id}/webhooks/test`, { kind: 'execution' })
  const delivery_id = tested.string('delivery_id')
  const token = await owner.post('/v1/tokens/new', { name: 'Token', scopes: ['projects:read'] })
  const token_id = (token.body.token as { id: string }).id
  const session_id = joinSession(server, { customer_id: owner.id, project_id, script_id, user_key }).id
  const others = { ...ofPerson, delivery_id, token_id, session_id, exec: 'A'.repeat(22), n: '1' }
  return { owner, nouns: { ...nouns, ...ads, ...others }, person }
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

/** Source and payload as an upload leaves them, so that they can be read back. */
function textsOf({ deps }: TestServer, scriptId: string) {
  const source = deps.secrets.seal('source', scriptId, SOURCE)
  const size = Buffer.byteLength(SOURCE)
  return { source, source_bytes: size, payload: pack(SOURCE), payload_size: size }
}

/** A system with one checkpoint, made in the way of their owner. */
async function furnishAds(owner: Owner, project_id: string): Promise<Nouns> {
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

/** The path of an endpoint for these nouns; operators' tiers are numbered where customers have ids. */
export function pathOf(endpoint: Endpoint, nouns: Nouns): string {
  const named: Nouns = endpoint.path.includes('/tiers/') ? { ...nouns, id: nouns.tier ?? '' } : nouns
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? 'none'))
}

/** Everything that is stored beside the audit log, which has a test of its own, as one text. */
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
