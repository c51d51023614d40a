/** Public data of the tiers. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { getTier, listTiers } from '../../domain/tiers.ts'
import { endpoint, Nothing } from '../endpoint.ts'
import { Tier, Yes } from '../shapes.ts'

const list = endpoint({
  name: 'tiers.list',
  summary: 'List the tiers: what each plan costs and allows.',
  method: 'GET',
  path: '/data/tiers',
  auth: 'none',
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, tiers: Type.Array(Tier) }),
  failures: {},
  async handle(_call, deps) {
    return { tiers: await listTiers(deps) }
  },
})

const get = endpoint({
  name: 'tiers.get',
  summary: 'Get one tier.',
  method: 'GET',
  path: '/data/tiers/:tier',
  auth: 'none',
  params: Type.Object({ tier: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) }),
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, tier: Tier }),
  failures: {},
  async handle({ params }, deps) {
    const tier = await getTier(deps, params.tier)
    return tier instanceof Refused ? tier : { tier }
  },
})

export const tiers = [
  list,
  get,
  { ...list, name: 'v1.tiers.list', path: '/v1/tiers' },
  { ...get, name: 'v1.tiers.get', path: '/v1/tiers/:tier' },
]
