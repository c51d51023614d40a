/**
 * Formats events as request bodies. The generic form is one event in JSON with all its fields. The Discord
 * form is up to ten events as embeds, with masked keys and strings that can't format or mention anything.
 */
import type { EventRow } from '../store/outbox.ts'
import { CHAT_LIMITS, cut, plainText, senderName } from './chat-text.ts'
import { type EventData, type EventType, events, isEventType } from './event-catalog.ts'
import type { Field } from './event-fields.ts'

export type EventProject = { readonly id: string; readonly name: string }
type Stored = Pick<EventRow, 'id' | 'type' | 'data' | 'created_at'> & Partial<Pick<EventRow, 'event_id'>>

type Embed = {
  readonly title: string
  readonly color: number
  readonly timestamp: string
  readonly fields: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[]
  readonly footer: { readonly text: string }
}
export type ChatBody = {
  readonly username: string
  readonly allowed_mentions: { readonly parse: readonly [] }
  readonly embeds: readonly Embed[]
}

const PRODUCT = 'Scriptward'
const OTHER_COLOR = 9_807_270
/** Version of the generic body. New fields can be added within a version. */
const VERSION = 1

export function genericBody(
  { id: deliveryId, event_id, type, data, created_at }: Stored,
  { id: projectId, name }: EventProject,
): string {
  const id = event_id ?? deliveryId
  const timestamp = new Date(created_at).toISOString()
  const head = JSON.stringify({ type, timestamp, id, version: VERSION })
  const project = JSON.stringify({ project: { id: projectId, name } })
  return joined(head, `{"data":${joined(project, data)}}`)
}

/** Merges two JSON objects without parsing them. The first object must not be empty. */
function joined(first: string, second: string): string {
  return second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`
}

/** Returns one message that contains as many of the first events as fit, together with those events. */
export function chatBody<S extends Stored>(
  stored: readonly S[],
  { name }: EventProject,
): { readonly body: string; readonly sent: readonly S[] } {
  const embeds: Embed[] = []
  let room = CHAT_LIMITS.total
  for (const one of stored.slice(0, CHAT_LIMITS.embeds)) {
    const embed = embedOf(one)
    if (sizeOf(embed) > room && embeds.length > 0) break
    room -= sizeOf(embed)
    embeds.push(embed)
  }
  return { body: chatText(name, embeds), sent: stored.slice(0, embeds.length) }
}

function chatText(name: string, embeds: readonly Embed[]): string {
  const body: ChatBody = { username: senderName(name, PRODUCT), allowed_mentions: { parse: [] }, embeds }
  return JSON.stringify(body)
}

/** Truncates strings, so that the fields of one event never exceed the limit of a message. */
function embedOf({ id, event_id, type, data, created_at }: Stored): Embed {
  const known = isEventType(type) ? describe(type, JSON.parse(data)) : { color: OTHER_COLOR, fields: [] }
  return {
    title: cut(titleOf(type), CHAT_LIMITS.title),
    color: known.color,
    timestamp: new Date(created_at).toISOString(),
    fields: fieldsOf(known.fields),
    footer: { text: cut(`${type} · ${event_id ?? id}`, CHAT_LIMITS.footer) },
  }
}

function describe<T extends EventType>(type: T, data: EventData[T]) {
  const { color, fields }: { color: number; fields: (data: never) => readonly Field[] } = events[type]
  const by = 'by' in data && data.by ? [['By', plainText(data.by.name)] as const] : []
  return { color, fields: [...fields(data as never), ...by] }
}

/**
 * Returns the title of an event type. If a newer version wrote the event, this version may not know its type.
 */
function titleOf(type: string): string {
  return isEventType(type) ? events[type].title : plainText(type)
}

function fieldsOf(fields: readonly Field[]): Embed['fields'] {
  return fields.slice(0, CHAT_LIMITS.fields).map(([name, value]) => ({
    name: cut(name, CHAT_LIMITS.name),
    value: cut(value, CHAT_LIMITS.value),
    inline: true,
  }))
}

function sizeOf({ title, fields, footer }: Embed): number {
  const texts = [title, footer.text, ...fields.flatMap(({ name, value }) => [name, value])]
  return texts.reduce((sum, text) => sum + text.length, 0)
}
