/** Validation errors in a long list, of which only a part reaches the validator. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { compileCheck } from './validate.ts'

const check = compileCheck(
  Type.Object({
    ids: Type.Array(Type.String({ maxLength: 3 }), { description: 'ids' }),
    tags: Type.Optional(Type.Array(Type.String(), { description: 'tags' })),
    name: Type.Optional(Type.String({ maxLength: 3 })),
  }),
  'body',
)
const long = (wrong: Readonly<Record<number, unknown>> = {}) =>
  Array.from({ length: 5000 }, (_, i) => (i in wrong ? wrong[i] : 'a'))
const fields = (value: unknown) => check(value).map(({ field }) => field)

describe('a long list', () => {
  test.each([0, 1, 2499, 2500, 4999])('is rejected with its first invalid entry, here %i', (place) => {
    expect(check({ ids: long({ [place]: 'long' }) })).toEqual([
      { field: `ids.${place}`, errors: ['must have at most 3 characters'] },
    ])
  })

  test('has adjacent invalid entries reported together', () => {
    expect(fields({ ids: long({ 4000: 1, 4003: 2, 4900: 3 }) })).toEqual(['ids.4000', 'ids.4003'])
  })

  test('that is valid hides no error about another field', () => {
    expect(fields({ ids: long(), name: 'long' })).toEqual(['name'])
  })

  test('next to another one is rejected when either or both are invalid', () => {
    expect(fields({ ids: long(), tags: long({ 4000: 1 }) })).toEqual(['tags.4000'])
    expect(fields({ ids: long({ 4000: 1 }), tags: long() })).toEqual(['ids.4000'])
    expect(fields({ ids: long({ 4000: 1 }), tags: long({ 4001: 1 }) })).toContain('tags.4001')
  })

  test('in place of the entire body is rejected as a body', () => {
    expect(fields(long())).toEqual(['body'])
  })
})
