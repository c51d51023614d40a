/** Ad systems of an account. Their checkpoints are in `ad-checkpoints.ts`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
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
  url: shape.nullable(Type.String()),
  page_url: Type.String({
    description: 'where visitors begin: put it where users of the project find it',
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
const ProjectId = Type.String({ description: 'the id of a project' })
const MaxKeys = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'keys that a visitor may have at once',
})

const create = endpoint({
  name: 'v1.adSystems.create',
  summary: 'Create an ad system, by which visitors of ads earn keys of a project.',
  description:
    'A new system has no checkpoints yet, and no address but its id. `key_duration` is how long an earned key lasts, `max_keys` how many one visitor may have, `max_duration` how far into the future a key can be extended. How many systems there may be is in your plan.',
  example: { body: { project_id: 'prj_0VMc4VLkH7rAbCdEfGhIjK', name: 'Free keys' } },
  method: 'POST',
  path: '/v1/adsystems/new',
  auth: 'customer',
  scope: 'ads:write',
  narrows: true,
  body: shape.members({
    project_id: ProjectId,
    name: shape.Name,
    key_duration: shape.maybe(shape.Milliseconds),
    max_keys: shape.maybe(MaxKeys),
    allow_extending: shape.maybe(shape.Flag),
    max_duration: shape.maybe(shape.Milliseconds),
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
  summary: 'List the ad systems of the account.',
  description:
    'All systems of the projects that you may reach, oldest first, with how many keys they gave away and how many visits were completed.',
  method: 'GET',
  path: '/v1/adsystems',
  auth: 'customer',
  scope: 'ads:read',
  narrows: true,
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
  summary: 'Get an ad system.',
  description:
    'The rules and totals of one system. Its checkpoints are a list of their own, and so are the numbers of each step.',
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
  summary: 'Edit an ad system: members that are absent or null stay.',
  description:
    'Rules count for keys that are earned from now on; keys that exist keep their end. With `project_id` the system moves to another project of yours; keys that it issued stay where they are.',
  example: { body: { name: 'Free keys', key_duration: 86_400_000 } },
  method: 'POST',
  path: '/v1/adsystems/:system_id/edit',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  body: shape.members({
    project_id: shape.maybe(ProjectId),
    name: shape.maybe(shape.Name),
    key_duration: shape.maybe(shape.Milliseconds),
    max_keys: shape.maybe(MaxKeys),
    allow_extending: shape.maybe(shape.Flag),
    max_duration: shape.maybe(shape.Milliseconds),
  }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1, invalid_durations: 2 },
  async handle({ subject, caller, body }, deps) {
    return (await editAdSystem(deps, subject, shape.given(body), caller)) ?? {}
  },
})

const url = endpoint({
  name: 'v1.adSystems.url',
  summary: 'Give an ad system an address of its own, or take it away with an empty text.',
  description:
    'Gives the page of the system an address that people can read, such as `/ads/garden`. It is unique on this service, and its system keeps it until it is taken away. The address with the id goes on working.',
  example: { body: { url: 'garden' } },
  method: 'POST',
  path: '/v1/adsystems/:system_id/url',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  body: shape.members({
    url: shape.maybe(Type.String({ description: '3 to 32 of A-Z, a-z, 0-9 and -, or the empty text' })),
  }),
  response: shape.Done,
  failures: { account_expired: 0, invalid_url: 1, url_already_taken: 2 },
  async handle({ subject, body }, deps) {
    return (await setAdSystemUrl(deps, subject, shape.given(body).url)) ?? {}
  },
})

const remove = endpoint({
  name: 'v1.adSystems.remove',
  summary: 'Remove an ad system with its checkpoints; keys that it issued stay.',
  description:
    'The page of the system is gone, and visits that were not finished earn nothing. Keys that it gave away stay valid until they expire.',
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
  summary: 'What happens to the visitors of an ad system, by checkpoint.',
  description:
    'How many visitors started and completed each checkpoint, how long half of them took, and why attempts were refused. A step that many start and few complete is mostly a link that leads to the wrong address.',
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
            total_started: 820,
            total_completed: 655,
            median_duration: 42_000,
            refused: [{ reason: 'too_fast', count: 3 }],
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
          total_started: Type.Integer(),
          total_completed: Type.Integer(),
          /** From the way out to the confirmation. */
          median_duration: shape.nullable(Type.Integer()),
          refused: Type.Array(Type.Object({ reason: Type.String(), count: shape.Count })),
        }),
      ),
    }),
  }),
  async handle({ subject }, deps) {
    return { statistics: await readAdStatistics(deps, subject) }
  },
})

const days = endpoint({
  name: 'v1.adSystems.days',
  summary: 'What happened to the visitors of an ad system, day by day.',
  description:
    'For a chart of the funnel over time: how many visitors started, completed and were refused at each checkpoint on each day in UTC, and how many keys were given away. The last 30 days unless `from` and `to` say otherwise; days are stored for 400. Visits before this was counted are in the totals alone.',
  example: {
    answer: {
      success: true,
      days: [
        {
          at: 1_790_035_200_000,
          completions: 41,
          keys: 30,
          checkpoints: [
            { checkpoint_id: 'chk_0VMc4VLkW5tCdEfGhIjKlM', started: 52, completed: 41, refused: 3 },
          ],
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
          'the day with this time is the first one, or the oldest that is stored; milliseconds since 1970',
        examples: [1_790_000_000_000],
      }),
    ),
    to: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description: 'the last one begins before it; now unless given',
        examples: [1_790_100_000_000],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    days: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'when it began' }),
        completions: Type.Integer({ description: 'visitors who passed all checkpoints and took their key' }),
        keys: Type.Integer({ description: 'new keys among them; the others were extended' }),
        checkpoints: Type.Array(
          Type.Object({
            checkpoint_id: Type.String(),
            started: Type.Integer({ description: 'visitors who were sent out' }),
            completed: Type.Integer({ description: 'visitors who were confirmed' }),
            refused: Type.Integer({ description: 'attempts that were refused, for any reason' }),
          }),
          { description: 'those that had visitors on this day, in their order' },
        ),
      }),
      { description: 'every day, oldest first, also those without visitors' },
    ),
  }),
  async handle({ subject, query }, deps) {
    const found = await readAdDays(deps, subject, shape.given(query))
    return found instanceof Refused ? found : { days: found }
  },
})

export const adSystems: readonly Endpoint[] = [create, list, get, edit, url, remove, statistics, days]
