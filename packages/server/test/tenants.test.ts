/**
 * Tests tenant isolation. Wherever an endpoint refers to a resource, the tests send IDs that aren't the
 * caller's: IDs of other accounts' resources, IDs of removed resources, and invented or malformed IDs. The
 * response must be byte-for-byte the same for all of them, even if the body would otherwise have an effect,
 * and nothing may change. A new endpoint is covered as soon as it is declared.
 */
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../src/api/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import type { Answer } from './answers.ts'
import { anyEngine } from './databases.ts'
import { exampleOf } from './examples.ts'
import { serverOn, type TestServer } from './harness.ts'
import type { Browser } from './people/browsers.ts'
import { rowsOf } from './stored.ts'
import { dump, type Furnished, furnish, idNounOf, pathOf, type ResourceIds } from './subjects.ts'
import { withoutId } from './without-id.ts'

const REQUEST_ID = 'one-request-id'

/** Maps each field that refers to a resource to the resource's kind. */
const NAMES: Readonly<Record<string, string>> = {
  project_id: 'project_id',
  script_id: 'script_id',
  script: 'script_id',
  scripts: 'script_id',
  user_key: 'user_key',
  key: 'user_key',
  session_id: 'session_id',
  session_ids: 'session_id',
  system_id: 'system_id',
  plan_id: 'plan_id',
  device_id: 'device_id',
  move_to: 'plan_id',
  checkpoint_id: 'checkpoint_id',
  fallback_checkpoint_id: 'checkpoint_id',
  delivery_id: 'delivery_id',
  webhook_id: 'webhook_id',
  ban_id: 'ban_id',
  announcement_id: 'announcement_id',
  function_name: 'function_name',
  error_id: 'error_id',
  trace_id: 'trace_id',
  release_id: 'release_id',
  token_id: 'token_id',
  change_id: 'change_id',
  member_id: 'member_id',
  invitation_id: 'invitation_id',
  projects: 'project_id',
  passkey_id: 'passkey_id',
  sign_in_id: 'sign_in_id',
  account_id: 'account_id',
  api_key: 'api_key',
  id: 'id',
  tier: 'tier',
  exec: 'exec',
  n: 'n',
}
/**
 * Fields whose names suggest a resource but that don't refer to one, such as a source, a message name, or an
 * account ID from another service.
 */
const NOT_RESOURCES: ReadonlySet<string> = new Set([
  'body script',
  'body key',
  // Keys in `users/bulk`, which reports for each key whether it was found; `undo.service.test.ts` covers the
  // keys of other accounts.
  'body keys',
  'body tier',
  'body max_keys',
  'body allow_path_key',
  'body chat_id',
  'body chat_ids',
  // Discord IDs.
  'body server_id',
  'body chat_role_id',
  'query chat_id',
  ...['body', 'query'].flatMap((where) =>
    ['game_user_id', 'place_id', 'job_id'].map((name) => `${where} ${name}`),
  ),
])

type Place = {
  readonly endpoint: Endpoint
  readonly where: 'path' | 'query' | 'body'
  readonly member: string
  readonly noun: string
}

/** PUT creates the resource that it refers to. */
const places = endpoints.filter(({ method }) => method !== 'PUT').flatMap(placesOf)
const titled = places.map((place) => [titleOf(place), place] as const)
/** An API key is a credential: anyone who knows it may use it, so the key of another account is accepted. */
const isSecret = ({ noun }: Place) => noun === 'api_key'
/** Path parameters within a script; the script's own ID is a separate parameter. */
const OF_SCRIPT: ReadonlySet<string> = new Set(['n', 'function_name'])
/** Public resources, which have no owner. */
const isPublic = ({ endpoint, noun }: Place) =>
  endpoint.auth === 'none' || endpoint.auth === 'client' || endpoint.auth === 'admin' || OF_SCRIPT.has(noun)
const isVersion = ({ endpoint, member }: Place) => member === 'n' && endpoint.auth === 'script'
/**
 * Excludes sessions, for which the interface has its own messages, and chunks, which only programs request.
 */
const isUnnamed = ({ endpoint }: Place) => endpoint.missing !== undefined || endpoint.name === 'client.chunk'
const owned = titled.filter(([, { endpoint }]) => !/^(none|client|admin)$/.test(endpoint.auth))

it('every field with the name of an id is tested here or listed as an exception', () => {
  const known = new Set(places.map(({ endpoint, where, member }) => `${endpoint.name} ${where} ${member}`))
  const named = endpoints.filter(({ method }) => method !== 'PUT')
  const unknown = named.flatMap((endpoint) =>
    (['path', 'query', 'body'] as const).flatMap((where) =>
      membersOf(endpoint, where)
        .filter(
          (member) => /(^|_)(id|ids|key|keys)$/.test(member) && !NOT_RESOURCES.has(`${where} ${member}`),
        )
        .map((member) => `${endpoint.name} ${where} ${member}`),
    ),
  )
  expect(unknown.filter((one) => !known.has(one))).toEqual([])
})

describe.each(anyEngine)('a resource of another account on $name', (engine) => {
  const { at } = serverOn(engine)
  let mine: Furnished
  let theirs: Furnished
  let removed: ResourceIds
  let banned: Furnished
  beforeAll(async () => {
    mine = await furnish(at())
    theirs = await furnish(at())
    removed = await removedNouns(at(), mine)
    banned = await furnish(at())
    await at().admin.post(`/v1/admin/customers/${banned.owner.id}/blacklist`)
  })
  const callerOf = (place: Place): Browser => {
    // A header would identify the caller before the field is read.
    if (isSecret(place)) return at().client()
    if (place.endpoint.auth === 'person') return mine.person
    return place.endpoint.auth === 'admin' ? at().admin : mine.owner
  }

  it.each(titled)('gets the same response as any invalid one: %s', async (_, place) => {
    const before = await dump(at().deps.db.read)
    const malformedOnes = malformed(place)
    const values = [removed[place.noun] ?? '', ...randomOnes(place), ...malformedOnes]
    if (!isPublic(place) && !isSecret(place)) values.push(theirs.ids[place.noun] ?? '')
    const answers = await Promise.all(values.map((value) => ask(place, callerOf(place), mine.ids, value)))
    const [first, ...others] = answers
    expect(new Set(values).size).toBe(values.length)
    // A value that isn't a number is rejected before the versions are read, so the error doesn't mention the
    // latest version.
    const compared = isVersion(place) ? others.slice(0, -malformedOnes.length) : others
    for (const other of compared) expect(other).toEqual(first)
    if (first?.status === 404 && !isUnnamed(place))
      expect(first.text).toMatch(/ <id> (of \S+ )?does not exist/)
    if (place.where === 'path' && !isPublic(place) && !isSecret(place)) expect(first?.status).toBe(404)
    expect(await dump(at().deps.db.read)).toBe(before)
  })

  it('reaches only its own user when two accounts have the same key', async () => {
    const one = await furnish(at())
    const other = await furnish(at(), { key: one.ids.user_key })
    const storedOf = async ({ owner, ids: { project_id = '' } }: Furnished) => {
      const users = await rowsOf(at(), 'users', { customer_id: owner.id })
      const rest = await Promise.all([
        rowsOf(at(), 'instances', { project_id }),
        rowsOf(at(), 'denials', { project_id }),
        rowsOf(at(), 'user_fingerprints', { project_id }),
      ])
      return { users, rest, sessions: await at().deps.sessions.network.list({ customer_id: owner.id }) }
    }
    const before = await storedOf(other)
    expect(before.users).toHaveLength(1)
    for (const place of places.filter(({ noun, where }) => noun === 'user_key' && where === 'path'))
      await ask(place, one.owner, one.ids, one.ids.user_key ?? '')
    expect((await storedOf(one)).users).toEqual([])
    expect(await storedOf(other)).toEqual(before)
  })

  it.each(owned)('is indistinguishable from a missing one without credentials: %s', async (_, place) => {
    if (isSecret(place)) return
    const values = [mine.ids, theirs.ids, removed].map((nouns) => nouns[place.noun] ?? '')
    for (const client of [at().client(), at().client('sw_wrong')]) {
      const nouns = { ...mine.ids, api_key: 'sw_wrong' }
      const answers = await Promise.all(values.map((value) => ask(place, client, nouns, value)))
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    }
  })

  it.each(owned)('is indistinguishable from a missing one for a blocked account: %s', async (_, place) => {
    const values = isSecret(place)
      ? [banned.owner.apiKey]
      : [banned.ids, theirs.ids, removed].map((nouns) => nouns[place.noun] ?? '')
    const client = isSecret(place) ? at().client() : banned.owner
    const answers = await Promise.all(values.map((value) => ask(place, client, banned.ids, value)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

/**
 * Some of these strings can't be stored by one of the two engines. Others would change the path if they
 * weren't escaped.
 */
function malformed({ endpoint, where }: Place): string[] {
  const texts = ['x', 'ä', '%', "' or 1=1 --", '../..', 'constructor', '😀']
  // In queries and bodies, schemas reject such values with errors that describe them. Loaders get these
  // errors as JSON rather than Lua.
  return where === 'path' && endpoint.auth !== 'client' ? [...texts, '\0', 'x'.repeat(3000)] : texts
}

/** Returns well-formed IDs that were never assigned. */
function randomOnes({ noun }: Place): string[] {
  const ids: Readonly<Record<string, string>> = {
    project_id: 'prj_',
    script_id: 'scr_',
    session_id: 'ses_',
    system_id: 'sys_',
    checkpoint_id: 'chk_',
    plan_id: 'pln_',
    delivery_id: 'evt_',
    webhook_id: 'whk_',
    passkey_id: 'pky_',
    sign_in_id: 'sgn_',
    account_id: 'cus_',
    token_id: 'tok_',
    change_id: 'chg_',
    member_id: 'mem_',
    invitation_id: 'inv_',
    person_id: 'psn_',
    id: 'cus_',
    api_key: 'sw_',
  }
  if (noun === 'tier' || noun === 'n') return ['9999']
  return ids[noun] === undefined ? ['A'.repeat(32)] : [`${ids[noun]}0VMc4VLkH7rAAAAAAAAAAA`]
}

/** Resources that used to be the caller's own, or that belonged to a deleted account. */
async function removedNouns(server: TestServer, { owner }: Furnished): Promise<ResourceIds> {
  const { ids } = await furnish(server, { owner })
  await owner.post(`/v1/sessions/${ids.session_id}/disconnect`)
  await owner.post(`/v1/adsystems/${ids.system_id}/remove`)
  await owner.post(`/v1/tokens/${ids.token_id}/revoke`)
  await owner.post(`/v1/members/${ids.member_id}/remove`)
  await owner.post(`/v1/invitations/${ids.invitation_id}/withdraw`)
  await owner.post(`/v1/projects/${ids.project_id}/remove`)
  const gone = await server.createCustomer()
  await server.admin.post(`/v1/admin/customers/${gone.id}/remove`)
  return {
    ...ids,
    id: gone.id,
    account_id: gone.id,
    person_id: 'psn_0VMc4VLkH7rBBBBBBBBBBB',
    // The bulk change that removed a project is kept, so that the removal can be undone.
    change_id: 'chg_0VMc4VLkH7rBBBBBBBBBBB',
    api_key: gone.apiKey,
    tier: '9998',
    n: '9998',
    function_name: 'gone',
    error_id: 'err_0VMc4VLkH7rBBBBBBBBBBB',
    trace_id: 'trc_0VMc4VLkH7rBBBBBBBBBBB',
    release_id: 'rel_0VMc4VLkH7rBBBBBBBBBBB',
    exec: 'B'.repeat(22),
  }
}

function placesOf(endpoint: Endpoint): Place[] {
  return (['path', 'query', 'body'] as const).flatMap((where) =>
    membersOf(endpoint, where)
      .filter((member) => NAMES[member] !== undefined && !NOT_RESOURCES.has(`${where} ${member}`))
      .map((member) => ({ endpoint, where, member, noun: nounOf(endpoint, member) })),
  )
}

function membersOf(endpoint: Endpoint, where: Place['where']): string[] {
  const schema = { path: endpoint.params, query: endpoint.query, body: endpoint.body }[where]
  return Object.keys((schema as TSchema & { properties?: object }).properties ?? {})
}

function nounOf({ path }: Endpoint, member: string): string {
  return member === 'id' ? idNounOf(path) : (NAMES[member] ?? '')
}

function titleOf({ endpoint, where, member }: Place): string {
  return `${endpoint.method} ${endpoint.path}, ${member} in its ${where}`
}

type Comparable = { readonly status: number; readonly text: string; readonly headers: object }

/** The rest of the request is valid. */
async function ask(place: Place, client: Browser, nouns: ResourceIds, value: string): Promise<Comparable> {
  const { endpoint, where, member, noun } = place
  const path = pathOf(endpoint, where === 'path' ? { ...nouns, [noun]: value } : nouns)
  const query = where === 'query' ? `?${member}=${encodeURIComponent(value)}` : ''
  const given = where === 'body' ? { [member]: member.endsWith('s') ? [value] : value } : {}
  const body = JSON.stringify({ ...(exampleOf(endpoint.body) as object), ...given })
  const answer = await client.send(endpoint.method, path + query, {
    headers: { 'x-request-id': REQUEST_ID, 'content-type': 'application/json' },
    ...(endpoint.method === 'GET' ? {} : { body }),
  })
  return comparable(answer, value)
}

/** Removes values that are echoed from the request or depend on the time. */
function comparable({ status, text, headers }: Answer, value: string): Comparable {
  const { date: _, 'content-length': __, ...kept } = Object.fromEntries(headers)
  const shown = JSON.stringify(value).slice(1, -1)
  const same = withoutId(text, value).replaceAll(`"${shown}"`, '"<value>"')
  return { status, text: same, headers: kept }
}
