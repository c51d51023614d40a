/** Entries in `event-catalog.ts` about server functions. */
import { Type } from 'typebox'
import { plainText } from './chat-text.ts'
import { information } from './event-entry.ts'
import { EventNoun, text } from './event-shapes.ts'

export const functionEvents = {
  'function.failed': information({
    // Sent at most once per hour per function.
    summary: 'A server function failed when a script called it.',
    data: Type.Object({
      script: EventNoun,
      function: Type.Object(
        { name: text, problem: text },
        { examples: [{ name: 'price', problem: 'price:2: attempt to index nil' }] },
      ),
      failures: Type.Integer({
        description: 'number of failed calls in the last few seconds',
        examples: [1],
      }),
    }),
    title: 'Server function failed',
    fields: (data) => [
      ['Script', plainText(data.script.name)],
      ['Function', plainText(data.function.name)],
      ['Problem', plainText(data.function.problem)],
    ],
  }),
}
