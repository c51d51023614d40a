/** Endpoints for the ad systems of an account. Their checkpoints are in `ad-checkpoints.ts`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { providerIds } from '../../../platform/ad-providers/list.ts'
import type { ProviderId } from '../../../platform/ad-providers/provider.ts'
import { readAdDays, readAdStatistics } from '../counts.ts'
import {
  createAdSystem,
  editAdSystem,
  getAdSystem,
  listAdSystems,
  removeAdSystem,
  setAdSystemUrl,
} from '../systems.ts'

const AdSystem = shape.named('AdSystem', {
  id: Type.String(),
  project_id: Type.String(),
  name: Type.String(),
  url: shape.nullable(
    Type.String({ description: 'last segment of the custom URL. Null if there is no custom URL' }),
  ),
  page_url: Type.String({
    description: 'public URL where visitors start. Share it with your customers',
    examples: ['https://ward.example.com/ads/garden'],
  }),
  key_duration: Type.Integer(),
  max_keys: Type.Integer(),
  allow_extending: Type.Boolean(),
  max_duration: Type.Integer(),
  created_at: Type.Integer(),
  total_checkpoints: Type.Integer(),
  total_keys: Type.Integer(),
  total_completions: Type.Integer(),
})
const AdSystemParams = Type.Object({ system_id: Type.String() })
const ProjectId = Type.String({ description: 'project ID' })
const KeyDuration = shape.milliseconds(
  'lifetime of an earned key, and the time that each extension adds, in milliseconds',
)
const MaxDuration = shape.milliseconds(
  'maximum remaining lifetime of a key after an extension, in milliseconds from now',
)
const MaxKeys = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'maximum number of keys per visitor at a time',
})

const Provider = Type.Unsafe<ProviderId>({ type: 'string', enum: [...providerIds] })
const Bypassed = Type.Integer({
  ...shape.Count,
  description:
    'number of bypass attempts: visitors who returned too soon, with a forged or used token, or from another IP address',
})
const Value = shape.nullable(
  Type.Integer({
    description:
      'estimated revenue from completed visits, in hundredths of your currency. Null if `value_per_thousand` is not set',
  }),
)
const Counts = {
  started: Type.Integer({ description: 'number of visitors who were sent to the link' }),
  completed: Type.Integer({ description: 'number of visitors whose visit was confirmed' }),
  refused: Type.Integer({ description: 'number of rejected attempts, for any reason' }),
  bypassed: Bypassed,
}

const create = endpoint({
  name: 'v1.adSystems.create',
  summary: 'Create an ad system',
  description:
    'Creates an ad system through which visitors earn keys for a project. The new system has no checkpoints and no custom URL. `key_duration` is the lifetime of an earned key, `max_keys` the number of keys per visitor, and `max_duration` how far into the future a key can be extended. Your service tier limits the number of ad systems.',
  example: { body: { project_id: 'prj_0VMc4VLkH7rAbCdEfGhIjK', name: 'Free keys' } },
  method: 'POST',
  path: '/v1/adsystems/new',
  auth: 'customer',
  scope: 'ads:write',
  filtersByProject: true,
  body: shape.members({
    project_id: ProjectId,
    name: shape.Name,
    key_duration: shape.maybe(KeyDuration),
    max_keys: shape.maybe(MaxKeys),
    allow_extending: shape.maybe(shape.Flag),
    max_duration: shape.maybe(MaxDuration),
  }),
  namesNoun: true,
  response: Type.Object({ success: shape.Yes, system_id: Type.String() }),
  failures: { max_systems_reached: 0, account_expired: 1, invalid_durations: 2 },
  async handle({ subject: customer, caller, body: { project_id, name, ...others } }, deps) {
    const members = { ...shape.given(others), project_id, name }
    const system_id = await createAdSystem(deps, { customer, caller }, members)
    return system_id instanceof Refused ? system_id : { system_id }
  },
})

const list = endpoint({
  name: 'v1.adSystems.list',
  summary: 'List ad systems',
  description:
    'Returns the ad systems of all projects you have access to, oldest first, with the number of keys issued and visits completed.',
  method: 'GET',
  path: '/v1/adsystems',
  auth: 'customer',
  scope: 'ads:read',
  filtersByProject: true,
  query: shape.OrderedPage,
  response: Type.Object({
    success: shape.Yes,
    systems: Type.Array(AdSystem),
    total: shape.Count,
    next: shape.Next,
  }),
  handle: ({ subject: customer, caller, query }, deps) =>
    listAdSystems(deps, { customer, caller }, shape.given(query)),
})

const get = endpoint({
  name: 'v1.adSystems.get',
  summary: 'Retrieve an ad system',
  description:
    "Returns an ad system's settings and totals. Its checkpoints and their statistics are separate resources.",
  method: 'GET',
  path: '/v1/adsystems/:system_id',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  response: Type.Object({ success: shape.Yes, system: AdSystem }),
  async handle({ subject }, deps) {
    const system = await getAdSystem(deps, subject)
    return system instanceof Refused ? system : { system }
  },
})

const edit = endpoint({
  name: 'v1.adSystems.edit',
  summary: 'Update an ad system',
  description:
    'Changes an ad system for keys earned from now on; existing keys keep their expiry. Fields that are absent or null are unchanged. `project_id` moves the system to another of your projects; keys it has issued stay in their project.',
  example: { body: { name: 'Free keys', key_duration: 86_400_000 } },
  method: 'POST',
  path: '/v1/adsystems/:system_id/edit',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  body: shape.members({
    project_id: shape.maybe(ProjectId),
    name: shape.maybe(shape.Name),
    key_duration: shape.maybe(KeyDuration),
    max_keys: shape.maybe(MaxKeys),
    allow_extending: shape.maybe(shape.Flag),
    max_duration: shape.maybe(MaxDuration),
  }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1, invalid_durations: 2 },
  async handle({ subject, caller, body }, deps) {
    return (await editAdSystem(deps, subject, shape.given(body), caller)) ?? {}
  },
})

const url = endpoint({
  name: 'v1.adSystems.url',
  summary: "Set an ad system's custom URL",
  description:
    "Sets a readable URL for the ad system's page, such as `/ads/garden`. It must be unique on this server. An empty string removes it. The URL with the ID keeps working.",
  example: { body: { url: 'garden' } },
  method: 'POST',
  path: '/v1/adsystems/:system_id/url',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  body: shape.members({
    url: shape.maybe(
      Type.String({
        description: 'custom URL: 3 to 32 characters of A-Z, a-z, 0-9 and -, or an empty string to remove it',
      }),
    ),
  }),
  response: shape.Done,
  failures: { account_expired: 0, invalid_url: 1, url_already_taken: 2 },
  async handle({ subject, body }, deps) {
    return (await setAdSystemUrl(deps, subject, shape.given(body).url)) ?? {}
  },
})

const remove = endpoint({
  name: 'v1.adSystems.remove',
  summary: 'Remove an ad system',
  description:
    'Removes an ad system with its checkpoints and its page. Unfinished visits no longer earn a key. Keys it has issued stay valid until they expire.',
  method: 'POST',
  path: '/v1/adsystems/:system_id/remove',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  response: shape.Done,
  async handle({ subject }, deps) {
    await removeAdSystem(deps, subject)
    return {}
  },
})

const statistics = endpoint({
  name: 'v1.adSystems.statistics',
  summary: "Retrieve an ad system's funnel",
  description:
    'Returns how many visitors started and completed each checkpoint, the median duration, why attempts were rejected, and the bypass attempts and estimated revenue by ad provider. If many visitors start a checkpoint but few complete it, its link often has the wrong destination.',
  example: {
    answer: {
      success: true,
      statistics: {
        total_keys: 310,
        total_completions: 655,
        checkpoints: [
          {
            checkpoint_id: 'chk_0VMc4VLkW5tCdEfGhIjKlM',
            index: 0,
            name: 'First link',
            provider: 'provider_a',
            total_started: 820,
            total_completed: 655,
            median_duration: 42_000,
            refused: [{ reason: 'too_fast', count: 3 }],
            bypassed: 3,
            value: 295,
          },
        ],
        providers: [
          {
            provider: 'provider_a',
            name: 'Linkvertise',
            total_started: 820,
            total_completed: 655,
            bypassed: 3,
            bypass_share: 0.0046,
            value: 295,
          },
        ],
      },
    },
  },
  method: 'GET',
  path: '/v1/adsystems/:system_id/statistics',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  response: Type.Object({
    success: shape.Yes,
    statistics: Type.Object({
      total_keys: Type.Integer(),
      total_completions: Type.Integer(),
      checkpoints: Type.Array(
        Type.Object({
          checkpoint_id: Type.String(),
          index: shape.Count,
          name: Type.String(),
          provider: Provider,
          total_started: Type.Integer(),
          total_completed: Type.Integer(),
          /** Time from the redirect to the provider until the confirmation, in milliseconds. */
          median_duration: shape.nullable(Type.Integer()),
          refused: Type.Array(
            Type.Object({
              reason: Type.String(),
              count: Type.Integer({ ...shape.Count, description: 'number of rejected attempts' }),
            }),
          ),
          bypassed: Bypassed,
          value: Value,
        }),
      ),
      providers: Type.Array(
        Type.Object({
          provider: Provider,
          name: Type.String({ description: 'display name of the provider' }),
          total_started: Type.Integer(),
          total_completed: Type.Integer(),
          bypassed: Bypassed,
          bypass_share: Type.Number({
            description:
              'bypass attempts divided by the sum of confirmed visits and bypass attempts, from 0 to 1',
          }),
          value: Value,
        }),
        { description: 'totals for each ad provider that has checkpoints' },
      ),
    }),
  }),
  async handle({ subject }, deps) {
    return { statistics: await readAdStatistics(deps, subject) }
  },
})

const days = endpoint({
  name: 'v1.adSystems.days',
  summary: "Retrieve an ad system's daily funnel",
  description:
    'Returns how many visitors started, completed and failed each checkpoint on each day (UTC), and how many keys were issued. By default, the response covers the last 30 days; use `from` and `to` for other periods. Daily counts are kept for 400 days. Older visits are included only in the totals.',
  example: {
    answer: {
      success: true,
      days: [
        {
          at: 1_790_035_200_000,
          completions: 41,
          keys: 30,
          checkpoints: [
            {
              checkpoint_id: 'chk_0VMc4VLkW5tCdEfGhIjKlM',
              started: 52,
              completed: 41,
              refused: 3,
              bypassed: 2,
            },
          ],
          providers: [{ provider: 'provider_a', started: 52, completed: 41, refused: 3, bypassed: 2 }],
        },
      ],
    },
  },
  method: 'GET',
  path: '/v1/adsystems/:system_id/days',
  auth: 'adSystem',
  scope: 'ads:read',
  compresses: 'answer',
  params: AdSystemParams,
  query: shape.members({
    from: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description:
          'start of the period, in Unix milliseconds. The first entry is the day that contains it, or the oldest stored day',
        examples: [1_790_000_000_000],
      }),
    ),
    to: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description: 'end of the period, exclusive, in Unix milliseconds. Default: now',
        examples: [1_790_100_000_000],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    days: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'start of the day' }),
        completions: Type.Integer({
          description: 'number of visitors who completed all checkpoints and claimed their key',
        }),
        keys: Type.Integer({
          description: 'number of new keys issued. All other completed visits extended a key',
        }),
        checkpoints: Type.Array(
          Type.Object({
            checkpoint_id: Type.String(),
            ...Counts,
          }),
          { description: 'checkpoints that had visitors on this day, in the order visitors complete them' },
        ),
        providers: Type.Array(Type.Object({ provider: Provider, ...Counts }), {
          description: 'counts for each ad provider that had visitors on this day',
        }),
      }),
      { description: 'days, oldest first, including those without visitors' },
    ),
  }),
  async handle({ subject, query }, deps) {
    const found = await readAdDays(deps, subject, shape.given(query))
    return found instanceof Refused ? found : { days: found }
  },
})

export const adSystems: readonly Endpoint[] = [create, list, get, edit, url, remove, statistics, days]
