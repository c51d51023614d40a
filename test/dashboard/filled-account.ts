/** Creates an account with data for every form. */
import { insertPasskey } from '../../packages/server/src/features/people/store/passkeys.ts'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { joinSession } from '../../packages/server/test/live-sessions.ts'
import { bindDevice, createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { passkey } from '../../packages/server/test/store/access-rows.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { idOfOperator } from '../sign-in.ts'
import type { Filled } from './kept-form.ts'

export async function fill(server: TestServer): Promise<Filled> {
  const { admin } = server
  const [project, empty, begun] = await Promise.all(
    ['Shop', 'Empty', 'Begun'].map((name) => createProject(admin, { name })),
  )
  if (!(project && empty && begun)) throw new Error('projects are missing')
  await createScript(admin, begun, { name: 'Greeter' })
  const user = await createUser(admin, project, { note: 'one' })
  await bindDevice(server, project, user)
  const script = await releasedScript(server, project)
  const now = server.clock.now
  const customer_id = await idOfOperator(server)
  const owned = { customer_id, project_id: project, script_id: script, user_key: user }
  joinSession(server, { ...owned, created_at: now, last_seen: now })
  const system = await admin.post('/v1/adsystems/new', { project_id: project, name: 'Day pass' })
  const block = { kind: 'network', value: '203.0.113.0/24', reason: 'shared' }
  const { ban } = (await admin.post(`/v1/projects/${project}/bans/new`, block)).body
  const information_webhook = 'https://example.com/hook'
  await admin.post(`/v1/projects/${project}/edit`, { information_webhook })
  await connectBot(server, project)
  const account = (await server.createCustomer({ email: 'author@example.com' })).id
  const id = (ban as { id: string }).id
  return { project, empty, begun, script, user, system: system.string('system_id'), ban: id, account }
}

/** An invalid token is enough, because these forms are never submitted. */
async function connectBot(server: TestServer, project_id: string): Promise<void> {
  const { now } = server.clock
  const token = server.deps.secrets.seal('discordToken', project_id, 'token of no bot')
  await insertRows(server, 'discord_bots', {
    ...{ project_id, application_id: '184650129374650213', name: 'Shop', public_key: '0'.repeat(64), token },
    ...{ server_id: '301245678901234567', server_name: 'Shop', connected_at: now, installed_at: now },
    staff: JSON.stringify([{ chat_role_id: '301245678901234570', role: 'support' }]),
  })
}

/** Creates a script with a server function and an open release of its second version. */
async function releasedScript({ admin }: TestServer, project: string): Promise<string> {
  const script = await createScript(admin, project, { name: 'Greeter', options: { preset: 'light' } })
  const path = `/v1/scripts/${script}`
  await admin.put(`${path}/functions/price`, { source: 'return function() return 1 end' })
  await admin.post(`${path}/update`, { script: 'print(2)' })
  await admin.post(`${path}/versions/1/activate`)
  await admin.post(`${path}/versions/2/release`, { percent: 40 })
  return script
}

export async function addPasskey({ deps }: TestServer, email: string): Promise<void> {
  const people = deps.db.read.selectFrom('people').select('id').where('email', '=', email)
  const { id } = await people.executeTakeFirstOrThrow()
  await deps.db.transaction((tx) =>
    insertPasskey(tx, { ...passkey, id: 'pky_laptop', person_id: id, credential_id: 'laptop' }),
  )
}
