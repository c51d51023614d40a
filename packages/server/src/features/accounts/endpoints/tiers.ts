/** Tiers: what each plan costs and allows, and how operators change them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { getTier, listTiers, putTier, removeTier } from '../tiers.ts'

const TierId = Type.Integer({ minimum: 0, maximum: 2_147_483_647, examples: [1] })
const TierParams = Type.Object({ id: TierId })

const list = inBothFamilies(
  {
    name: 'tiers.list',
    summary: 'List the tiers: what each plan costs and allows.',
    description:
      'Every plan of this service with its price and its limits, for a page of prices or to see what a larger plan would bring. A limit of -1 means that there is none. Anyone may ask, without a credential, and the answer is the same for all.',
    method: 'GET',
    path: '/data/tiers',
    auth: 'none',
    scope: null,
    compresses: 'answer',
    response: Type.Object({ success: shape.Yes, tiers: Type.Array(shape.Tier) }),
    async handle(_call, deps) {
      return { tiers: await listTiers(deps) }
    },
  },
  {
    v1: {
      path: '/v1/tiers',
    },
  },
)

const get = inBothFamilies(
  {
    name: 'tiers.get',
    summary: 'Get one tier.',
    description:
      'The price and the limits of one plan, by its number, such as the `tier` of an account. Anyone may ask. A number that no plan has answers 404.',
    method: 'GET',
    path: '/data/tiers/:tier',
    auth: 'none',
    scope: null,
    params: Type.Object({ tier: TierId }),
    response: Type.Object({ success: shape.Yes, tier: shape.Tier }),
    async handle({ params }, deps) {
      const tier = await getTier(deps, params.tier)
      return tier instanceof Refused ? tier : { tier }
    },
  },
  {
    v1: {
      path: '/v1/tiers/:tier',
    },
  },
)

const listForOperators = endpoint({
  name: 'admin.tiers.list',
  summary: 'List the tiers.',
  description:
    'The same list as everybody sees at `/v1/tiers`, with its total, for tools of operators that stay under one path. Tier 0 is what a new account gets unless it is created with another.',
  method: 'GET',
  path: '/v1/admin/tiers',
  auth: 'admin',
  scope: 'admin',
  response: Type.Object({ success: shape.Yes, tiers: Type.Array(shape.Tier), total: Type.Integer() }),
  async handle(_call, deps) {
    const tiers = await listTiers(deps)
    return { tiers, total: tiers.length }
  },
})

const put = endpoint({
  name: 'admin.tiers.put',
  summary: 'Create a tier, or put another in its place; every limit is per account.',
  description:
    'Replaces the whole tier: every member has to be sent, and -1 lifts a limit. It counts at once for all accounts on the tier. Nothing that an account has beyond a lower limit is removed; it only cannot add more.',
  method: 'PUT',
  path: '/v1/admin/tiers/:id',
  auth: 'admin',
  scope: 'admin',
  params: TierParams,
  body: shape.members({
    name: Type.String({ ...shape.NAME, examples: ['Pro'] }),
    max_users: shape.Limit,
    max_projects: shape.Limit,
    max_scripts: shape.Limit,
    free_for_all: shape.Limit,
    obfuscations: shape.Limit,
    price: Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
    max_ad_users: shape.Limit,
    max_checkpoints: shape.Limit,
    max_systems: shape.Limit,
  }),
  response: Type.Object({ success: shape.Yes, tier: shape.Tier }),
  async handle({ params, body }, deps) {
    return { tier: await putTier(deps, { id: params.id, ...body }) }
  },
})

const remove = endpoint({
  name: 'admin.tiers.remove',
  summary: 'Remove a tier that no account is on.',
  description:
    'Takes a plan out of the list. One that accounts are on is refused with `tier_in_use`: move those accounts to another tier first with `/v1/admin/customers/:id/edit`.',
  method: 'POST',
  path: '/v1/admin/tiers/:id/remove',
  auth: 'admin',
  scope: 'admin',
  params: TierParams,
  response: shape.Done,
  failures: { tier_in_use: 0 },
  async handle({ params }, deps) {
    return (await removeTier(deps, params.id)) ?? {}
  },
})

export const tiers: readonly Endpoint[] = [...list, ...get, listForOperators, put, remove]
