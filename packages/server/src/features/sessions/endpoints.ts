/**
 * Endpoints for the live sessions of a user, a script or a project, for single sessions, and for bulk calls.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import { watchSessions } from './events.ts'
import { listProjectSessions } from './project-sessions.ts'
import {
  describeSession,
  disconnectFiltered,
  disconnectSession,
  disconnectSessions,
  listSessions,
  messageFiltered,
  messageSession,
  messageSessions,
  sessionsOf,
} from './sessions.ts'

const text = Type.String()
const Session = shape.named('Session', {
  id: text,
  project_id: text,
  script_id: text,
  user_key: shape.nullable(Type.String({ description: 'license key. Null for a guest' })),
  executor: Type.String({ description: 'executor, as reported by the client' }),
  game_user_id: shape.nullable(text),
  place_id: shape.nullable(text),
  job_id: shape.nullable(text),
  script_version: shape.Count,
  state: Type.String({
    enum: ['ready', 'detached'],
    description:
      'whether the session is connected (ready) or was disconnected and can still resume (detached)',
  }),
  created_at: Type.Integer(),
  last_seen: Type.Integer(),
})
const SessionList = shape.named('SessionList', {
  success: shape.Yes,
  sessions: Type.Array(Session),
  total: shape.Count,
})
const SessionParams = Type.Object({ session_id: text })

/** Filters and paging for both lists. Null and an empty string match any session. */
const conditions = {
  ...shape.Page.properties,
  game_user_id: shape.maybe(text),
  place_id: shape.maybe(text),
  job_id: shape.maybe(text),
}

const MessageKey = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: ONE_LINE,
  description: 'name of the message, as registered by the script',
})
const MessageData = Type.Optional(Type.Unknown({ description: 'message data, any JSON' }))
const SessionIds = Type.Array(text, {
  minItems: 1,
  maxItems: 1000,
  description: 'session IDs',
})

/** Contains `response` if the message was processed, and `reason` otherwise. */
const outcome = {
  processed: Type.Boolean(),
  response: Type.Optional(Type.Unknown()),
  reason: Type.Optional(text),
}
const Outcome = Type.Object({ success: shape.Yes, ...outcome })
const Outcomes = shape.named('SessionOutcomes', {
  success: shape.Yes,
  responses: Type.Array(Type.Object({ session_id: text, ...outcome })),
})

/** Fields that a session must match. If there are none, all sessions of the project match. */
const projectConditions = {
  script_id: shape.maybe(text),
  user_key: shape.maybe(text),
  executor: shape.maybe(
    Type.String({ description: 'executor, as reported by the client', examples: ['Garden'] }),
  ),
  game_user_id: shape.maybe(text),
  place_id: shape.maybe(text),
  job_id: shape.maybe(text),
}

const ofUser = endpoint({
  name: 'v1.userSessions.list',
  summary: "List a user's live sessions",
  description:
    "Returns the user's current live sessions with their executor, game and start time. Ended sessions are not included.",
  method: 'GET',
  path: '/v1/users/:user_key/sessions',
  auth: 'user',
  scope: 'sessions:read',
  params: shape.UserParams,
  query: shape.Page,
  isLong: true,
  response: SessionList,
  handle: ({ subject, query }, deps) => listSessions(deps, sessionsOf(subject.user), shape.given(query)),
})

const ofUserFiltered = endpoint({
  name: 'v1.userSessions.filter',
  summary: "Filter a user's live sessions",
  description:
    "Returns the user's live sessions that match a script, a game user, a place or a server. All filters must match exactly. Empty filters are ignored.",
  example: { query: { place_id: '606849621' } },
  method: 'GET',
  path: '/v1/users/:user_key/sessions/filter',
  auth: 'user',
  scope: 'sessions:read',
  params: shape.UserParams,
  query: shape.members({ ...conditions, script_id: shape.maybe(text) }),
  isLong: true,
  response: SessionList,
  async handle({ subject, query }, deps) {
    const { from, limit, ...filter } = shape.given(query)
    return listSessions(deps, { ...filter, ...sessionsOf(subject.user) }, shape.given({ from, limit }))
  },
})

const ofScript = endpoint({
  name: 'v1.scriptSessions.list',
  summary: "List a script's live sessions",
  description:
    "Returns the script's current live sessions. Runs on hosts without WebSocket support have no session; they only count as instances of the project.",
  method: 'GET',
  path: '/v1/scripts/:script_id/sessions',
  auth: 'script',
  scope: 'sessions:read',
  params: shape.ScriptParams,
  query: shape.Page,
  isLong: true,
  response: SessionList,
  handle: ({ subject, query }, deps) =>
    listSessions(deps, { script_id: subject.script.id }, shape.given(query)),
})

const ofScriptFiltered = endpoint({
  name: 'v1.scriptSessions.filter',
  summary: "Filter a script's live sessions",
  description:
    "Returns the script's live sessions that match a key, a game user, a place or a server. All filters must match exactly. Empty filters are ignored.",
  example: { query: { place_id: '606849621' } },
  method: 'GET',
  path: '/v1/scripts/:script_id/sessions/filter',
  auth: 'script',
  scope: 'sessions:read',
  params: shape.ScriptParams,
  query: shape.members({ ...conditions, key: shape.maybe(text) }),
  isLong: true,
  response: SessionList,
  async handle({ subject, query }, deps) {
    const { from, limit, key: user_key, ...others } = shape.given(query)
    const filter = shape.given({ ...others, user_key })
    return listSessions(deps, { ...filter, script_id: subject.script.id }, shape.given({ from, limit }))
  },
})

const ofProject = endpoint({
  name: 'v1.projectSessions.list',
  summary: "List a project's live sessions",
  description:
    "Returns a project's live sessions in the order they started, with pagination. All filters that you send must match. To follow sessions without a gap, open the event stream first, then read the list, then apply the events that arrived in the meantime.",
  method: 'GET',
  path: '/v1/projects/:project_id/sessions',
  auth: 'project',
  scope: 'sessions:read',
  params: shape.ProjectParams,
  query: shape.members({ ...shape.OrderedPage.properties, ...projectConditions }),
  isLong: true,
  response: Type.Object({
    ...SessionList.properties,
    total: Type.Integer({
      minimum: 0,
      description: 'total number of matches, across all pages',
      examples: [240],
    }),
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => {
    const { from, limit, after, order, ...filter } = shape.given(query)
    return listProjectSessions(deps, subject.project, filter, shape.given({ from, limit, after, order }))
  },
})

const get = endpoint({
  name: 'v1.sessions.get',
  summary: 'Retrieve a live session',
  description:
    'Returns a live session. `state` is `ready` while the socket is open, and `detached` briefly after the connection is lost, while it can still resume. Ended sessions return `not_found`.',
  method: 'GET',
  path: '/v1/sessions/:session_id',
  auth: 'session',
  scope: 'sessions:read',
  params: SessionParams,
  response: Type.Object({ success: shape.Yes, session: Session }),
  async handle({ subject }) {
    return { session: describeSession(subject.session) }
  },
})

const disconnect = endpoint({
  name: 'v1.sessions.disconnect',
  summary: 'Disconnect a live session',
  description:
    'Ends the running script, with a reason that it can display. The user can start it again immediately; to keep someone out, blacklist them. If the session has already ended, the request fails with `session_not_found`.',
  method: 'POST',
  path: '/v1/sessions/:session_id/disconnect',
  auth: 'session',
  scope: 'sessions:write',
  params: SessionParams,
  response: shape.Done,
  failures: { session_not_found: 0 },
  missing: 'session_not_found',
  async handle({ subject }, deps) {
    return (await disconnectSession(deps, subject.session)) ?? {}
  },
})

const message = endpoint({
  name: 'v1.sessions.message',
  summary: 'Send a message to a live session',
  description:
    'Calls the function that the running script registered under `key` with `data`, waits up to 60 seconds, and returns its response. If the script does not respond in time or its function fails, the request succeeds with `processed: false` and the reason.',
  example: {
    body: { key: 'water', data: { bed: 4 } },
    answer: { success: true, processed: true, response: { watered: 12 } },
  },
  method: 'POST',
  path: '/v1/sessions/:session_id/message',
  auth: 'session',
  scope: 'sessions:write',
  params: SessionParams,
  body: shape.members({ key: MessageKey, data: MessageData }),
  waits: true,
  response: Outcome,
  failures: { session_not_found: 0 },
  missing: 'session_not_found',
  handle: ({ subject, body: { key, data = null } }, deps) =>
    messageSession(deps, subject.session, { key, data }),
})

const disconnectMany = endpoint({
  name: 'v1.sessions.disconnectMany',
  summary: 'Disconnect live sessions',
  description:
    "Ends up to 1,000 live sessions by ID. The response has an entry for each session, in the same order. Sessions that have ended or that you have no access to don't affect the others.",
  example: {
    answer: { success: true, responses: [{ session_id: 'ses_0VMc4VLkZ1uDeFgHiJkLmN', processed: true }] },
  },
  method: 'POST',
  path: '/v1/sessions/disconnect',
  auth: 'customer',
  scope: 'sessions:write',
  filtersByProject: true,
  body: shape.members({ session_ids: SessionIds }),
  response: Outcomes,
  async handle({ subject: customer, caller, body }, deps) {
    return { responses: await disconnectSessions(deps, { customer, caller }, body.session_ids) }
  },
})

const messageMany = endpoint({
  name: 'v1.sessions.messageMany',
  summary: 'Send a message to live sessions',
  description:
    'Sends the same message to up to 1,000 live sessions by ID. The response is sent once all of them have responded, or after 60 seconds, with an entry for each session.',
  example: {
    body: { session_ids: ['ses_0VMc4VLkZ1uDeFgHiJkLmN'], key: 'water', data: { bed: 4 } },
    answer: {
      success: true,
      responses: [{ session_id: 'ses_0VMc4VLkZ1uDeFgHiJkLmN', processed: true, response: { watered: 12 } }],
    },
  },
  method: 'POST',
  path: '/v1/sessions/message',
  auth: 'customer',
  scope: 'sessions:write',
  filtersByProject: true,
  body: shape.members({ session_ids: SessionIds, key: MessageKey, data: MessageData }),
  waits: true,
  response: Outcomes,
  async handle({ subject: customer, caller, body: { session_ids, key, data = null } }, deps) {
    const responses = await messageSessions(deps, { customer, caller }, { session_ids, key, data })
    return responses instanceof Refused ? responses : { responses }
  },
})

const messageMatching = endpoint({
  name: 'v1.projectSessions.messageAll',
  summary: "Send a message to a project's live sessions",
  description:
    'Sends a message to the live sessions of a project that match the filters, or to all of them if there are no filters, and waits up to 60 seconds for their responses. The response has an entry for each session that matched when the request arrived.',
  example: {
    body: { script_id: 'scr_0VMc4VLkM2pQrStUvWxYzA', key: 'water', data: { bed: 4 } },
    answer: {
      success: true,
      responses: [{ session_id: 'ses_0VMc4VLkZ1uDeFgHiJkLmN', processed: true, response: { watered: 12 } }],
    },
  },
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/message',
  auth: 'project',
  scope: 'sessions:write',
  params: shape.ProjectParams,
  body: shape.members({ ...projectConditions, key: MessageKey, data: MessageData }),
  isLong: true,
  waits: true,
  response: Outcomes,
  async handle({ subject, body: { key, data = null, ...filter } }, deps) {
    const responses = await messageFiltered(deps, subject.project, shape.given(filter), { key, data })
    return responses instanceof Refused ? responses : { responses }
  },
})

const disconnectMatching = endpoint({
  name: 'v1.projectSessions.disconnectAll',
  summary: "Disconnect a project's live sessions",
  description:
    'Ends the live sessions of a project that match the filters, or all of them if there are no filters. Users can start again immediately; to prevent that, disable the script first.',
  example: {
    body: { script_id: 'scr_0VMc4VLkM2pQrStUvWxYzA' },
    answer: { success: true, responses: [{ session_id: 'ses_0VMc4VLkZ1uDeFgHiJkLmN', processed: true }] },
  },
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/disconnect',
  auth: 'project',
  scope: 'sessions:write',
  params: shape.ProjectParams,
  body: shape.members(projectConditions),
  isLong: true,
  response: Outcomes,
  async handle({ subject, body }, deps) {
    return { responses: await disconnectFiltered(deps, subject.project, shape.given(body)) }
  },
})

const watch = endpoint({
  name: 'v1.projectSessions.events',
  summary: "Stream a project's session events",
  description:
    'Streams opened, detached, resumed and closed sessions as server-sent events, so you can keep a list of sessions up to date without polling. License keys are masked. A stream ends after an hour at the latest; then open a new one and read the list again. A project can have up to 16 streams at a time, and further ones fail with `rate_limited`.',
  example: {
    answer:
      'event: opened\ndata: {"id":"ses_0VMc4VLkZ1uDeFgHiJkLmN","script_id":"scr_0VMc4VLkM2pQrStUvWxYzA","user_key":"kQ7m…gA5e","executor":"Garden Runner","state":"ready"}\n\n',
  },
  method: 'GET',
  path: '/v1/projects/:project_id/sessions/events',
  auth: 'project',
  scope: 'sessions:read',
  params: shape.ProjectParams,
  produces: 'events',
  response: Type.String({
    description:
      'events, each with the session as JSON. The stream ends after an hour at the latest, or within a second if the caller loses access',
  }),
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    const parts = await watchSessions(deps, subject)
    return parts instanceof Refused ? parts : { parts }
  },
})

export const sessions: readonly Endpoint[] = [
  ...[ofUser, ofUserFiltered, ofScript, ofScriptFiltered],
  ...[get, disconnect, message, disconnectMany, messageMany],
  ...[ofProject, messageMatching, disconnectMatching, watch],
]
