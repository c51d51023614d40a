/**
 * Tests that a runtime error in an output, raised on a real host, maps to the line that the unprotected
 * script reports.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { type Built, choices, interpreterOf, obfuscate } from '../index.ts'

const SOURCE = readFileSync(new URL('../../test/failing.lua', import.meta.url), 'latin1')
const PRESETS = choices.presets.map(({ id }) => id)

function build(source: string, preset: string, seed: number | string): Built {
  const built = obfuscate(source, { preset, seed, parameters: ['ward'] })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built
}

/** The last line number in each error message, by case name. */
function linesOf(output: string): ReadonlyMap<string, number> {
  const messages = [...output.matchAll(/^(.*?)\|.*:(\d+):/gm)]
  return new Map(messages.map(([, name = '', line]) => [name, Number(line)]))
}

const atEveryPreset = once(() =>
  PRESETS.flatMap((preset) =>
    seeds.map((seed) => ({ name: `${preset} ${seed}`, ...build(SOURCE, preset, seed) })),
  ),
)

describe.each([...HOSTS, 'lua5.4'] as Host[])('errors on %s', (host) => {
  test('every error maps to the line that the unprotected script reports, at every preset', async () => {
    const builds = atEveryPreset()
    const [plain, ...runs] = await runLua(host, [
      { name: 'source', code: SOURCE },
      ...builds.map(({ name, code }) => ({ name, code: `return (function(...) ${code} end)()()` })),
    ])
    const wanted = linesOf(plain?.output ?? '')
    expect(wanted.size).toBeGreaterThan(25)
    for (const [i, { name, lines }] of builds.entries()) {
      const found = linesOf(runs[i]?.output ?? '')
      const mapped = new Map([...found].map(([of, line]) => [of, lines.lines[line - 1]]))
      expect(mapped, name).toEqual(wanted)
    }
  })
})

describe('function names', () => {
  const source = `local function first() return 1 end
local api = { second = function() return 2 end }
function api.third() return 3 end
function api:fourth() return 4 end
local fifth = WARD_NO_VIRTUALIZE(function() return 5 end)
local sixth = function()
  local inner = (function() return 0 end)()
  return 6 + inner
end
return 7`
  const names = new Map([
    [1, 'first'],
    [2, 'second'],
    [3, 'api.third'],
    [4, 'api:fourth'],
    [5, 'fifth'],
    [8, 'sixth'],
    [10, ''],
  ])

  test.each(PRESETS)('an output line maps to its enclosing function, at %s', (preset) => {
    const { lines } = build(source, preset, 1)
    for (const [line, name] of names) {
      const found = lines.functions.filter((_, i) => lines.lines[i] === line).map((i) => lines.names[i])
      expect(found, `line ${line}`).toContain(name)
    }
  })
})

test('a split output has the same lines as the unsplit one', () => {
  const { code, data, lines } = build(SOURCE, 'strong', 1)
  const interpreter = data ? interpreterOf(code, data) : ''
  expect(interpreter.split('\n')).toHaveLength(code.split('\n').length)
  expect(code.split('\n')).toHaveLength(lines.lines.length)
})
