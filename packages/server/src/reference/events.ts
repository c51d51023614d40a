/**
 * Webhook messages as the `webhooks` of the OpenAPI document: one for each event in the catalog, with the
 * schema of its data and an example of the complete message.
 */
import { Type } from 'typebox'
import {
  EVENT_TYPES,
  type EventType,
  events,
  OF_THE_ADDRESS,
} from '../features/webhooks/events/event-catalog.ts'
import type { EventKind } from '../features/webhooks/events/event-entry.ts'
import { EventNoun } from '../features/webhooks/events/event-shapes.ts'
import { WAITS_MS } from '../features/webhooks/retry.ts'
import { type Refer, withReferences } from './components.ts'
import { exampleOfMember } from './examples.ts'

export const EVENTS_TAG = 'events'

const text = Type.String()

const ADDRESSES: Readonly<Record<EventKind, string>> = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
  example,
})
const HEADERS = [
  header('webhook-id', 'Event ID, the same for every attempt.', 'evt_0VMc4VLkF3xGhIjKlMnOpQ'),
  header(
    'webhook-timestamp',
    'Unix timestamp in seconds. Reject messages more than five minutes old.',
    '1790000000',
  ),
  header(
    'webhook-signature',
    'Signature over id.timestamp.body in the Standard Webhooks format: v1a, verified with the keys in /.well-known/webhook-keys.json.',
    'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  ),
]

export function describeEvents(refer: Refer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: operationOf(type, refer) }]))
}

function operationOf(type: EventType, refer: Refer) {
  const { kind, summary } = events[type]
  const address = OF_THE_ADDRESS.has(type)
    ? 'Sent only to the affected endpoint.'
    : `Sent to the project's \`${ADDRESSES[kind]}\`.`
  return {
    operationId: `${EVENTS_TAG}.${type}`,
    summary,
    description: `${summary} ${address} ${DELIVERY}`,
    tags: [EVENTS_TAG],
    security: [],
    parameters: HEADERS.map((one) => refer('parameters', one.name, one)),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: withReferences(messageOf(type), refer),
          example: exampleMessage(type),
        },
      },
    },
    responses: Object.fromEntries(
      Object.entries(RESPONSES).map(([status, [name, description]]) => [
        status,
        refer('responses', name, { description }),
      ]),
    ),
  }
}

const DELIVERY =
  "Delivered at least once, in no particular order. Deliveries that don't get a 2xx response are retried up to " +
  `${WAITS_MS.generic.length} times over several days.`

const RESPONSES = {
  '2XX': ['EventReceived', 'Received. Respond within 15 seconds.'],
  410: ['EventsUnwanted', 'Disables the endpoint until its URL is saved again.'],
  429: ['EventLater', 'Retried later. `Retry-After` is respected for up to an hour.'],
  default: ['EventFailed', 'Retried later.'],
} as const

/** The complete body of a message in the generic format. */
function messageOf(type: EventType) {
  const { data } = events[type]
  return Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ description: 'time of the event in ISO 8601, UTC' }),
    id: text,
    version: Type.Literal(1, {
      description: 'version of the payload. New fields may be added within a version',
    }),
    data: {
      ...data,
      properties: { project: EventNoun, ...data.properties },
      required: ['project', ...data.required],
    },
  })
}

function exampleMessage(type: EventType) {
  const data = exampleOfMember(events[type].data, 'event') as object
  return {
    type,
    timestamp: new Date(1_790_000_000_000).toISOString(),
    id: 'evt_0VMc4VLkF3xGhIjKlMnOpQ',
    version: 1,
    data: { project: exampleOfMember(EventNoun, 'project'), ...data },
  }
}
