/** Ordered checkpoints of ad systems, and the providers that they may use. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused, refuse, refuseMember } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { providerIds } from '../../../platform/ad-providers/list.ts'
import type { ProviderId } from '../../../platform/ad-providers/provider.ts'
import {
  type AdCheckpointDraft,
  createAdCheckpoint,
  describeAdCheckpoint,
  editAdCheckpoint,
  listAdCheckpoints,
  prepareAdCheckpoint,
  removeAdCheckpoint,
  swapAdCheckpoint,
} from '../checkpoints.ts'
import { describeAdProviders } from '../providers.ts'

const text = Type.String()
const addresses = { callback_id: text, postback_id: text, callback_url: text, postback_url: text }
const Provider = Type.Unsafe<ProviderId>({ type: 'string', enum: [...providerIds] })
const ProviderData = Type.Object({}, { additionalProperties: true })

const AdCheckpoint = shape.named('AdCheckpoint', {
  id: text,
  system_id: text,
  index: shape.Count,
  name: text,
  url: text,
  provider: Provider,
  provider_data: ProviderData,
  ...addresses,
  created_at: Type.Integer(),
  total_started: Type.Integer(),
  total_completed: Type.Integer(),
  fallback_checkpoint_id: shape.nullable(text),
})
const AdSystemParams = Type.Object({ system_id: text })
const AdCheckpointParams = Type.Object({ checkpoint_id: text })

const draft = {
  name: shape.maybe(shape.Name),
  url: shape.maybe(Type.String({ maxLength: 2048, description: 'the https address of the link' })),
  provider: Type.Optional(
    Type.Unsafe<ProviderId | null>({ type: ['string', 'null'], enum: [...providerIds, null] }),
  ),
  fallback_checkpoint_id: shape.maybe(
    Type.String({
      description: 'another checkpoint, offered while the provider of this one is down; empty for none',
    }),
  ),
}
/** Checked by the provider's own rules, whose complaints have a code of their own. */
const InBody = shape.members({
  ...draft,
  provider_data: Type.Optional(Type.Unknown({ description: "an object of the provider's settings" })),
})
const InQuery = shape.members({
  ...draft,
  provider_data: shape.maybe(Type.String({ description: "an object of the provider's settings as JSON" })),
})

const Settings = Type.Array(
  Type.Object({
    id: text,
    name: text,
    type: Type.String({ enum: ['text', 'toggle', 'info'] }),
    info: text,
    required: Type.Boolean(),
  }),
)

const providers = endpoint({
  name: 'v1.adProviders.list',
  summary: 'List the ad providers and what has to be set for each.',
  description:
    'For every provider the settings that a checkpoint needs in `provider_data`: id, name, kind, help, and whether it must be given. Entries of the type `info` are texts to show and hold no value.',
  method: 'GET',
  path: '/v1/adproviders',
  auth: 'customer',
  scope: 'ads:read',
  // It describes the service, nothing of the account.
  narrows: true,
  response: Type.Object({
    success: shape.Yes,
    providers: Type.Object({ provider_a: Settings, provider_b: Settings, provider_c: Settings }),
  }),
  async handle(_, { config }) {
    return { providers: describeAdProviders(config) }
  },
})

const list = endpoint({
  name: 'v1.adCheckpoints.list',
  summary: 'List the checkpoints of an ad system in the order in which visitors pass them.',
  description:
    'In the order in which visitors pass them, by `index` from 0, with how many started and completed each. Secrets in `provider_data` are masked.',
  method: 'GET',
  path: '/v1/adsystems/:system_id/checkpoints',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  query: shape.Page,
  response: Type.Object({
    success: shape.Yes,
    checkpoints: Type.Array(AdCheckpoint),
    total: shape.Count,
  }),
  handle: ({ subject, query }, deps) => listAdCheckpoints(deps, subject, shape.given(query)),
})

const prepare = inBothFamilies({
  name: 'adCheckpoints.prepare',
  summary:
    'Reserve the addresses of the next checkpoint, so that a link for them can be made at the provider.',
  description:
    'Providers want the addresses of the checkpoint before they give out a link, so this comes first: enter `callback_url` or `postback_url` at the provider, then create the checkpoint with the link. Calling it again answers the same addresses until the checkpoint is created.',
  method: 'POST',
  path: '/adsystems/:system_id/checkpoints/prepare',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  response: Type.Object({
    success: shape.Yes,
    checkpoint_id: text,
    ...addresses,
    expires_at: Type.Integer(),
  }),
  failures: { max_checkpoints_reached: 0, account_expired: 1 },
  handle: ({ subject }, deps) => prepareAdCheckpoint(deps, subject),
})

/** The interface gives the members to a GET; they may come in the query or in the body. */
const create = (method: 'GET' | 'POST') =>
  endpoint({
    name: method === 'GET' ? 'v1.adCheckpoints.createByGet' : 'v1.adCheckpoints.create',
    summary: 'Make the prepared checkpoint the last one of its system; all members are required.',
    description:
      'Visitors of the system pass the new checkpoint from now on, after those that there are. The settings in `provider_data` are checked by the rules of the provider, and complaints name the setting. With GET the members come in the query, because the interface has that form; no cookie opens it. Prefer POST, which may carry an `Idempotency-Key`.',
    example: {
      [method === 'GET' ? 'query' : 'body']: {
        name: 'First link',
        url: 'https://links.example.com/s?abc',
        provider: 'provider_c',
        provider_data: method === 'GET' ? '{"link_id":"42"}' : { link_id: '42' },
      },
    },
    method,
    path: '/v1/adsystems/:system_id/checkpoints/new',
    auth: 'adSystem',
    scope: 'ads:write',
    ...(method === 'GET' && { changes: true as const }),
    params: AdSystemParams,
    query: InQuery,
    body: InBody,
    readsBody: true,
    response: Type.Object({ success: shape.Yes, checkpoint_id: text }),
    failures: {
      checkpoint_not_prepared: 0,
      max_checkpoints_reached: 1,
      account_expired: 2,
      invalid_provider_data: 3,
    },
    async handle({ subject, query, body }, deps) {
      const read = readDraft(shape.given(query), shape.given(body))
      if (read instanceof Refused) return read
      const checkpoint_id = await createAdCheckpoint(deps, subject, read)
      return checkpoint_id instanceof Refused ? checkpoint_id : { checkpoint_id }
    },
  })

const get = endpoint({
  name: 'v1.adCheckpoints.get',
  summary: 'Get a checkpoint; secrets are shown masked.',
  description:
    'All settings of the checkpoint with its addresses for the provider and its totals. Secrets come masked, and a masked one that you send back with an edit stays what it is.',
  method: 'GET',
  path: '/v1/adcheckpoints/:checkpoint_id',
  auth: 'adCheckpoint',
  scope: 'ads:read',
  params: AdCheckpointParams,
  response: Type.Object({ success: shape.Yes, checkpoint: AdCheckpoint }),
  async handle({ subject }, deps) {
    return { checkpoint: describeAdCheckpoint(deps, subject.checkpoint) }
  },
})

const edit = endpoint({
  name: 'v1.adCheckpoints.edit',
  summary:
    'Edit a checkpoint: members that are absent or null stay, a secret that is sent as it is shown stays too. Another provider gets a new postback address.',
  description:
    'Counts for visitors who come to this step from now on. With another provider its settings have to be sent as well, and the postback address is a new one to be entered there.',
  example: { body: { name: 'First link', url: 'https://links.example.com/s?abc' } },
  method: 'POST',
  path: '/v1/adcheckpoints/:checkpoint_id/edit',
  auth: 'adCheckpoint',
  scope: 'ads:write',
  params: AdCheckpointParams,
  body: InBody,
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1, invalid_provider_data: 2 },
  async handle({ subject, body }, deps) {
    return (await editAdCheckpoint(deps, subject, shape.given(body))) ?? {}
  },
})

const swap = endpoint({
  name: 'v1.adCheckpoints.swap',
  summary: 'Exchange a checkpoint with the one at an index, counted from 0.',
  description:
    'Changes the order: this checkpoint and the one at `index` exchange their places. Visitors who are on their way keep what they passed.',
  example: { body: { index: 1 } },
  method: 'POST',
  path: '/v1/adcheckpoints/:checkpoint_id/swap',
  auth: 'adCheckpoint',
  scope: 'ads:write',
  params: AdCheckpointParams,
  body: shape.members({ index: Type.Integer() }),
  response: shape.Done,
  failures: { invalid_index: 0, account_expired: 1 },
  async handle({ subject, body }, deps) {
    return (await swapAdCheckpoint(deps, subject, body.index)) ?? {}
  },
})

const remove = endpoint({
  name: 'v1.adCheckpoints.remove',
  summary: 'Remove a checkpoint; those behind it move up.',
  description:
    'The indexes of those behind it fall by one. For visitors on their way it counts as passed as soon as a provider has confirmed another of their steps.',
  method: 'POST',
  path: '/v1/adcheckpoints/:checkpoint_id/remove',
  auth: 'adCheckpoint',
  scope: 'ads:write',
  params: AdCheckpointParams,
  response: shape.Done,
  async handle({ subject }, deps) {
    await removeAdCheckpoint(deps, subject)
    return {}
  },
})

/** The interface writes `prepare` without `/v1`; both paths are there. */
export const adCheckpoints: readonly Endpoint[] = [
  ...[providers, list, ...prepare, create('GET'), create('POST')],
  ...[get, edit, swap, remove],
]

type Part = Partial<AdCheckpointDraft>

/** Each member from where it was given; in both places it would be a guess which is meant. */
function readDraft(query: Part, body: Part): AdCheckpointDraft | Refused<'invalid_request'> {
  const twice = Object.keys(query).find((member) => member in body)
  if (twice !== undefined) return refuseMember(twice, 'must be given once, in the query or in the body')
  const { name, url, provider, provider_data, ...others } = { ...query, ...body }
  const isWhole = name !== undefined && url !== undefined && provider !== undefined
  if (isWhole && provider_data !== undefined)
    return { ...others, name, url, provider, provider_data: parsed(provider_data) }
  const members = Object.entries({ name, url, provider, provider_data })
  const missing = members.filter(([, value]) => value === undefined)
  return refuse('invalid_request', {
    failed: missing.map(([field]) => ({ field, errors: ['is required'] })),
  })
}

/** What is no JSON stays a text, which no provider takes. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
