import { expect, test } from 'vitest'
import { obfuscate } from './index.ts'
import { Warnings } from './warnings.ts'

function warningsOf(source: string, preset = 'strong') {
  const built = obfuscate(source, { preset })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built.report.warnings
}

test('warnings about unprotected code come first, and equal warnings are merged into one with a count', () => {
  const warnings = new Warnings()
  warnings.add('a is slow')
  warnings.add('b is slow')
  warnings.addUnprotected('c is not hidden')
  warnings.add('a is slow')
  expect(warnings.list()).toEqual(['c is not hidden', 'a is slow (2 times)', 'b is slow'])
})

test('virtualized loops are merged into one warning with their count and the lines of the deepest ones, after all unprotected code', () => {
  const loop = 'for i = 1, 9 do for j = 1, 9 do print(i, j) end end'
  const deep = `for h = 1, 9 do ${loop} end`
  const marked = 'print(WARD_ENCFUNC(function() return "secret" end)())'
  const source = [loop, deep, loop, deep, 'print(getfenv)', marked, marked, 'print(string.dump)'].join('\n')
  expect(warningsOf(source)).toEqual([
    expect.stringMatching(/^line 6 and 1 more: the key of this WARD_ENCFUNC is in the output/),
    'globals are not hidden: the script uses function environments',
    expect.stringMatching(/^line 8: string\.dump/),
    expect.stringMatching(
      /^4 nested loops run virtualized; the slowest are probably those at line 2, line 4, line 1: wrap/,
    ),
  ])
})

test('a single virtualized loop is named with its line', () => {
  expect(warningsOf('\nfor i = 1, 9 do for j = 1, 9 do print(i, j) end end')).toEqual([
    expect.stringMatching(/^the nested loop at line 2 runs virtualized: wrap its function in WARD_JIT/),
  ])
})
