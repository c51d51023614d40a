/** Schemas of event data. The types, the OpenAPI document and its examples are derived from them. */
import { type Static, Type } from 'typebox'
import { named } from '../../../api/shapes.ts'

type Typed = ReturnType<typeof Type.String | typeof Type.Integer>

export function orNull<S extends Typed>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })
}

export const text = Type.String()

const Actor = Type.Unsafe<'owner' | 'user' | 'service'>({
  type: 'string',
  title: 'EventActor',
  enum: ['owner', 'user', 'service'],
  description:
    'who or what caused the event: the project owner through the API, a user, or the server itself',
})

const ChatPerson = Type.Object(
  { chat_id: Type.String(), name: Type.String() },
  {
    description: "Discord user who caused the event through the project's bot. Absent for all other events",
    examples: [{ chat_id: '184650129374650216', name: 'jo' }],
  },
)

/** The actor that caused an event. */
export const acted = { actor: Actor, by: Type.Optional(ChatPerson) }

const User = named('EventUser', {
  key: text,
  chat_id: orNull(text),
  note: orNull(text),
  executions: Type.Integer(),
  key_expires: orNull(
    Type.Integer({ description: 'key expiry, in Unix milliseconds. Null if the key never expires' }),
  ),
})
export type EventUser = Readonly<Static<typeof User>>

/** An event about one user. */
export const ofUser = { user: User, ...acted }
export const OfUser = Type.Object(ofUser)

const run = {
  script: Type.Object({ id: text, name: text, version: Type.Integer() }),
  user: Type.Unsafe<EventUser | null>({
    ...Type.Object(User.properties),
    type: ['object', 'null'],
    description: 'user. Null for a guest of a free-for-all script',
  }),
  execution: Type.Object({
    id: orNull(Type.String({ description: 'execution ID. Null if the run was denied' })),
    executor: text,
    runtime: Type.String({ examples: ['luau'] }),
    game_user_id: orNull(text),
    place_id: orNull(text),
    job_id: orNull(text),
  }),
}
/** A granted run, without its client. */
export const Run = Type.Object(run)
export type RunData = Static<typeof Run>

export const execution = {
  ...run,
  client: Type.Object(
    {
      ip: text,
      country: Type.Null({ description: 'always null: IP addresses are not geolocated' }),
      fingerprint: text,
    },
    { description: 'masked details, from which neither the IP address nor the fingerprint can be recovered' },
  ),
}
export const Execution = Type.Object(execution)
export type ExecutionData = Static<typeof Execution>

/** A project, a script or an ad system. */
export const EventNoun = named('EventNoun', { id: text, name: text })

export const Blacklisting = Type.Object({
  ...ofUser,
  reason: orNull(Type.String({ examples: ['shared the key'] })),
  expires: orNull(Type.Integer({ examples: [1_798_761_600_000] })),
})
export type BlacklistData = Static<typeof Blacklisting>

type Value = string | number | boolean | null
const Value = Type.Unsafe<Value>({ type: ['string', 'number', 'boolean', 'null'] })

/** The changes made by an edit: each field with its value before and after. */
export const Changes = Type.Array(Type.Object({ member: Type.String(), before: Value, after: Value }), {
  description: 'fields whose value changed',
  examples: [[{ member: 'note', before: null, after: 'moved to the pro plan' }]],
})
export type Change = Static<typeof Changes>[number]
