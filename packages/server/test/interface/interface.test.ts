/**
 * Tests that every path of the interface, called with all its parameters, returns all documented fields, and
 * that its errors have the interface's codes.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { type EndpointReason, refusals } from '../../src/api/refusals.ts'
import { readConfig } from '../../src/config/config.ts'
import { endpoints } from '../../src/endpoints.ts'
import { anyEngine } from '../databases.ts'
import { serverOn, type TestServer } from '../harness.ts'
import { joinSession } from '../live-sessions.ts'
import { type Furnished, furnish, type ResourceIds } from '../subjects.ts'
import { errorRows } from './errors.ts'
import type { PathRow } from './rows.ts'
import { unversionedRows } from './unversioned.ts'
import { v1Rows } from './v1.ts'

const rows = [...unversionedRows, ...v1Rows].map((row) => [row.at, row] as const)

describe.each(anyEngine)('the interface on $name', (engine) => {
  const { at } = serverOn(engine)
  let furnished: Furnished
  beforeAll(async () => {
    furnished = await furnish(at())
  })

  it.each(rows)('%s is served as specified', async (_, row) => {
    const changes = row.before !== undefined || row.at.startsWith('POST')
    const { owner, ids } = await withSession(at(), row, changes ? await furnish(at()) : furnished)
    for (const [path, body] of row.before ?? [])
      expect((await owner.post(named(path, ids), body)).status).toBe(200)
    const [method = '', path = ''] = row.at.split(' ')
    const sends = row.sends && named(row.sends, ids)
    const answer =
      method === 'GET'
        ? await owner.get(named(path, ids) + queryOf(sends))
        : await owner.post(named(path, ids), sends)
    expect(answer.error).toEqual({})
    expect([answer.status, answer.body.success]).toEqual([200, true])
    for (const member of row.answers) expect(answer.body, answer.text).toHaveProperty(member)
  })
})

it.each(errorRows)('%s fails with code %i and the message "%s"', (at, code, message) => {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === at)
  const reasons = Object.entries(endpoint?.failures ?? {}).filter(([, known]) => known === code)
  expect(reasons.map(([reason]) => refusals[reason as EndpointReason].message)).toContain(message)
})

it("the server waits a minute for a session's response by default", () => {
  expect(readConfig({}).sessionWaitMs).toBe(60_000)
})

/** The caller's resources, including a session whose client responds. */
async function withSession(
  server: TestServer,
  row: PathRow,
  { ids, ...others }: Furnished,
): Promise<Furnished> {
  const { project_id = '', script_id = '', user_key = '' } = ids
  const owned = { customer_id: others.owner.id, project_id, script_id, user_key }
  const { id } = joinSession(server, owned, ({ data }) => ({ ok: true, data }))
  return { ...others, ids: { ...ids, session_id: id, ...row.nouns } }
}

/** Replaces each `:noun` with its value. */
function named<T>(value: T, nouns: ResourceIds): T {
  if (typeof value === 'string')
    return value.replace(/:([a-z_]+)/g, (whole, name: string) => nouns[name] ?? whole) as T
  if (Array.isArray(value)) return value.map((one) => named(one, nouns)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one, nouns)])) as T
}

function queryOf(members: Readonly<Record<string, unknown>> | undefined): string {
  if (members === undefined) return ''
  const texts = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return `?${new URLSearchParams(texts)}`
}
