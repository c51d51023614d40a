/** Entries in `event-catalog.ts` about errors in scripts. */
import { type Static, Type } from 'typebox'
import { plainText } from './chat-text.ts'
import { information } from './event-entry.ts'
import type { Field } from './event-fields.ts'
import { EventNoun, orNull, text } from './event-shapes.ts'

const Place = Type.Unsafe<{
  readonly file: string | null
  readonly line: number | null
  readonly function: string | null
} | null>({
  ...Type.Object({
    file: orNull(Type.String({ description: 'path of the source file. Null for a single-file script' })),
    line: orNull(Type.Integer({ description: 'line in your source. Null if it could not be mapped' })),
    function: orNull(Type.String({ description: 'enclosing function. Null if it has no name' })),
  }),
  type: ['object', 'null'],
  description: 'where the error was raised. Null if the host did not report a line',
  examples: [{ file: null, line: 12, function: 'shop.buy' }],
})

const ErrorReported = Type.Object({
  script: EventNoun,
  error: Type.Object({
    id: Type.String({ examples: ['err_0VMc4VLkQ8sTuVwXyZaBcD'] }),
    message: Type.String({ examples: ["attempt to index field 'price' (a nil value)"] }),
    place: Place,
  }),
  version: Type.Integer({ description: 'script version that failed', examples: [3] }),
  executor: text,
  left_out: Type.Integer({
    description: 'number of earlier errors of this script that were not sent because there were too many',
    examples: [0],
  }),
})

const shown = {
  data: ErrorReported,
  fields: (data: Static<typeof ErrorReported>): readonly Field[] => [
    ['Script', `${plainText(data.script.name)} (v${data.version})`],
    ['Error', plainText(data.error.message)],
    ['Place', placeText(data.error.place)],
    ['Executor', plainText(data.executor)],
    ...(data.left_out > 0 ? [['Omitted before', plainText(data.left_out)] as const] : []),
  ],
}

export const errorEvents = {
  'script.error_new': information({
    // Sent at most 10 times per hour per script, counted together with regressions.
    summary: 'A run reported an error that had not been seen before.',
    title: 'New error',
    ...shown,
  }),
  'script.error_regressed': information({
    summary: 'A resolved error was reported by a later version.',
    title: 'Error reopened',
    ...shown,
  }),
}

function placeText(place: Static<typeof Place>): string {
  if (place === null || place.line === null) return plainText(null)
  const line = place.file === null ? `line ${place.line}` : `${place.file}:${place.line}`
  return plainText(place.function === null ? line : `${line} in ${place.function}`)
}
