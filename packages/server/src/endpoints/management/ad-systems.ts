/** Ad systems of an account. Their checkpoints are in `ad-checkpoints.ts`. */
import { Type } from 'typebox'
import { readAdStatistics } from '../../domain/ads/counts.ts'
import {
  createAdSystem,
  editAdSystem,
  getAdSystem,
  listAdSystems,
  removeAdSystem,
  setAdSystemUrl,
} from '../../domain/ads/systems.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const AdSystem = Type.Object({
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
  method: 'POST',
  path: '/v1/adsystems/new',
  auth: 'customer',
  scope: 'ads:write',
  narrows: true,
  params: Nothing,
  query: Nothing,
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
  method: 'GET',
  path: '/v1/adsystems',
  auth: 'customer',
  scope: 'ads:read',
  narrows: true,
  params: Nothing,
  query: shape.OrderedPage,
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    systems: Type.Array(AdSystem),
    total: shape.Count,
    next: shape.Next,
  }),
  failures: {},
  handle: ({ subject: customer, caller, query }, deps) =>
    listAdSystems(deps, { customer, caller }, shape.given(query)),
})

const get = endpoint({
  name: 'v1.adSystems.get',
  summary: 'Get an ad system.',
  method: 'GET',
  path: '/v1/adsystems/:system_id',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, system: AdSystem }),
  failures: {},
  async handle({ subject }, deps) {
    const system = await getAdSystem(deps, subject)
    return system instanceof Refused ? system : { system }
  },
})

const edit = endpoint({
  name: 'v1.adSystems.edit',
  summary: 'Edit an ad system: members that are absent or null stay.',
  method: 'POST',
  path: '/v1/adsystems/:system_id/edit',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  query: Nothing,
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
  method: 'POST',
  path: '/v1/adsystems/:system_id/url',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  query: Nothing,
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
  method: 'POST',
  path: '/v1/adsystems/:system_id/remove',
  auth: 'adSystem',
  scope: 'ads:write',
  params: AdSystemParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: {},
  async handle({ subject }, deps) {
    await removeAdSystem(deps, subject)
    return {}
  },
})

const statistics = endpoint({
  name: 'v1.adSystems.statistics',
  summary: 'What happens to the visitors of an ad system, by checkpoint.',
  method: 'GET',
  path: '/v1/adsystems/:system_id/statistics',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  query: Nothing,
  body: Nothing,
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
  failures: {},
  async handle({ subject }, deps) {
    return { statistics: await readAdStatistics(deps, subject) }
  },
})

export const adSystems: readonly Endpoint[] = [create, list, get, edit, url, remove, statistics]
