/**
 * Tests the integrity checks at startup. The output runs under any chunk name and wherever a host may embed
 * it. It does not run if it is reprinted, if a character of its data changes, or if library functions are
 * replaced.
 */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import { once, onceEach } from '../../test/once.ts'
import { type Host, type Outcome, runAlone, runLua } from '../../test/run-lua.ts'
import { obfuscate, type Slot } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'
import { createRandom } from '../random.ts'

const SOURCE = readFileSync(new URL('../../attacks/programs/quests.lua', import.meta.url), 'latin1')
const HOSTS: readonly Host[] = ['lua5.1', 'luajit', 'luajit -joff', 'lua5.4', 'luau']

const WITH_LAYOUT = { integrity: { layout: true } }

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { seed: 4, passes: WITH_LAYOUT, ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

const { code } = protect(SOURCE)
/** Number of one-letter edits to try on each output. */
const EDITS = effort({ day: 12, night: 30 })

async function outcomes(host: Host, codes: readonly string[]): Promise<Outcome[]> {
  return await runLua(
    host,
    codes.map((each, i) => ({ name: String(i), code: each })),
  )
}

/** Returns what the source prints on a host. */
const wantedOn = onceEach(async (host) => printed((await outcomes(host as Host, [SOURCE]))[0] as Outcome))

const printed = ({ output }: Outcome) => output.replace(/\nreturned.*$/, '')
const last = (list: readonly Outcome[]) => list[list.length - 1] as Outcome

/** Returns, for each program, whether it prints the same as the source on this host. */
async function running(host: Host, codes: readonly string[]): Promise<boolean[]> {
  const [wanted, found] = [await wantedOn(host), await outcomes(host, codes)]
  return found.map((each) => each.error === null && printed(each) === wanted)
}

const TEXT = /"(?:[^"\\]|\\.)*"/g
/** Strings up to this length are part of the checks themselves. */
const MIN_DATA_LENGTH = 20

/** Returns copies of the output, each with one letter changed in its data. */
function changed(text: string, count: number): string[] {
  const random = createRandom('changes', 'letters')
  const data = [...text.matchAll(TEXT)].filter(({ 0: found }) => found.length > MIN_DATA_LENGTH)
  const places = data.flatMap(({ index, 0: found }) =>
    Array.from(found, (_, i) => index + i).filter((at) => /[A-Za-z]/.test(text[at] ?? '')),
  )
  return random
    .shuffle(places)
    .slice(0, count)
    .map((at) => {
      const letter = text[at] === 'k' ? 'q' : 'k'
      return text.slice(0, at) + letter + text.slice(at + 1)
    })
}

const PRESETS = { light: protect(SOURCE, { preset: 'light' }).code, strong: code }
const EVERYWHERE = HOSTS.flatMap((host) =>
  Object.entries(PRESETS).map(([preset, code]) => ({ host, preset, code })),
)

describe.each(EVERYWHERE)('on $host, at $preset,', ({ host, code }) => {
  test('the output runs below other lines, inside other code and after other code on the same line', async () => {
    const places = [
      code,
      `\n\n-- a license\n\n${code}`,
      `local function f(...) ${code}\nend f(...)`,
      `local before = 1 ${code}`,
      code.replaceAll('\n', '\r\n'),
    ]
    expect(await running(host, places)).toEqual(places.map(() => true))
  })

  test('the output does not run on one line, or with an additional line at its start', async () => {
    const lineOf = code.indexOf('\n')
    const printedAnew = [
      code.replaceAll('\n', ' '),
      code.replaceAll(/\n+/g, '\n'),
      code.replace(/\bdo local /, 'do\nlocal ').replace(/ for /, '\nfor '),
      `${code.slice(0, lineOf)}\n${code.slice(lineOf)}`,
    ]
    expect(await running(host, printedAnew)).toEqual(printedAnew.map(() => false))
  })

  const edited = once(() => outcomes(host, changed(code, EDITS)))

  test('the output does not run if a letter of its data changes, whether or not it is used', async () => {
    const wanted = await wantedOn(host)
    const found = await edited()
    expect(found).toHaveLength(EDITS)
    for (const each of found) expect(each.error === null && printed(each) === wanted).toBe(false)
  })

  test('changing a letter of its data never makes the output print something different', async () => {
    const wanted = await wantedOn(host)
    for (const each of await edited()) expect(wanted.startsWith(printed(each))).toBe(true)
  })
})

const WITH_DEBUG = EVERYWHERE.filter(({ host }) => host === 'lua5.1' || host.startsWith('luajit'))

describe.each(WITH_DEBUG)('on $host, at $preset,', ({ host, code }) => {
  // The `light` preset does not read the environment.
  const environment = code === PRESETS.light ? [] : ['getfenv']
  test.each(['setmetatable', ...environment, 'string.byte', 'string.char', 'string.sub'])(
    'the output does not run if %s is replaced with an equivalent Lua function',
    async (name) => {
      const replace = `local real = ${name} ${name} = function(...) return real(...) end `
      expect(await running(host, [replace + code])).toEqual([false])
    },
  )

  test.each(['setmetatable', ...environment, 'string.byte', 'string.char', 'string.sub'])(
    'the output does not run if %s is replaced with a native wrapper of a Lua function, whatever debug returns',
    async (name) => {
      const made = `local real = ${name}
        local function hook() return coroutine.wrap(function(...) ${name} = hook() while true do coroutine.yield(real(...)) end end) end
        ${name} = hook() `
      const hidden = 'debug.getinfo = nil '
      expect(await running(host, [made + code, hidden + made + code])).toEqual([false, false])
    },
  )

  test.each(['print', 'require', 'pcall', 'tostring', 'string.gsub', 'table.concat', 'load', 'error'])(
    'the output runs if %s is replaced, as libraries and hosts do',
    async (name) => {
      const replace = `local real = ${name} or print ${name} = function(...) return real(...) end `
      expect(await running(host, [replace + code])).toEqual([true])
    },
  )

  test('the output runs on hosts that cannot tell whether a function is native or that give unusual results', async () => {
    const hosts = [
      'debug = nil string.dump = nil ',
      "string.dump = function() return '' end ",
      "string.dump = function() return 'unsupported' end debug.getinfo = function() return {} end ",
      'debug = setmetatable({}, { __index = function() return function() return {} end end }) ',
      'pcall = nil ',
      "local real = pcall pcall = function(...) local ok, e = real(...) if ok then return ok, e end return ok, 'failed' end ",
      'local real = pcall pcall = function(...) local ok, e = real(...) if ok then return ok, e end return ok, {} end ',
      'local real = pcall pcall = function(...) local ok, e = real(...) if ok then return ok, e end return ok, e .. debug.traceback() end ',
    ]
    const source = SOURCE.includes('pcall') ? '' : SOURCE
    expect(source).toBe(SOURCE)
    expect(
      await running(
        host,
        hosts.map((each) => each + code),
      ),
    ).toEqual(hosts.map(() => true))
  })

  test('the output runs under any chunk name, including from a file', async () => {
    const names = [
      "''",
      "'='",
      "'=:12:'",
      "'@a:12: for'",
      "'=two\\nlines'",
      "('long '):rep(100)",
      "'=' .. ('n'):rep(300)",
      'nil',
    ]
    const bytes = [...code].map((each) => each.charCodeAt(0)).join(',')
    const list = `local t = {${bytes}} for i = 1, #t do t[i] = string.char(t[i]) end local text = table.concat(t) `
    const loaded = names.map((name) => `${list} return loadstring(text, ${name})()`)
    expect(await running(host, loaded)).toEqual(names.map(() => true))
    const [command = host, ...flags] = host.split(' ')
    const wanted = await runAlone(command, [...flags, '-'], SOURCE)
    expect(await runAlone(command, [...flags, '-'], code)).toBe(wanted)
  })
})

describe('integrity options', () => {
  const one = code.replaceAll('\n', ' ')

  test('turn individual checks on and off; lines may be joined by default', async () => {
    const off = (passes: NonNullable<ObfuscateOptions['passes']>) => protect(SOURCE, { passes }).code
    const replaced = 'local real = string.byte string.byte = function(...) return real(...) end '
    const texts = [
      off({}).replaceAll('\n', ' '),
      replaced + off({ integrity: { natives: 'none' } }),
      replaced + off({ integrity: false }).replaceAll('\n', ' '),
    ]
    expect(await running('lua5.1', [...texts, one])).toEqual([true, true, true, false])
  })

  test('natives=all checks further library functions', async () => {
    const all = protect(SOURCE, { passes: { integrity: { natives: 'all' } } }).code
    const names = ['tostring', 'pcall', 'string.gsub', 'table.concat']
    const texts = names.map(
      (name) => `local real = ${name} ${name} = function(...) return real(...) end ${all}`,
    )
    expect(await running('lua5.1', [all, ...texts])).toEqual([true, ...names.map(() => false)])
    expect(await running('luau', [all])).toEqual([true])
  })

  test('checks are on at every preset, including in files with --!hot', async () => {
    const texts = presets.map(({ id: preset }) => protect(SOURCE, { preset }).code)
    texts.push(protect(`--!hot\n${SOURCE}`).code)
    expect(await running('lua5.1', texts)).toEqual(texts.map(() => true))
    const joined = texts.map((each) => each.replaceAll('\n', ' '))
    expect(await running('lua5.1', joined)).toEqual(texts.map(() => false))
  })
})

describe('line numbers', () => {
  test('of the output are above those of the source, so an error never shows a source line', async () => {
    const source = `${'local a = 1\n'.repeat(30)}error('here')`
    const found = last(await outcomes('lua5.1', [protect(source).code]))
    const line = Number(/:(\d+): here/.exec(found.error ?? '')?.[1])
    expect(line).toBeGreaterThan(31)
    expect(protect(source).lines.lines[line - 1]).toBe(31)
  })
})

describe('watermark slots', () => {
  test('pass the integrity check in either variant, but not if only half of one is written', async () => {
    const { code: text, slots } = protect(SOURCE, { slots: 512 })
    const write = (list: readonly Slot[]) =>
      list
        .flat()
        .reduce((now, { at, text: other }) => now.slice(0, at) + other + now.slice(at + other.length), text)
    const halves = slots.filter((slot) => slot.length > 1).map((slot) => slot.slice(0, -1))
    expect(halves.length).toBeGreaterThan(5)
    expect(await running('lua5.1', [write(slots), write(slots.slice(0, 99))])).toEqual([true, true])
    expect(
      await running(
        'lua5.1',
        halves.slice(0, 5).map((half) => write([half])),
      ),
    ).toEqual(Array(5).fill(false))
  })
})
