/** All live sessions of a project at once, beyond the interface: asked and ended by filter, and watched. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { watchSessions } from '../../domain/session-events.ts'
import { disconnectFiltered, messageFiltered } from '../../domain/sessions.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { MessageData, MessageKey, Outcomes } from './sessions.ts'

const text = Type.String()
/** Members that a session must have; none of them means every session of the project. */
const conditions = {
  script_id: shape.maybe(text),
  user_key: shape.maybe(text),
  game_user_id: shape.maybe(text),
  place_id: shape.maybe(text),
  job_id: shape.maybe(text),
}

const message = endpoint({
  name: 'v1.projectSessions.message',
  summary:
    'Send a message to all live sessions of a project that match, and wait up to 60 seconds for all responses.',
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/message',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({ ...conditions, key: MessageKey, data: MessageData }),
  isLong: true,
  response: Outcomes,
  failures: {},
  async handle({ subject, body: { key, data = null, ...filter } }, deps) {
    const responses = await messageFiltered(deps, subject.project, shape.given(filter), { key, data })
    return responses instanceof Refused ? responses : { responses }
  },
})

const disconnect = endpoint({
  name: 'v1.projectSessions.disconnect',
  summary: 'End all live sessions of a project that match.',
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/disconnect',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members(conditions),
  isLong: true,
  response: Outcomes,
  failures: {},
  async handle({ subject, body }, deps) {
    return { responses: await disconnectFiltered(deps, subject.project, shape.given(body)) }
  },
})

const events = endpoint({
  name: 'v1.projectSessions.events',
  summary: 'Watch the live sessions of a project as server-sent events: opened, detached, resumed, closed.',
  method: 'GET',
  path: '/v1/projects/:project_id/sessions/events',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  produces: 'events',
  response: Type.String({ description: 'each event carries the session as JSON' }),
  failures: {},
  async handle({ subject }, deps) {
    const parts = await watchSessions(deps, subject.project)
    return parts instanceof Refused ? parts : { parts }
  },
})

export const projectSessionsV1: readonly Endpoint[] = [message, disconnect, events]
