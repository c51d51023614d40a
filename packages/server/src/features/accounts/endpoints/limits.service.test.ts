/** The endpoint that publishes the server's limits. */
import { describe, expect, it } from 'vitest'
import { sqlite } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'

describe('GET /v1/limits', () => {
  const { at } = serverOn(sqlite, { config: { apiRates: 2, bodyLimit: 5000, generateLimit: 7 } })

  it('returns the configured limits', async () => {
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

  it('returns the limits that are enforced', async () => {
    const owner = await at().createCustomer()
    const { body, requests_at_once } = (await owner.get('/v1/limits')).body.limits as Record<string, number>
    const large = await owner.post('/v1/projects/new', { name: 'x'.repeat(body ?? 0) })
    expect(large.error.type).toBe('too_large')
    const left = /r=(\d+)/.exec(large.headers.get('ratelimit') ?? '')?.[1]
    expect(Number(left)).toBe((requests_at_once ?? 0) - 2)
  })
})
