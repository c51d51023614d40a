/** The headers of an answer: names and values by turns, which Node reads faster than members. */
import type { OutgoingHttpHeader } from 'node:http'
import type { Answer } from './answer.ts'
import { mustCloseAfter } from './body.ts'
import type { Admission } from './rate-limits.ts'
import type { Incoming } from './walk.ts'

export type HeaderList = OutgoingHttpHeader[]

const JSON_TYPE = 'application/json; charset=utf-8'

export type Around = {
  readonly limits: Admission['headers']
  /** A kept connection would hold up the end of the process, and nothing else closes one that was busy at the stop. */
  readonly isStopping: boolean
}

/** Without the length of the body. */
export function headersOf(
  { id, raw }: Pick<Incoming, 'id' | 'raw'>,
  { contentType, headers }: Answer,
  { limits, isStopping }: Around,
): HeaderList {
  const list: HeaderList = ['content-type', contentType ?? JSON_TYPE, 'x-request-id', id]
  // Answers tell secrets, and one GET of the interface changes something: nothing in between may keep or repeat them.
  if (headers?.['cache-control'] === undefined) list.push('cache-control', 'no-store')
  for (const name in headers) list.push(name, headers[name] as string | string[])
  if ((isStopping || mustCloseAfter(raw)) && headers?.connection === undefined)
    list.push('connection', 'close')
  list.push(...limits)
  return list
}

/** As an object, which Fastify wants for what it sends itself. */
export function membersOf(list: HeaderList): Record<string, OutgoingHttpHeader> {
  const members: Record<string, OutgoingHttpHeader> = {}
  for (let at = 0; at < list.length; at += 2) members[list[at] as string] = list[at + 1] as OutgoingHttpHeader
  return members
}
