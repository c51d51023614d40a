/** Endpoints for the ordered checkpoints of ad systems, and for the providers available to them. */
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
import { describeAdNetworks, describeAdProviders } from '../providers.ts'

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
  value_per_thousand: shape.nullable(Type.Integer()),
})
const AdSystemParams = Type.Object({ system_id: text })
const AdCheckpointParams = Type.Object({ checkpoint_id: text })

const draft = {
  name: shape.maybe(shape.Name),
  url: shape.maybe(Type.String({ maxLength: 2048, description: 'link URL (https)' })),
  provider: Type.Optional(
    Type.Unsafe<ProviderId | null>({ type: ['string', 'null'], enum: [...providerIds, null] }),
  ),
  fallback_checkpoint_id: shape.maybe(
    Type.String({
      description:
        "ID of the checkpoint offered while this checkpoint's provider is down. Leave empty for none",
    }),
  ),
  value_per_thousand: shape.maybe(
    Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description:
        'your revenue from 1,000 completed visits, in hundredths of your currency: 450 means 4.50. 0 means unknown',
    }),
  ),
}
/** `provider_data` is validated by the provider's own rules, whose errors have a separate error code. */
const InBody = shape.members({
  ...draft,
  provider_data: Type.Optional(Type.Unknown({ description: 'provider settings' })),
})
const InQuery = shape.members({
  ...draft,
  provider_data: shape.maybe(Type.String({ description: 'provider settings as JSON' })),
})

const Settings = Type.Array(
  Type.Object({
    id: text,
    name: text,
    type: Type.String({ enum: ['text', 'toggle', 'info'], description: 'type of the setting' }),
    info: text,
    required: Type.Boolean(),
    secret: Type.Boolean({ description: 'whether the value is masked when it is returned' }),
  }),
)

const Network = shape.named('AdNetwork', {
  name: Type.String({ description: 'display name of the provider', examples: ['Linkvertise'] }),
  available: Type.Boolean({
    description: 'whether the provider is available. False if the operator turned it off',
  }),
  preset: Type.Boolean({
    description:
      'whether the provider uses its default network (Linkvertise, LootLabs or Work.ink). False if the operator set another URL',
  }),
  creates_links: Type.Boolean({ description: "whether the provider's API can create links" }),
  hosts: Type.Array(Type.String({ examples: ['linkvertise.com'] }), {
    description: 'hosts that links can use',
  }),
})

const providers = endpoint({
  name: 'v1.adProviders.list',
  summary: 'List ad providers',
  description:
    'Returns all ad providers with the settings that a checkpoint needs in `provider_data`. Each setting has an ID, a name, a type and a help text, and indicates whether it is required and whether it is a secret. Entries of the `info` type are help texts to display, and take no value.',
  method: 'GET',
  path: '/v1/adproviders',
  auth: 'customer',
  scope: 'ads:read',
  // Nothing needs filtering: the response describes the server and contains no account data.
  filtersByProject: true,
  response: Type.Object({
    success: shape.Yes,
    providers: Type.Object({ provider_a: Settings, provider_b: Settings, provider_c: Settings }),
    networks: Type.Object({ provider_a: Network, provider_b: Network, provider_c: Network }),
  }),
  async handle(_, { config }) {
    return { providers: describeAdProviders(config), networks: describeAdNetworks(config) }
  },
})

const list = endpoint({
  name: 'v1.adCheckpoints.list',
  summary: 'List checkpoints',
  description:
    "Returns an ad system's checkpoints in the order visitors complete them, with an `index` starting at 0 and the number of visitors who started and completed each. Secrets in `provider_data` are masked.",
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
  summary: 'Prepare a checkpoint',
  description:
    'Reserves the URLs of the next checkpoint. Providers require them before they issue a link, so call this first, enter `callback_url` or `postback_url` at the provider, then create the checkpoint with the link. Returns the same URLs until the checkpoint is created.',
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

/**
 * The unversioned API creates checkpoints with GET requests, whose fields may be in the query or in the body.
 */
const create = (method: 'GET' | 'POST') =>
  endpoint({
    name: method === 'GET' ? 'v1.adCheckpoints.createByGet' : 'v1.adCheckpoints.create',
    summary: 'Create a checkpoint',
    description:
      "Adds the prepared checkpoint to the end of its ad system, effective immediately. All fields are required. `provider_data` must match the provider's settings, and errors name the invalid setting. With GET, the fields are query parameters, and session cookies are not accepted. Prefer POST, which also supports an `Idempotency-Key`.",
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
  summary: 'Retrieve a checkpoint',
  description:
    "Returns a checkpoint's settings with its callback and postback URLs and its totals. Secrets are masked; a masked secret that you send back in an edit is left unchanged.",
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
  summary: 'Update a checkpoint',
  description:
    'Changes a checkpoint for visitors who reach it from now on. Fields that are absent or null are unchanged, and so are secrets sent back in masked form. To change the provider, also send its settings; the checkpoint then gets a new postback URL, which you must enter at the new provider.',
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
  summary: 'Swap two checkpoints',
  description:
    'Swaps this checkpoint with the one at `index`, starting at 0. Visitors keep the checkpoints they have completed.',
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
  summary: 'Remove a checkpoint',
  description:
    'Removes a checkpoint; the indexes of the checkpoints after it decrease by one. For visitors in progress, the removed checkpoint counts as completed once a provider has confirmed another of their checkpoints.',
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

/** `prepare` is documented without `/v1`, but both paths work. */
export const adCheckpoints: readonly Endpoint[] = [
  ...[providers, list, ...prepare, create('GET'), create('POST')],
  ...[get, edit, swap, remove],
]

type Part = Partial<AdCheckpointDraft>

/** Reads each field from the query or the body. Rejects a field that appears in both as ambiguous. */
function readDraft(query: Part, body: Part): AdCheckpointDraft | Refused<'invalid_request'> {
  const twice = Object.keys(query).find((member) => member in body)
  if (twice !== undefined) return refuseMember(twice, 'must be sent only once, in the query or in the body')
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

/** Invalid JSON is kept as a string, which every provider rejects. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
