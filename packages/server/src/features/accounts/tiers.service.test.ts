/** Tiers are public. Unknown tiers return 404. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { FIRST_TIERS } from './tiers.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  describe('GET /v1/tiers', () => {
    const path = '/v1/tiers'
    it('shows the service tiers of a new database to any caller, ordered by id', async () => {
      const { status, body } = await at().client().get(path)
      expect(status).toBe(200)
      expect(body).toEqual({ success: true, tiers: FIRST_TIERS })
    })

    it('shows one service tier by its id', async () => {
      const { body } = await at().client().get(`${path}/0`)
      expect(body).toEqual({ success: true, tier: FIRST_TIERS[0] })
    })

    it.each(['99', 'free', '-1', '1.5', '1e0', '99999999999', '%00', ''])(
      'finds no service tier "%s"',
      async (id) => {
        const { error } = await at().client().get(`${path}/${id}`)
        expect(error.type).toBe('not_found')
      },
    )
  })

  it('the first admin has an unlimited service tier', async () => {
    const { body } = await at().client().get('/data/tiers/0')
    const { id, name, price, ...limits } = body.tier as Record<string, number>
    expect(Object.values(limits)).toEqual(Array(8).fill(-1))
  })
})
