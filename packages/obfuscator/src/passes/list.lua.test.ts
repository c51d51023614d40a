/** Tests that an earlier pass provides the state that each pass needs. */

import { expect, test } from 'vitest'
import { optionalPasses, requiredPasses } from './list.ts'
import { INITIAL_STATE, type StateKey } from './pass.ts'

const passes = [...requiredPasses, ...optionalPasses]

test.each(passes.map((pass, i) => ({ ...pass, before: passes.slice(0, i) })))(
  'pass $name reads only state that an earlier pass writes',
  ({ reads, before }) => {
    const written = new Set<StateKey>(before.flatMap(({ writes }) => [...writes]))
    expect(reads.filter((key) => !written.has(key))).toEqual([])
  },
)

test('every field of the pipeline state is written by a pass', () => {
  const written = new Set<StateKey>(passes.flatMap(({ writes }) => [...writes]))
  expect(Object.keys(INITIAL_STATE).filter((key) => !written.has(key as StateKey))).toEqual([])
})
