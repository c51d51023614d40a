/** Endpoints for service tiers. Operators can change their prices and limits. */
import { DEFAULT_CALLS_PER_MINUTE } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { DEFAULT_LOG_DAYS, getTier, listTiers, putTier, removeTier } from '../tiers.ts'

const TierId = Type.Integer({ minimum: 0, maximum: 2_147_483_647, examples: [1] })
const TierParams = Type.Object({ id: TierId })

const list = inBothFamilies(
  {
    name: 'tiers.list',
    summary: 'List service tiers',
    description:
      'Returns all service tiers of this server with their prices and limits, for example for a pricing page. A limit of -1 means unlimited. No credentials required; the response is the same for everyone.',
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
      response: Type.Object({ success: shape.Yes, tiers: Type.Array(shape.WideTier) }),
      async handle(_call, deps) {
        return { tiers: await listTiers(deps) }
      },
    },
  },
)

const get = inBothFamilies(
  {
    name: 'tiers.get',
    summary: 'Retrieve a service tier',
    description:
      "Returns the price and limits of the service tier with this ID, such as an account's `tier`. No credentials required. Unknown IDs return 404.",
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
      response: Type.Object({ success: shape.Yes, tier: shape.WideTier }),
      async handle({ params }, deps) {
        const tier = await getTier(deps, params.tier)
        return tier instanceof Refused ? tier : { tier }
      },
    },
  },
)

const listForOperators = endpoint({
  name: 'admin.tiers.list',
  summary: 'List service tiers',
  description:
    'Returns the same list as `/v1/tiers` with its total, for operator tools. Tier 0 is the default for new accounts.',
  method: 'GET',
  path: '/v1/admin/tiers',
  auth: 'admin',
  scope: 'admin',
  response: Type.Object({ success: shape.Yes, tiers: Type.Array(shape.WideTier), total: Type.Integer() }),
  async handle(_call, deps) {
    const tiers = await listTiers(deps)
    return { tiers, total: tiers.length }
  },
})

const put = endpoint({
  name: 'admin.tiers.put',
  summary: 'Create or replace a service tier',
  description:
    "Creates a tier or replaces it entirely: all fields except `max_calls` and `log_days` are required, and -1 means unlimited. Without `max_calls`, each run can make 60 server code calls per minute. Without `log_days`, the execution log is kept for 30 days. Limits apply per account and take effect immediately for all accounts on the tier. Accounts that exceed a new limit keep their existing resources but can't add more.",
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
    free_for_all: shape.GuestLimit,
    obfuscations: shape.Limit,
    price: Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
    max_ad_users: shape.Limit,
    max_checkpoints: shape.Limit,
    max_systems: shape.Limit,
    max_calls: Type.Optional(shape.Limit),
    log_days: Type.Optional(shape.Limit),
  }),
  response: Type.Object({ success: shape.Yes, tier: shape.WideTier }),
  async handle({ params, body }, deps) {
    const { max_calls = DEFAULT_CALLS_PER_MINUTE, log_days = DEFAULT_LOG_DAYS, ...tier } = body
    return { tier: await putTier(deps, { id: params.id, ...tier, max_calls, log_days }) }
  },
})

const remove = endpoint({
  name: 'admin.tiers.remove',
  summary: 'Remove a service tier',
  description:
    'Removes a tier without accounts. If accounts still use it, the request fails with `tier_in_use`: move them to another tier first with `/v1/admin/customers/:id/edit`.',
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
