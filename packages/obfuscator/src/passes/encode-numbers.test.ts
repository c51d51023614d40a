/** Tests that searching the output doesn't find a known number. */

import { expect, test } from 'vitest'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'

const NUMBERS = [48_213, 73_501, 90_211, 15_077]
const [FIRST, SECOND, THIRD, FOURTH] = NUMBERS
const SOURCE = `local f = WARD_NO_VIRTUALIZE(function(x) return x * ${FIRST} + ${SECOND} end)
print(f(3) > ${THIRD})
for i = 1, 2 do print(i * ${FOURTH}) end`

function found(preset: string, isOn: boolean): number[] {
  const result = obfuscate(SOURCE, { preset, passes: { 'encode-numbers': isOn } })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return NUMBERS.filter((number) => result.code.includes(String(number)))
}

test.each(presets.map(({ id }) => id))('a text search finds no integer of native code at %s', (preset) => {
  expect(found(preset, true)).toEqual([])
})

test.each([
  ['light', NUMBERS],
  ['strong', [FIRST, SECOND]],
])('at %s, it would find them without the pass', (preset, numbers) => {
  expect(found(preset, false)).toEqual(numbers)
})
