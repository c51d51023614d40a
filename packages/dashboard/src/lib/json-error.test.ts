import { expect, it } from 'vitest'
import { jsonError } from './json-error.ts'

const VALID = ['0', '-1.5e+3', '"a\\u00e9\\n"', 'null', ' [ ] ', '{}', '{"a":[1,{"b":""}],"c":false}\n']

it.each([
  ['', 1, 1],
  ['{"bed":', 1, 8],
  ['{"bed":\n  four}', 2, 3],
  ['[1,]', 1, 4],
  ['{"a":1,}', 1, 8],
  ["{'a':1}", 1, 2],
  ['{"a" 1}', 1, 6],
  ['[1 2]', 1, 4],
  ['"open', 1, 1],
  ['[1]]', 1, 4],
  ['01', 1, 1],
  ['[1}', 1, 3],
])('%j is wrong at line %i, column %i', (typed, line, column) => {
  expect(jsonError(typed)).toEqual({ line, column })
})

it('reports an error exactly where JSON.parse does: in every string made from valid JSON by one change', () => {
  const inserted = ['', ',', '"', '}', '[', '1', '-', '.', 'e', '\\', '\n', 'x', ':']
  for (const text of VALID)
    for (let at = 0; at <= text.length; at += 1)
      for (const each of inserted) {
        const typed = text.slice(0, at) + each + text.slice(each === '' ? at + 1 : at)
        expect([typed, jsonError(typed) === undefined]).toEqual([typed, isJson(typed)])
      }
})

it('reads deeply nested input', () => {
  expect(jsonError('['.repeat(200_000))).toEqual({ line: 1, column: 200_001 })
})

function isJson(typed: string): boolean {
  try {
    JSON.parse(typed)
    return true
  } catch {
    return false
  }
}
