/** Tests that errors and tracebacks from real hosts are mapped through the line map of an output. */
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { runLua } from '../test/run-lua.ts'
import { type Built, choices, mapTraceback, obfuscate } from './index.ts'

const NAME = 'My: hub v2'
const SOURCE = `local function deep(n)
  if n == 0 then
    error('too deep ' .. n)
  end
  local r = deep(n - 1)
  return r
end
local api = {}
function api.run(n)
  local x = deep(n)
  return x
end
function api:method(n)
  local x = self.run(n)
  return x
end
local x = api:method(1)
return x`
const FRAMES = [
  [3, 'deep'],
  [5, 'deep'],
  [10, 'api.run'],
  [14, 'api:method'],
  [17, null],
] as const
const PRESETS = choices.presets.map(({ id }) => id)

function build(preset: string): Built {
  const built = obfuscate(SOURCE, { preset, seed: 3, parameters: ['ward'] })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built
}

const PRINTING =
  'local _, text = xpcall(main, function(message) return debug.traceback(message) end) print(text)'

/** Loads the output as the server's loader does and prints the traceback of its error. */
function failing(code: string, name: string): string {
  const bytes = [...Buffer.from(code, 'latin1')].join(',')
  return `local t = {${bytes}} for i = 1, #t do t[i] = string.char(t[i]) end
    local main = assert((loadstring or load)(table.concat(t), ${JSON.stringify(name)}))() ${PRINTING}`
}

describe.each(PRESETS)('a traceback at preset %s', (preset) => {
  const { code, lines } = build(preset)
  const seen = (text: string, name: string | null = NAME) =>
    mapTraceback(text, lines, name).places.map((place) => [place.line, place.function])

  test.each(['lua5.1', 'luajit', 'lua5.4'])('from %s has the lines and names of the source', (host) => {
    const { stdout } = spawnSync(host, ['-'], { input: failing(code, `=${NAME}`), encoding: 'latin1' })
    expect(seen(stdout)).toEqual(expect.arrayContaining(FRAMES.map((frame) => [...frame])))
    const { text } = mapTraceback(stdout, lines, NAME)
    expect(text).toContain(`${NAME}:3: too deep 0`)
    expect(text).toContain(`${NAME}:10: in `)
    expect(text).toContain("'deep'")
  })

  test('from Luau is mapped too, although it does not contain the script name', async () => {
    const program = `local main = (function(...) ${code} end)() ${PRINTING}`
    const [run] = await runLua('luau', [{ name: 'luau', code: program }])
    expect(run?.error).toBeNull()
    expect(seen(run?.output ?? '')).toEqual(expect.arrayContaining(FRAMES.map((frame) => [...frame])))
    const { text } = mapTraceback(run?.output ?? '', lines)
    expect(text).toContain(':3: too deep 0')
    expect(text).toContain(':5 function deep')
  })
})

const TABLE = { lines: [0, 7, 9], functions: [0, 0, 1], names: ['', 'shop.buy'] }

test.each([
  ["Script 'Workspace.Shop', Line 3 - function a", "Script 'Workspace.Shop', Line 9 - function shop.buy"],
  ['Workspace.Shop:2: attempt to call nil', 'Workspace.Shop:7: attempt to call nil'],
  ['a.lua:3 function k\na.lua:2', 'a.lua:9 function shop.buy\na.lua:7'],
  ['C:\\scripts\\a.lua:2: oops', 'C:\\scripts\\a.lua:7: oops'],
  ['[12:02:03] a.lua:3: oops', '[12:02:03] a.lua:9: oops'],
  ['http://127.0.0.1:3/x answered 404', 'http://127.0.0.1:3/x answered 404'],
  ['loader:2: no key\n[C]:2: x', 'loader:2: no key\n[C]:2: x'],
  ['a.lua:1: from no line of the script', 'a.lua:1: from no line of the script'],
  ['a.lua:999999999: beyond the end', 'a.lua:999999999: beyond the end'],
])('%j becomes %j', (text, mapped) => {
  expect(mapTraceback(text, TABLE).text).toBe(mapped)
})

test('when a traceback contains the script name, positions in other scripts stay unchanged', () => {
  const { text, places } = mapTraceback(`Other:2: in function 'x'\n${NAME}:2: oops`, TABLE, NAME)
  expect(text).toBe(`Other:2: in function 'x'\n${NAME}:7: oops`)
  expect(places).toEqual([{ chunk: NAME, outputLine: 2, file: null, line: 7, function: null }])
})

test('a script name that the host truncated is recognized', () => {
  const name = 'n'.repeat(80)
  expect(mapTraceback(`${name.slice(0, 59)}:2: oops`, TABLE, name).text).toContain(':7: oops')
})

test('a megabyte of nothing but positions is cut off and processed in linear time', () => {
  for (const part of [
    'a:2:',
    `:2:\n`,
    ':2',
    `${NAME}:2: `,
    "Script 'a', Line 2 ",
    '[string "',
    '  ',
    "', line ",
  ]) {
    const { places, text } = mapTraceback(part.repeat(1_000_000 / part.length), TABLE, NAME)
    expect(places.length).toBeLessThan(501)
    expect(text.length).toBeGreaterThan(900_000)
  }
  const many = Array.from({ length: 600 }, (_, i) => `a:${i + 1}: x`).join('\n')
  expect(mapTraceback(many, TABLE)).toMatchObject({ isCut: true, places: { length: 500 } })
})
