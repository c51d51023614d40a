/** Live sessions: of a user, of a script, of a whole project, single ones, and many at once. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { watchSessions } from '../../domain/sessions/events.ts'
import { listProjectSessions } from '../../domain/sessions/project-sessions.ts'
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
} from '../../domain/sessions/sessions.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const text = Type.String()
const Session = Type.Object({
  id: text,
  project_id: text,
  script_id: text,
  user_key: shape.nullable(text),
  executor: text,
  game_user_id: shape.nullable(text),
  place_id: shape.nullable(text),
  job_id: shape.nullable(text),
  script_version: shape.Count,
  state: Type.String({ enum: ['ready', 'detached'] }),
  created_at: Type.Integer(),
  last_seen: Type.Integer(),
})
const SessionList = Type.Object({
  success: shape.Yes,
  sessions: Type.Array(Session),
  total: shape.Count,
})
const SessionParams = Type.Object({ session_id: text })

/** Conditions of both filters beside paging; the empty text is none, as null is. */
const conditions = {
  ...shape.Page.properties,
  game_user_id: shape.maybe(text),
  place_id: shape.maybe(text),
  job_id: shape.maybe(text),
}

const MessageKey = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'the name under which the script handles messages',
})
const MessageData = Type.Optional(Type.Unknown({ description: 'what the script is handed; any JSON' }))
const SessionIds = Type.Array(text, {
  minItems: 1,
  maxItems: 1000,
  description: 'ids of sessions',
})

/** `response` when it was processed, `reason` when it was not. */
const outcome = {
  processed: Type.Boolean(),
  response: Type.Optional(Type.Unknown()),
  reason: Type.Optional(text),
}
const Outcome = Type.Object({ success: shape.Yes, ...outcome })
const Outcomes = Type.Object({
  success: shape.Yes,
  responses: Type.Array(Type.Object({ session_id: text, ...outcome })),
})

/** Members that a session must have; without any, all sessions of the project match. */
const projectConditions = {
  script_id: shape.maybe(text),
  user_key: shape.maybe(text),
  executor: shape.maybe(Type.String({ description: 'as it names itself', examples: ['Garden'] })),
  game_user_id: shape.maybe(text),
  place_id: shape.maybe(text),
  job_id: shape.maybe(text),
}

const ofUser = endpoint({
  name: 'v1.userSessions.list',
  summary: 'List the live sessions of a user.',
  method: 'GET',
  path: '/v1/users/:user_key/sessions',
  auth: 'user',
  scope: 'sessions:read',
  params: shape.UserParams,
  query: shape.Page,
  body: Nothing,
  isLong: true,
  response: SessionList,
  failures: {},
  handle: ({ subject, query }, deps) => listSessions(deps, sessionsOf(subject.user), shape.given(query)),
})

const ofUserFiltered = endpoint({
  name: 'v1.userSessions.filter',
  summary: 'List the live sessions of a user that match all given members.',
  method: 'GET',
  path: '/v1/users/:user_key/sessions/filter',
  auth: 'user',
  scope: 'sessions:read',
  params: shape.UserParams,
  query: shape.members({ ...conditions, script_id: shape.maybe(text) }),
  body: Nothing,
  isLong: true,
  response: SessionList,
  failures: {},
  async handle({ subject, query }, deps) {
    const { from, limit, ...filter } = shape.given(query)
    return listSessions(deps, { ...filter, ...sessionsOf(subject.user) }, shape.given({ from, limit }))
  },
})

const ofScript = endpoint({
  name: 'v1.scriptSessions.list',
  summary: 'List the live sessions of a script.',
  method: 'GET',
  path: '/v1/scripts/:script_id/sessions',
  auth: 'script',
  scope: 'sessions:read',
  params: shape.ScriptParams,
  query: shape.Page,
  body: Nothing,
  isLong: true,
  response: SessionList,
  failures: {},
  handle: ({ subject, query }, deps) =>
    listSessions(deps, { script_id: subject.script.id }, shape.given(query)),
})

const ofScriptFiltered = endpoint({
  name: 'v1.scriptSessions.filter',
  summary: 'List the live sessions of a script that match all given members.',
  method: 'GET',
  path: '/v1/scripts/:script_id/sessions/filter',
  auth: 'script',
  scope: 'sessions:read',
  params: shape.ScriptParams,
  query: shape.members({ ...conditions, key: shape.maybe(text) }),
  body: Nothing,
  isLong: true,
  response: SessionList,
  failures: {},
  async handle({ subject, query }, deps) {
    const { from, limit, key: user_key, ...others } = shape.given(query)
    const filter = shape.given({ ...others, user_key })
    return listSessions(deps, { ...filter, script_id: subject.script.id }, shape.given({ from, limit }))
  },
})

const ofProject = endpoint({
  name: 'v1.projectSessions.list',
  summary:
    'List the live sessions of a project that match all given members, in the order in which they began, page by page.',
  method: 'GET',
  path: '/v1/projects/:project_id/sessions',
  auth: 'project',
  scope: 'sessions:read',
  params: shape.ProjectParams,
  query: shape.members({ ...shape.OrderedPage.properties, ...projectConditions }),
  body: Nothing,
  isLong: true,
  response: Type.Object({
    ...SessionList.properties,
    total: Type.Integer({ minimum: 0, description: 'how many match, on all pages', examples: [240] }),
    next: shape.Next,
  }),
  failures: {},
  handle: ({ subject, query }, deps) => {
    const { from, limit, after, order, ...filter } = shape.given(query)
    return listProjectSessions(deps, subject.project, filter, shape.given({ from, limit, after, order }))
  },
})

const get = endpoint({
  name: 'v1.sessions.get',
  summary: 'Get a live session.',
  method: 'GET',
  path: '/v1/sessions/:session_id',
  auth: 'session',
  scope: 'sessions:read',
  params: SessionParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, session: Session }),
  failures: {},
  async handle({ subject }) {
    return { session: describeSession(subject.session) }
  },
})

const disconnect = endpoint({
  name: 'v1.sessions.disconnect',
  summary: 'End a live session.',
  method: 'POST',
  path: '/v1/sessions/:session_id/disconnect',
  auth: 'session',
  scope: 'sessions:write',
  params: SessionParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { session_not_found: 0 },
  missing: 'session_not_found',
  async handle({ subject }, deps) {
    return (await disconnectSession(deps, subject.session)) ?? {}
  },
})

const message = endpoint({
  name: 'v1.sessions.message',
  summary: 'Send a message to a live session and wait up to 60 seconds for its response.',
  method: 'POST',
  path: '/v1/sessions/:session_id/message',
  auth: 'session',
  scope: 'sessions:write',
  params: SessionParams,
  query: Nothing,
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
  summary: 'End many live sessions; an id that is not a live session of yours says so in its entry.',
  method: 'POST',
  path: '/v1/sessions/disconnect',
  auth: 'customer',
  scope: 'sessions:write',
  narrows: true,
  params: Nothing,
  query: Nothing,
  body: shape.members({ session_ids: SessionIds }),
  response: Outcomes,
  failures: {},
  async handle({ subject: customer, caller, body }, deps) {
    return { responses: await disconnectSessions(deps, { customer, caller }, body.session_ids) }
  },
})

const messageMany = endpoint({
  name: 'v1.sessions.messageMany',
  summary: 'Send a message to many live sessions at once and wait up to 60 seconds for all responses.',
  method: 'POST',
  path: '/v1/sessions/message',
  auth: 'customer',
  scope: 'sessions:write',
  narrows: true,
  params: Nothing,
  query: Nothing,
  body: shape.members({ session_ids: SessionIds, key: MessageKey, data: MessageData }),
  waits: true,
  response: Outcomes,
  failures: {},
  async handle({ subject: customer, caller, body: { session_ids, key, data = null } }, deps) {
    const responses = await messageSessions(deps, { customer, caller }, { session_ids, key, data })
    return responses instanceof Refused ? responses : { responses }
  },
})

const messageMatching = endpoint({
  name: 'v1.projectSessions.message',
  summary:
    'Send a message to all live sessions of a project that match, and wait up to 60 seconds for all responses.',
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/message',
  auth: 'project',
  scope: 'sessions:write',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({ ...projectConditions, key: MessageKey, data: MessageData }),
  isLong: true,
  waits: true,
  response: Outcomes,
  failures: {},
  async handle({ subject, body: { key, data = null, ...filter } }, deps) {
    const responses = await messageFiltered(deps, subject.project, shape.given(filter), { key, data })
    return responses instanceof Refused ? responses : { responses }
  },
})

const disconnectMatching = endpoint({
  name: 'v1.projectSessions.disconnect',
  summary: 'End all live sessions of a project that match.',
  method: 'POST',
  path: '/v1/projects/:project_id/sessions/disconnect',
  auth: 'project',
  scope: 'sessions:write',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members(projectConditions),
  isLong: true,
  response: Outcomes,
  failures: {},
  async handle({ subject, body }, deps) {
    return { responses: await disconnectFiltered(deps, subject.project, shape.given(body)) }
  },
})

const watch = endpoint({
  name: 'v1.projectSessions.events',
  summary:
    'Watch the live sessions of a project as server-sent events: opened, detached, resumed, closed. User keys are masked.',
  method: 'GET',
  path: '/v1/projects/:project_id/sessions/events',
  auth: 'project',
  scope: 'sessions:read',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  produces: 'events',
  response: Type.String({
    description:
      'each event carries the session as JSON; the stream ends after an hour at most, and within a second of what ends the right to it',
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
