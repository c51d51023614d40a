/** Placeholders for fields of a large body that the schema rejects. */
import { expect, test } from 'vitest'
import { withoutWrongLists } from './json-body.ts'

test.each([
  ['a list', { values: [1], name: 'a' }, { values: [1], name: 'a' }],
  ['a missing value', { name: 'a' }, { name: 'a' }],
  ['null', { values: null }, { values: null }],
  ['a string', { values: 'long', name: 'a' }, { values: '', name: 'a' }],
  ['an object', { values: { a: 1 } }, { values: {} }],
  ['a number', { values: 1 }, { values: 1 }],
  // Arrays inherit a property with this name.
  ['a list in place of the whole object', [1], [1]],
])('%s in place of a list keeps its type', (_, value, expected) => {
  expect(withoutWrongLists(value, ['values'])).toEqual(expected)
})
