/** Operators' side of the tiers. */
import { Type } from 'typebox'
import { listTiers, putTier, removeTier } from '../../domain/tiers.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import { Done, Limit, members, Name, Tier, Yes } from '../shapes.ts'

const TierParams = Type.Object({ id: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) })

const list = endpoint({
  name: 'admin.tiers.list',
  summary: 'List the tiers.',
  method: 'GET',
  path: '/v1/admin/tiers',
  auth: 'admin',
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, tiers: Type.Array(Tier), total: Type.Integer() }),
  failures: {},
  async handle(_call, deps) {
    const tiers = await listTiers(deps)
    return { tiers, total: tiers.length }
  },
})

const put = endpoint({
  name: 'admin.tiers.put',
  summary: 'Create a tier, or put another in its place; every limit is per account.',
  method: 'PUT',
  path: '/v1/admin/tiers/:id',
  auth: 'admin',
  params: TierParams,
  query: Nothing,
  body: members({
    name: Name,
    max_users: Limit,
    max_projects: Limit,
    max_scripts: Limit,
    free_for_all: Limit,
    obfuscations: Limit,
    price: Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
    max_ad_users: Limit,
    max_checkpoints: Limit,
    max_systems: Limit,
  }),
  response: Type.Object({ success: Yes, tier: Tier }),
  failures: {},
  async handle({ params, body }, deps) {
    return { tier: await putTier(deps, { id: params.id, ...body }) }
  },
})

const remove = endpoint({
  name: 'admin.tiers.remove',
  summary: 'Remove a tier that no account is on.',
  method: 'POST',
  path: '/v1/admin/tiers/:id/remove',
  auth: 'admin',
  params: TierParams,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: { tier_in_use: 0 },
  async handle({ params }, deps) {
    return (await removeTier(deps, params.id)) ?? {}
  },
})

export const adminTiers: readonly Endpoint[] = [list, put, remove]
