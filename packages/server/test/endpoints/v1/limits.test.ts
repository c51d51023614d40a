/** What a client may read about the service instead of running into it; and that one family is enough for it. */
import { describe, expect, it, test } from 'vitest'
import type { Endpoint } from '../../../src/endpoints/endpoint.ts'
import { endpoints } from '../../../src/endpoints/list.ts'
import { sqlite } from '../../databases.ts'
import { serverOn } from '../../harness.ts'

describe('GET /v1/limits', () => {
  const { at } = serverOn(sqlite, { config: { apiRates: 2, bodyLimit: 5000, generateLimit: 7 } })

  it('tells the limits as they are configured', async () => {
    const owner = await at().createCustomer()
    const { limits } = (await owner.get('/v1/limits')).body
    expect(limits).toMatchObject({
      body: 5000,
      script: 8_388_608,
      keys_to_generate: 7,
      requests_per_second: 100,
      requests_at_once: 200,
      idempotency_key_ms: 86_400_000,
    })
  })

  it('tells limits that are enforced', async () => {
    const owner = await at().createCustomer()
    const { body, requests_at_once } = (await owner.get('/v1/limits')).body.limits as Record<string, number>
    const large = await owner.post('/v1/projects/new', { name: 'x'.repeat(body ?? 0) })
    expect(large.error.type).toBe('too_large')
    const left = /r=(\d+)/.exec(large.headers.get('ratelimit') ?? '')?.[1]
    expect(Number(left)).toBe((requests_at_once ?? 0) - 2)
  })
})

const unversioned = endpoints.filter(
  ({ path, auth }) =>
    !path.startsWith('/v1/') &&
    auth !== 'client' &&
    !/^\/(healthz|readyz|openapi|\.well-known|ads\/)/.test(path),
)

test.each(unversioned.map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s exists in the newer family too, with the same failures',
  (_, one) => {
    const twin = endpoints.find(({ method, path }) => method === one.method && path === twinOf(one))
    // The new key is in the answer of the newer reset, which needs no mail.
    const { mail_not_configured: _mail, ...failures } = one.failures as Readonly<Record<string, number>>
    expect(twin?.failures).toEqual(failures)
  },
)

function twinOf({ path }: Endpoint): string {
  const account = path.replace(/^\/customers\/:api_key\/projects/, '/v1/projects')
  if (account !== path) return account
  if (path.startsWith('/data/')) return path.replace('/data/', '/v1/')
  return path.startsWith('/customers/:api_key')
    ? path.replace('/customers/:api_key', '/v1/account')
    : `/v1${path}`
}
