import { expect, test } from 'vitest'
import { checkOutput, loadProblem } from './check-output.ts'
import { Diagnostics, describeDiagnostic } from './diagnostics.ts'
import type { Target } from './semantics/target.ts'
import { lineStarts } from './syntax/line-map.ts'

const locals = (count: number) => Array.from({ length: count }, (_, i) => `local v${i} = ${i} `).join('')
const names = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join(', ')
const SKIPPED = 'repeat if a then goto s end local x = 1 b(x) ::s:: until true'

const BROKEN: readonly (readonly [Target, string, string])[] = [
  ['any', 'local a = ', 'expected an expression'],
  ['any', 'return 1 local a = 2', "'return' must be the last statement"],
  ['any', 'goto a ::a::', "'goto' and labels: not supported in Lua 5.1"],
  ['any', 'while a do continue end', "'continue': not supported in Lua 5.1"],
  ['lua51', 'a += 1', 'compound assignment: not supported in Lua 5.1'],
  ['lua51', 'break', "'break' must be inside a loop"],
  ['lua51', 'local a = 1\n(b)()', ''],
  ['lua51', 'a()\n(b)()', 'could be a call on the previous line'],
  ['luajit', SKIPPED, "jumps into the scope of local 'x'"],
  ['lua54', SKIPPED, "jumps into the scope of local 'x'"],
  ['luajit', 'do ::a:: end goto a', "no label 'a' is visible"],
  ['lua54', '::a:: do ::a:: end', "the label 'a' is already declared in an enclosing block"],
  ['luajit', '::a:: do ::a:: end', ''],
  ['lua54', 'local a <const> = 1 a = 2', "'a' is a 'const'"],
  ['luau', 'repeat if a then continue end local x = 1 until x', "'continue' skips the local 'x'"],
  ['luau', 'repeat local x = 1 if a then continue end until x', ''],
  ['any', locals(201), 'more than 200 local variables'],
  ['any', locals(200), ''],
  [
    'luajit',
    `${locals(61)} return function() return ${names(61)} end`,
    'more than 60 variables of enclosing',
  ],
  ['luau', `${locals(61)} return function() return ${names(61)} end`, ''],
  ['any', `return ${'{'.repeat(200)}${'}'.repeat(200)}`, 'nested too deeply'],
]

test.each(BROKEN)('for target %s, code that does not load is recognized: %j', (target, code, problem) => {
  const found = loadProblem(code, target)
  if (problem === '') expect(found).toBeNull()
  else expect(found?.message).toContain(problem)
})

test('a broken output is reported at the source line that it comes from, as a bug in the obfuscator', () => {
  const source = 'first()\nsecond()\nthird()'
  const diagnostics = new Diagnostics(source)
  const table = { lines: [0, 2, 0, 3], functions: [0, 0, 0, 0], names: [''] }
  const code = '\nsecond()\n\nthird() end'
  checkOutput({ code, lines: table }, 'any', { starts: lineStarts(source) }, diagnostics)
  const [problem] = diagnostics.list().map(describeDiagnostic)
  expect(problem).toMatch(/^line 3, column 1: .*bug in Scriptward, not in your script: report it.*'end'/)
})

test('a problem on a line without a source line is reported at the statement before it', () => {
  const source = 'first()\nsecond()\nthird()'
  const diagnostics = new Diagnostics(source)
  const table = { lines: [0, 2, 0, 3], functions: [0, 0, 0, 0], names: [''] }
  const output = { code: '\nsecond()\nend\nthird()', lines: table }
  checkOutput(output, 'any', { starts: lineStarts(source) }, diagnostics)
  expect(diagnostics.list().map(({ line }) => line)).toEqual([2])
})
