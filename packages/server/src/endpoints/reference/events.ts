/**
 * What the service sends to the webhooks of a project, as the `webhooks` of the OpenAPI document: one for each event of the
 * catalogue, with the schema of its data and an example of the whole message.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { type EventData, type EventType, events, type WebhookKind } from '../../domain/webhooks/events.ts'
import { WAITS_MS } from '../../domain/webhooks/retry.ts'
import { nullable } from '../shapes.ts'
import { exampleOfMember } from './examples.ts'

export const EVENTS_TAG = 'events'

const text = Type.String()
const Actor = Type.Unsafe<'owner' | 'user' | 'service'>({
  type: 'string',
  enum: ['owner', 'user', 'service'],
  description: 'who did it: the owner of the project through the API, a user, or the service by itself',
})
const Kind = Type.Unsafe<WebhookKind>({ type: 'string', enum: ['execution', 'information', 'blacklist'] })
const USER = {
  key: text,
  chat_id: nullable(text),
  note: nullable(text),
  executions: Type.Integer(),
  key_expires: nullable(Type.Integer({ description: 'milliseconds since 1970; null for never' })),
}
const User = Type.Object(USER)
const ofUser = { user: User, actor: Actor }
const RUN = {
  script: Type.Object({ id: text, name: text, version: Type.Integer() }),
  user: Type.Unsafe<Static<typeof User> | null>({
    ...User,
    type: ['object', 'null'],
    description: 'null for a guest of a free-for-all script',
  }),
  execution: Type.Object({
    id: nullable(Type.String({ description: 'null when it was denied' })),
    executor: text,
    runtime: Type.String({ examples: ['luau'] }),
    game_user_id: nullable(text),
    place_id: nullable(text),
    job_id: nullable(text),
  }),
}
const EXECUTION = {
  ...RUN,
  client: Type.Object(
    { ip: text, country: Type.Null(), fingerprint: text },
    { description: 'masked: neither the address nor the fingerprint can be recovered from it' },
  ),
}
const System = Type.Object({ id: text, name: text })
const Left = Type.Integer({
  description: 'denials before this one that were not sent, because there were too many',
})
const blacklisting = {
  reason: nullable(Type.String({ examples: ['shared the key'] })),
  expires: nullable(Type.Integer({ examples: [1_798_761_600_000] })),
}

/** The data of each event beside `project`. */
export const eventSchemas = {
  'execution.granted': Type.Object(EXECUTION),
  'execution.denied': Type.Object({
    ...EXECUTION,
    denial: Type.Object(
      { code: Type.Integer(), reason: text },
      { examples: [{ code: 11, reason: 'key_expired' }] },
    ),
    left_out: Left,
  }),
  'execution.copied': Type.Object(RUN),
  'execution.suspected': Type.Object({
    ...RUN,
    suspicion: Type.Object(
      { reason: Type.Literal('locks_at_once'), asked: Type.Integer(), locks: Type.Integer() },
      { examples: [{ reason: 'locks_at_once', asked: 13, locks: 25 }] },
    ),
  }),
  'user.created': Type.Object(ofUser),
  'users.generated': Type.Object({
    actor: Actor,
    count: Type.Integer(),
    user_keys: Type.Array(text, { description: 'the first twenty, masked', examples: [['kQ7m…gA5e']] }),
  }),
  'users.imported': Type.Object({ actor: Actor, imported: Type.Integer(), skipped: Type.Integer() }),
  'user.fingerprint_reset': Type.Object({ ...ofUser, forced: Type.Boolean() }),
  'users.fingerprint_reset_all': Type.Object({ actor: Actor, count: Type.Integer() }),
  'user.linked': Type.Object({ ...ofUser, old_chat_id: nullable(text), forced: Type.Boolean() }),
  'users.compensated': Type.Object({
    actor: Actor,
    count: Type.Integer(),
    duration: Type.Integer({ description: 'milliseconds that were added' }),
    compensate_expired: Type.Boolean(),
  }),
  'webhook.test': Type.Object({ actor: Actor, kind: Kind }),
  'user.blacklisted': Type.Object({ ...ofUser, ...blacklisting }),
  'user.unblacklisted': Type.Object(ofUser),
  'events.left_out': Type.Object({
    counts: Type.Array(Type.Object({ type: text, count: Type.Integer() })),
  }),
  'user.blacklist_expired': Type.Object({ ...ofUser, ...blacklisting }),
  'user.key_issued': Type.Object({ ...ofUser, system: System }),
  'user.key_extended': Type.Object({
    ...ofUser,
    system: System,
    old_key_expires: nullable(
      Type.Integer({
        description: 'when the key would have ended without it; may be past',
        examples: [1_789_913_600_000],
      }),
    ),
  }),
  'ads.misconfigured': Type.Object({
    system: System,
    checkpoint: Type.Object({ id: text, name: text, index: Type.Integer(), provider: text }),
  }),
} satisfies { readonly [T in EventType]: TSchema }

/** Does not compile when the schema of an event and its type disagree. */
type Agreed = {
  readonly [T in EventType]: Static<(typeof eventSchemas)[T]> extends EventData[T]
    ? EventData[T] extends Static<(typeof eventSchemas)[T]>
      ? T
      : never
    : never
}
const types = Object.keys(eventSchemas) as Agreed[EventType][]

const ADDRESSES: Readonly<Record<WebhookKind, string>> = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
}
const TO_THE_ONE_CONCERNED: ReadonlySet<string> = new Set(['webhook.test', 'events.left_out'])

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
  example,
})
const HEADERS = [
  header('webhook-id', 'the id of the event, the same at every attempt', 'evt_0VMc4VLkF3xGhIjKlMnOpQ'),
  header(
    'webhook-timestamp',
    'seconds since 1970; refuse one that is more than five minutes away',
    '1790000000',
  ),
  header(
    'webhook-signature',
    'as Standard Webhooks says, over id.timestamp.body: v1a by the keys of /.well-known/webhook-keys.json',
    'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  ),
]

export function describeEvents(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(types.map((type) => [type, { post: operationOf(type) }]))
}

function operationOf(type: EventType) {
  const { kind, summary } = events[type]
  const address = TO_THE_ONE_CONCERNED.has(type)
    ? 'Sent to the address that it is about.'
    : `Sent to the \`${ADDRESSES[kind]}\` of the project.`
  return {
    summary,
    description: `${summary} ${address} ${DELIVERY}`,
    tags: [EVENTS_TAG],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: messageOf(type), example: exampleMessage(type) } },
    },
    responses: RESPONSES,
  }
}

const DELIVERY =
  'It comes at least once and in no particular order; an answer that is no success is tried again ' +
  `${WAITS_MS.generic.length} times over days.`

const RESPONSES = {
  '2XX': { description: 'Received. Answer within 15 seconds.' },
  410: { description: 'Nothing more is sent until the address is saved again.' },
  429: { description: 'Tried again later; `Retry-After` is respected up to an hour.' },
  default: { description: 'Tried again.' },
}

/** The whole body of the generic form. */
export function messageOf(type: EventType) {
  const Project = Type.Object({ id: text, name: text })
  const data = eventSchemas[type]
  return Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ description: 'ISO 8601, in UTC' }),
    id: text,
    version: Type.Literal(1, { description: 'members may be added within a version' }),
    data: {
      ...data,
      properties: { project: Project, ...data.properties },
      required: ['project', ...data.required],
    },
  })
}

export function exampleMessage(type: EventType) {
  const data = exampleOfMember(eventSchemas[type], 'event') as object
  return {
    type,
    timestamp: new Date(1_790_000_000_000).toISOString(),
    id: 'evt_0VMc4VLkF3xGhIjKlMnOpQ',
    version: 1,
    data: { project: exampleOfMember(Type.Object({ id: text, name: text }), 'project'), ...data },
  }
}
