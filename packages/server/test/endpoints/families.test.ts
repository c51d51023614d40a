/**
 * Tests both API families. Other tests cover each operation in one family only, because its handler in the
 * other family is the same or differs only as listed below. `test/interface/` tests every path of the
 * interface in its own family.
 */
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { endpoints } from '../../src/endpoints.ts'
import { anyEngine } from '../databases.ts'
import { type Owner, START, serverOn } from '../harness.ts'
import { bindDevice, createOwner, createUser } from '../nouns.ts'

/** Operations with a separate handler under `/v1`, and how they differ. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'customers.get': 'tells whether paths may carry the key',
  'customers.executions': 'names the account by its token',
  'customers.executors': 'names the account by its token',
  'customers.resetKey': 'answers the new key instead of mailing it',
  'customers.projects': 'tells total and cursor',
  'customers.createProject': 'takes the support address',
  'projects.get': 'shows the wide record',
  'projects.edit': 'takes the members of the wide record',
  'projects.remove': 'names the change',
  'projectUsers.list': 'shows wide records, total and cursor',
  'projectUsers.filter': 'takes more members and shows wide records, total and cursor',
  'projectUsers.generate': 'takes what a user may be sold with, and names the change',
  'projectUsers.resetAll': 'takes dry_run, and names the change',
  'projectUsers.purge': 'takes dry_run, and names the change',
  'projectUsers.clear': 'takes dry_run, and names the change',
  'projectUsers.compensate': 'takes dry_run, and names the change',
  'projectUsers.import': 'takes dry_run and other formats, and names the change',
  'users.get': 'shows the wide record',
  'users.edit': 'takes the members of the wide record',
  'users.blacklist': 'wants expires, as a number',
  'users.remove': 'names the change',
  'projectScripts.list': 'shows wide records, total and cursor',
  'scripts.get': 'shows the wide record',
  'scripts.remove': 'names the change',
  'scripts.update': 'takes a release and shows it',
  'tiers.list': 'shows the wide record',
  'tiers.get': 'shows the wide record',
}

const unversioned = endpoints.filter(
  ({ path, auth }) =>
    !path.startsWith('/v1/') &&
    auth !== 'client' &&
    !/^\/(healthz|readyz|openapi|\.well-known|ads\/)/.test(path),
)

function twinOf({ method, path }: Endpoint): Endpoint | undefined {
  const account = path
    .replace(/^\/customers\/:api_key\/projects/, '/v1/projects')
    .replace('/customers/:api_key', '/v1/account')
    .replace('/data/', '/v1/')
  const wanted = account === path ? `/v1${path}` : account
  return endpoints.find((one) => one.method === method && one.path === wanted)
}

it.each(unversioned.map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s also exists under /v1, with the same scope and errors',
  (_, one) => {
    const twin = twinOf(one)
    // The newer reset endpoint returns the new key in its response and needs no email.
    const { mail_not_configured: _mail, ...failures } = one.failures
    expect([twin?.scope, twin?.failures]).toEqual([one.scope, failures])
  },
)

it('both families share the handler of an operation, unless the list explains the difference', () => {
  const differing = unversioned.filter((one) => twinOf(one)?.handle !== one.handle)
  expect(differing.map(({ name }) => name).sort()).toEqual(Object.keys(DIFFERENCES).sort())
})

type Place = { readonly owner: Owner; readonly project: string; readonly key: string }
const CHANGES: Readonly<Record<string, (place: Place) => [path: string, body?: object]>> = {
  'a reset of all users': ({ project }) => [`/projects/${project}/users/resetall`],
  'a purge': ({ project }) => [`/projects/${project}/users/purge`],
  'a removal of all users': ({ project }) => [`/projects/${project}/users/clear`],
  'a compensation': ({ project }) => [
    `/projects/${project}/users/compensate`,
    { duration: 5, compensate_expired: false },
  ],
  'an import': ({ project }) => [`/projects/${project}/users/import`, { users: [{}] }],
  'a generation': ({ project }) => [`/projects/${project}/users/generate`, { amount: 1 }],
  'the removal of a user': ({ key }) => [`/users/${key}/remove`],
  'the removal of a project': ({ project }) => [`/projects/${project}/remove`],
}

describe.each(anyEngine)('the id of a change on $name', (engine) => {
  const { at } = serverOn(engine)

  it.each(Object.entries(CHANGES))('is returned only under /v1: %s', async (_, changeOf) => {
    for (const family of ['', '/v1']) {
      const { owner, project } = await createOwner(at())
      const key = await createUser(owner, project, { key_expires: START + 10 })
      await bindDevice(at(), project, key)
      await createUser(owner, project)
      const [path, body] = changeOf({ owner, project, key })
      const answer = await owner.post(family + path, body)
      expect([answer.status, 'change_id' in answer.body]).toEqual([200, family === '/v1'])
    }
  })
})
