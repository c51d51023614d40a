/**
 * Tests that random programs and real libraries behave the same before and after protection. The number of
 * programs is fixed, and each program depends only on its number, so a failure identifies the program.
 */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import { obfuscate } from '../src/index.ts'
import { type ObfuscateOptions, presets } from '../src/options.ts'
import { createRandom, type Random } from '../src/random.ts'
import { generateProgram, generateTwins } from './generate-program.ts'
import { HOSTS, type Host, type Outcome, type Program, runLua } from './run-lua.ts'
import { seeds, targets } from './seeds.ts'

const COUNT = effort({ day: 40, night: 250 })
/** Number of programs with syntax that few scripts use. */
const NEWER = effort({ day: 24, night: 100 })

const everything = { 'hide-globals': { reach: 'hot', slowLuau: true }, 'encrypt-strings': { fields: 'hot' } }

function protect(source: string, target: string, seed: number): string {
  const passes = seed % 2 === 0 ? everything : {}
  const preset = presets[Math.floor(seed / 2) % presets.length]?.id ?? ''
  return codeOf(source, { preset, target, seed, passes })
}

function codeOf(source: string, options: ObfuscateOptions): string {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(`${JSON.stringify(result.errors)} in\n${source}`)
  return result.code
}

const each = <T>(make: (random: Random) => T, count = COUNT): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(createRandom(i, 'differential')))
const twins = each(generateTwins, NEWER)

/** `classes` uses classes and exports; `plain` contains the same programs without them. */
const SOURCES = {
  lua: each((random) => generateProgram(random, 'lua')),
  luau: each((random) => generateProgram(random, 'luau')),
  lua54: each((random) => generateProgram(random, 'lua54'), NEWER),
  classes: twins.map(({ code }) => code),
  plain: twins.map(({ plain }) => plain),
}
type Dialect = keyof typeof SOURCES

/** Results needed by several tests are computed once, because identical builds yield identical bytes. */
function once<T>(make: (dialect: Dialect, where: string) => T) {
  const made = new Map<string, T>()
  return (dialect: Dialect, where: string): T => {
    const name = `${dialect} ${where}`
    const known = made.get(name) ?? make(dialect, where)
    made.set(name, known)
    return known
  }
}
const protectedFor = once((dialect, target) =>
  SOURCES[dialect].map((source, i) => protect(source, target, i)),
)
const originalsOn = once((dialect, host) => runLua(host as Host, numbered(SOURCES[dialect])))

/** Tables and functions print their addresses. Nothing else may differ. */
const shown = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ name, output, error }) => [
    name,
    error,
    output.replace(/(table|function): \w+/g, '$1').replace(/\nreturned(\ttable)?$/, ''),
  ])

const numbered = (codes: readonly string[]): Program[] => codes.map((code, i) => ({ name: String(i), code }))

describe.each(HOSTS)('on %s', (host: Host) => {
  const own = { 'lua5.1': 'lua51', luajit: 'luajit', luau: 'luau' }[host as string] ?? 'any'

  test.each(targets(own))(
    'random programs behave the same after protection, for target %s',
    async (target) => {
      const before = await originalsOn('lua', host)
      const after = await runLua(host, numbered(protectedFor('lua', target)))
      expect(shown(after)).toEqual(shown(before))
      expect(before.filter(({ error }) => error === null).length).toBeGreaterThan(COUNT * 0.9)
    },
  )

  test.each(targets(own))(
    'random programs with Luau syntax behave the same after protection, for target %s',
    async (target) => {
      const before = await originalsOn('luau', 'luau')
      const after = await runLua(host, numbered(protectedFor('luau', target)))
      expect(shown(after)).toEqual(shown(before))
    },
  )
})

test('random programs in Lua 5.4 behave the same after protection', async () => {
  const before = await originalsOn('lua54', 'lua5.4')
  const after = await runLua('lua5.4', numbered(protectedFor('lua54', 'lua54')))
  expect(shown(after)).toEqual(shown(before))
  expect(before.filter(({ error }) => error === null).length).toBeGreaterThan(NEWER * 0.9)
})

test.each(HOSTS)(
  'random programs with classes and exports behave on %s like equivalent programs without them',
  async (host) => {
    const before = await originalsOn('plain', 'luau')
    const after = await runLua(host, numbered(protectedFor('classes', 'any')))
    expect(shown(after)).toEqual(shown(before))
    expect(before.filter(({ error }) => error === null).length).toBeGreaterThan(NEWER * 0.9)
  },
)

// Debian's lua-json, lua-unit, lua-inspect and lua-penlight, and their expected results.
const LIBRARIES = '/usr/share/lua/5.1/'

const libraries = [
  {
    file: 'inspect.lua',
    use: `local inspect = library print(inspect({ 1, 2, { a = 'b' }, x = { y = true }, [1.5] = 'f' }))`,
  },
  {
    file: 'luaunit.lua',
    use: `local lu = library print(lu.VERSION, pcall(lu.assertEquals, { 1, 2 }, { 1, 2 }), (pcall(lu.assertEquals, 1, 2))) print(lu.prettystr({ 1, { 'x' }, k = 'v' }))`,
  },
  {
    file: 'pl/stringx.lua',
    use: `local s = library print(s.strip('  x '), s.split('a,b,c', ','):concat('|'), s.title('hello world'), s.count('banana', 'an'))`,
  },
  {
    file: 'pl/List.lua',
    use: `local L = library print(L({ 3, 1, 2 }):sort():concat(','), L.range(1, 5):reverse(), L({ 1, 2 }):append(3):len())`,
  },
  {
    file: 'pl/pretty.lua',
    use: `local p = library print(p.write({ 1, 2, { a = 'b' } }, ''), p.read('{1, x = 2}').x)`,
  },
  {
    file: 'pl/template.lua',
    use: `local t = library print(t.substitute('# for i = 1, 3 do\\n<$(i)>\\n# end\\n', { _escape = '#' }))`,
  },
  {
    file: 'socket/url.lua',
    use: `local u = library print(u.parse('http://a.b/c?d#e').query, u.escape('a b/c'))`,
  },
  {
    file: 'ltn12.lua',
    use: `local l = library local out = {} l.pump.all(l.source.string('abc'), (l.sink.table(out))) print(table.concat(out))`,
  },
]

describe.each(['lua5.1', 'luajit'] as const)('real libraries on %s', (host) => {
  test('real libraries return the same results at every preset', async () => {
    const chunk = (name: string, code: string) => `local library = (function(...) ${code}\nend)('${name}')\n`
    const list = (transform: (source: string) => string) =>
      libraries.map(({ file, use }) => {
        const code = transform(readFileSync(LIBRARIES + file, 'latin1'))
        return { name: file, code: chunk(file.replace('.lua', '').replace('/', '.'), code) + use }
      })
    const before = await runLua(
      host,
      list((source) => source),
    )
    for (const options of presets.flatMap(({ id }) => seeds.map((seed) => ({ preset: id, seed })))) {
      const after = await runLua(
        host,
        list((source) => codeOf(source, options)),
      )
      expect([options, shown(after)]).toEqual([options, shown(before)])
    }
    expect(before.map(({ name, error }) => [name, error])).toEqual(libraries.map(({ file }) => [file, null]))
  })
})
