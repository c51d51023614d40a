/**
 * The reference's examples, sent to a real server: requests are accepted as shown, and responses match the
 * examples.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { serverOn } from '../../test/harness.ts'
import { makeReady } from '../../test/right-requests.ts'
import { type Furnished, furnish, pathOf, type ResourceIds } from '../../test/subjects.ts'
import type { Endpoint } from '../api/endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { exampleFor } from './examples.ts'

/**
 * Operations that one request isn't enough for: they need a second step, a link, an encrypted body, a script
 * that responds, or another email address.
 */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'v1.projectSessions.events': 'a stream that does not end',
  'v1.sessions.message': 'needs a script that answers',
  'v1.adCheckpoints.createLink': 'needs a provider',
  'v1.discord.connect': 'needs Discord',
  'v1.discord.install': 'needs Discord',
  'v1.discord.servers': 'needs Discord',
  'admin.mail.test': 'needs a mail server',
  'v1.members.leave': 'the last owner stays',
  'v1.tokens.exchange': 'needs a code that a person allowed',
  'v1.me.revoke': 'needs a token',
  'v1.auth.confirm': 'needs the password of the person',
  'v1.auth.totp.finish': 'needs a code of the app',
  'v1.auth.totp.remove': 'needs an app',
  'v1.auth.recoveryCodes.new': 'needs an app',
  'v1.auth.passkeys.confirm': 'needs a device',
  'v1.auth.passkeys.addBegin': 'needs a name of a host',
  'v1.auth.passkeys.addFinish': 'needs a device',
  'v1.auth.passkeys.begin': 'needs a name of a host',
  'v1.auth.passkeys.finish': 'needs a device',
  'v1.auth.passkeys.remove': 'needs another way to sign in',
}
const OPEN = /^(client|discord|v1\.auth)\./
const asked = endpoints
  .filter(({ name, auth }) => !(name in ELSEWHERE) && !(OPEN.test(name) && /none|client/.test(auth)))
  .map((endpoint) => [endpoint.name, endpoint] as const)

const tier = exampleFor(named('admin.tiers.put'), 'body')

function named(name: string): Endpoint {
  const found = endpoints.find((one) => one.name === name)
  if (!found) throw new Error(`there is no endpoint ${name}`)
  return found
}

describe('the examples of the reference', () => {
  // No client responds to messages sent to its session.
  const { at } = serverOn(sqlite, { config: { sessionWaitMs: 50 } })
  let scene: Furnished
  beforeAll(async () => {
    scene = await furnish(at())
  })

  async function fresh(endpoint: Endpoint): Promise<Furnished> {
    if (endpoint.method === 'GET' && !endpoint.changes) return scene
    const made = await furnish(at(), { for: endpoint })
    await at().admin.put('/v1/admin/tiers/1', tier)
    await makeReady(at(), endpoint, made.owner, made.ids)
    return made
  }

  it.each(asked)('%s', async (_, endpoint) => {
    const { owner, person, ids } = await fresh(endpoint)
    const byAuth: Partial<Record<Endpoint['auth'], typeof person>> = { admin: at().admin, person }
    const client = byAuth[endpoint.auth] ?? owner
    const query = own(exampleFor(endpoint, 'query'), ids) as Record<string, string> | undefined
    const body = endpoint.method === 'GET' ? undefined : own(exampleFor(endpoint, 'body'), ids)
    const path = pathOf(endpoint, ids) + (query === undefined ? '' : `?${new URLSearchParams(query)}`)
    const answer = await client.send(endpoint.method, path, {
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect([answer.status, answer.error]).toEqual([200, {}])
    if (endpoint.produces !== 'text') expectAlike(answer.body, exampleFor(endpoint, 'answer'), '')
  })
})

/**
 * Replaces the examples' IDs with those of the calling account, and generates new unique values each time.
 */
function own(example: unknown, nouns: ResourceIds): unknown {
  if (example === undefined) return undefined
  const text = JSON.stringify(example)
    .replace(/\bprj_\w+/g, nouns.project_id ?? '')
    .replace(/"move_to":"pln_\w+"/g, `"move_to":"${nouns.other_plan_id}"`)
    .replace(/\berr_\w+/g, nouns.error_id ?? '')
    .replace(/\btrc_\w+/g, nouns.trace_id ?? '')
    .replace(/\brel_\w+/g, nouns.release_id ?? '')
    .replace(/(?<!"move_to":")\bpln_\w+/g, nouns.plan_id ?? '')
    .replace(/\bscr_\w+/g, nouns.script_id ?? '')
    .replace(/\bses_\w+/g, nouns.session_id ?? '')
    .replace(/\bcus_\w+/g, nouns.id ?? '')
    .replace(/\b(grace|ada|owner)@/g, `${crypto.randomUUID()}@`)
    .replace(/"url":"garden"/g, `"url":"${crypto.randomUUID().slice(0, 8)}"`)
    .replace(/"index":1/g, '"index":0')
  return JSON.parse(text)
}

/**
 * Checks that the fields are the same, and that values have the same type unless one is null. In lists, only
 * the first entry is checked.
 */
function expectAlike(real: unknown, shown: unknown, place: string): void {
  if (real === null || shown === null || shown === undefined) return
  if (Array.isArray(real) && Array.isArray(shown)) {
    if (real.length > 0 && shown.length > 0) expectAlike(real[0], shown[0], `${place}[]`)
    return
  }
  expect(typeof real, place).toBe(typeof shown)
  if (typeof real !== 'object' || FREE.test(place)) return
  const names = Object.keys(shown as object)
  expect([place, Object.keys(real).sort()]).toEqual([place, names.sort()])
  for (const name of names)
    expectAlike(
      (real as ResourceIds)[name],
      (shown as ResourceIds)[name],
      place === '' ? name : `${place}.${name}`,
    )
}

/** Objects whose field names aren't known in advance. */
const FREE =
  /(options|report|executions|executors|percentages|provider_data|nouns|features|variables|changes|denied|data|response|responses\[\]|findings\[\])$/
