/** The size limit of a message, which counts what is sent. */
import { expect, it } from 'vitest'
import { renderMessage } from './render.ts'

const FACTS = {
  ...{ key: null, chat_id: null, note: null, script_name: 'main', script_version: 1 },
  ...{ executor: 'Wave', executions: 0, address: null },
}

it.each([
  ['a', 50, 'body'],
  ['é', 20, 'body'],
  ['é', 50, 'dropped'],
] as const)(
  'a message whose values consist of “%s” has at most 64 KiB in total (%d values)',
  (letter, count, outcome) => {
    const values = Array.from({ length: count }, () => letter.repeat(1200))
    const template = {
      ...{ line: 1, webhook: 'whk_1' as const },
      body: { list: values.map((_, value) => ({ value })) },
      patterns: values.map(() => null),
    }
    expect(renderMessage(template, values, FACTS)).toHaveProperty(outcome)
  },
)
