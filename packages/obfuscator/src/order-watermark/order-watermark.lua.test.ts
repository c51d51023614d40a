/**
 * Tests the slots that survive lifting: only statements whose order can't be observed are swapped, programs
 * behave the same in every copy, and the order can be read from lifted copies.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import { lift } from '../../attacks/lift/lifter.ts'
import { generateProgram } from '../../test/generate-program.ts'
import { once } from '../../test/once.ts'
import { type Host, runLua } from '../../test/run-lua.ts'
import { Diagnostics } from '../diagnostics.ts'
import { type Built, obfuscate, readOrder, readText } from '../index.ts'
import { createRandom } from '../random.ts'
import { resolve } from '../semantics/resolve.ts'
import { parse } from '../syntax/parser.ts'
import { collectVariables } from '../vm/variables.ts'
import { areIndependent, effectsOf, isDeclaration } from './effects.ts'

const SLOTS = 1024

/** Whether the last two statements can be swapped. */
function mayChangePlaces(source: string): boolean {
  const diagnostics = new Diagnostics(source)
  const chunk = resolve(parse(source, diagnostics), [], diagnostics)
  expect(diagnostics.list()).toEqual([])
  const variables = collectVariables(chunk)
  const pair = chunk.body.statements.slice(-2)
  const [a, b] = pair.map((each) => effectsOf([each])) as [
    ReturnType<typeof effectsOf>,
    ReturnType<typeof effectsOf>,
  ]
  const declaring = [a, b].filter((_, i) => isDeclaration(pair[i] as (typeof pair)[number]))
  return areIndependent(a, b, declaring, (symbol) => {
    const variable = variables.get(symbol)
    return variable === undefined || (variable.isCaptured && variable.isAssigned)
  })
}

describe('only statements whose order cannot be observed are swapped', () => {
  test.each([
    'local a = 1 local b = "x"',
    'local a = {} local b = { 1, two = 2 }',
    'local function f() return 1 end local function g() return 2 end',
    'local f, g local a = 1 f = function() return g() end',
    'local a = 1 print("x")',
    'print("x") local a = 1',
    'local a = 1 if x then return 2 end',
    'local t = {} local b = not t local c = t.field',
  ])('swapped: %s', (source) => {
    expect(mayChangePlaces(source)).toBe(true)
  })

  test.each([
    ['one reads a local that the other sets', 'local a = 1 local b = a'],
    ['both set the same local', 'local a = 1 a = 2 a = 3'],
    ['both call', 'print("x") print("y")'],
    ['one makes a call and the other fails', 'print("x") local a = nil + 1'],
    ['a metamethod may be called', 'local t = x local a = t.b local c = t.d'],
    ['a table may have a metamethod', 'local t = x t.a = 1 local b = t.c'],
    ['the call may read the local', 'local a = 1 local function f() return a end a = 2 f()'],
    ['the call may change the local', 'local a = 1 local function f() a = 2 end f() local b = a'],
    ['the variable already existed', 'local a = {} a = nil print("x")'],
    ['garbage is collected', 'local a = 1 collectgarbage()'],
    ['control leaves a loop', 'while x do local a = 1 break end goto out local a = 1 ::out::'],
    ['the length may call a metamethod', 'local t = x local a = #t print("x")'],
    ['a key may be nil', 'local k = x print("x") local t = { [k] = 1 }'],
  ])('not swapped if %s', (_, source) => {
    expect(mayChangePlaces(source)).toBe(false)
  })
})

function build(source: string, seed: number | string, preset = 'strong'): Built {
  const result = obfuscate(source, { preset, seed, slots: SLOTS })
  if ('errors' in result) throw new Error(`${JSON.stringify(result.errors)} in\n${source}`)
  return result
}

/** Writes the given bits into the slots of a copy. */
function copyOf({ code, slots }: Built, bits: readonly boolean[]): string {
  const bytes = Buffer.from(code, 'latin1')
  slots.forEach((slot, i) => {
    if (bits[i]) for (const { at, text } of slot) bytes.write(text, at, 'latin1')
  })
  return bytes.toString('latin1')
}

function randomBits(count: number, seed: number): boolean[] {
  const random = createRandom(seed, 'bits')
  return Array.from({ length: count }, () => random.chance(0.5))
}

/** Returns a program's tokens, without the tokens of bare names. */
const named = (text: string) => readText(text).filter((each) => each >= 0)

const COUNT = effort({ day: 24, night: 60 })
const shown = (text: string) => text.replace(/(table|function): \w+/g, '$1')

const sources = Array.from({ length: COUNT }, (_, i) => generateProgram(createRandom(i, 'order'), 'lua'))
const presets = ['balanced', 'strong', 'max']
const made = once(() => sources.map((source, i) => build(source, i, presets[i % presets.length])))

describe.each<Host>(['lua5.1', 'luajit', 'luau'])('on %s', (host) => {
  test('random programs behave the same in every copy', async () => {
    const builds = made()
    const marked = builds.filter(({ orders }) => orders.marks.length > 0)
    expect(marked.length).toBeGreaterThan(COUNT / 2)
    const programs = (codes: readonly string[]) => codes.map((code, i) => ({ name: `${i}`, code }))
    const expected = await runLua(host, programs(sources))
    const copies = builds.map((each, i) => copyOf(each, randomBits(SLOTS, i)))
    const outcomes = await runLua(host, programs(copies))
    outcomes.forEach(({ name, output, error }, i) => {
      expect([name, error, shown(output)]).toEqual([
        name,
        expected[i]?.error,
        shown(expected[i]?.output ?? ''),
      ])
    })
  })
})

const PROGRAMS = new URL('../../../../bench/programs/', import.meta.url)
const SCRIPT = readdirSync(PROGRAMS)
  .map(
    (name, i) =>
      `local function part${i}()\n${readFileSync(new URL(name, PROGRAMS), 'latin1')}\nend\npart${i}()`,
  )
  .join('\n')

describe('the order can be read', () => {
  const built = build(SCRIPT, 'order')
  const bits = randomBits(SLOTS, 1)

  /** Counts how many slots are read correctly and how many are read incorrectly. */
  function readIn(text: string): { readonly right: number; readonly wrong: number } {
    const read = [...readOrder(readText(text), built.orders)]
    const right = read.filter((bit, i) => bit === Number(bits[i])).length
    return { right, wrong: read.filter((bit) => bit !== -1).length - right }
  }

  test('from a lifted copy', async () => {
    expect(built.report.liftedSlots).toBeGreaterThan(100)
    expect(built.orders.marks).toHaveLength(built.report.liftedSlots)
    const { lines } = await lift(copyOf(built, bits), 'lua5.1')
    const { right, wrong } = readIn(lines.join('\n'))
    expect(right).toBeGreaterThan(built.report.liftedSlots / 2)
    expect(wrong).toBeLessThan(right / 6)
  })

  test('but not from an unrelated script', () => {
    const { right, wrong } = readIn(
      'local v = game:GetService("Players")\nif v.Name == "x" then v:Kick(1, 2) end',
    )
    expect(right + wrong).toBe(0)
  })

  test('from the original source with different names', () => {
    const read = readOrder(readText(SCRIPT.replace(/\bpart(\d+)/g, 'v$1')), built.orders)
    expect(read.filter((bit) => bit === 0).length).toBeGreaterThan(built.report.liftedSlots * 0.8)
    expect(read.filter((bit) => bit === 1)).toHaveLength(0)
  })

  test.each([
    ['strings', `local a = 'x\\65\\n' if a == "x" then end`, `local a = "xA\\10" if v == [[x]] then end`],
    [
      'fields',
      'local t = { name = 1 } t.name = t["other"]',
      'local t = { ["name"] = 1 } v["name"] = v.other',
    ],
    ['methods', 'local a = x:find("y", 16)', 'local a = x.find("y", 0x10)'],
    ['comparisons', 'if a ~= 5 or b > 3 then end', 'if not (v1 == 5) or not (v2 <= 3) then end'],
    ['comments', 'local a = 1 -- two\nlocal b = 3', 'local a = 1 --[==[ 2 ]] 4 ]==] local b = 3'],
  ])('regardless of the spelling of %s', (_, one, other) => {
    const tokens = named(one)
    expect(tokens.length).toBeGreaterThan(1)
    expect(named(other)).toEqual(tokens)
  })

  test.each(['[[', '--[==[', '"\\', "'", '{', '..', '~='])('from nothing but %s in linear time', (piece) => {
    const start = process.cpuUsage().user
    readIn(piece.repeat(300_000))
    expect((process.cpuUsage().user - start) / 1e6).toBeLessThan(5)
  })
})
