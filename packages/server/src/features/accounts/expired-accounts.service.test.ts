/** Endpoints that declare `account_expired` reject expired accounts. */
import { beforeAll, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { exampleOf } from '../../../test/examples.ts'
import { serverOn } from '../../../test/harness.ts'
import { expire } from '../../../test/nouns.ts'
import { CHECKPOINT, type Furnished, furnish, pathOf } from '../../../test/subjects.ts'
import { endpoints } from '../../endpoints.ts'

const refusing = endpoints
  .filter(({ failures }) => 'account_expired' in failures)
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe.each(anyEngine)('an expired account on $name', (engine) => {
  const { at } = serverOn(engine)
  let expired: Furnished
  beforeAll(async () => {
    expired = await furnish(at())
    await expire(at(), expired.owner.id)
  })

  it.each(refusing)('is rejected by %s', async (_, endpoint) => {
    const { owner, ids } = expired
    const example = endpoint.body === undefined ? undefined : exampleOf(endpoint.body)
    const body = { ...(example as object), ...BODIES[endpoint.name.replace(/^v1\./, '')] }
    const isQuery = endpoint.method === 'GET'
    const path = pathOf(endpoint, ids)
    const send = endpoint.method === 'PUT' ? owner.put : owner.post
    const answer = isQuery ? await owner.get(path + queryOf(body)) : await send(path, body)
    expect(answer.error.type).toBe('account_expired')
  })
})

/** Fields added to the example body so that the request reaches the account check. */
const BODIES: Readonly<Record<string, object>> = {
  'users.blacklist': { expires: null },
  'adCheckpoints.create': CHECKPOINT,
  'adCheckpoints.createLink': {
    provider: 'provider_b',
    provider_data: { api_token: 'a'.repeat(64), unsigned_postbacks: true },
  },
  'adCheckpoints.createByGet': CHECKPOINT,
}

function queryOf(members: object): string {
  const texts = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `?${new URLSearchParams(texts)}`
}
