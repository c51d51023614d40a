/**
 * Tests split outputs. Code and data together behave like the unsplit output on every host. The code alone
 * contains none of the script's strings, and doesn't contain its numbers in order. A script that is not fully
 * virtualized is not split.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { type Host, runLua } from '../../test/run-lua.ts'
import { type Built, dataOf, interpreterOf, obfuscate } from '../index.ts'
import type { ObfuscateOptions } from '../options.ts'

const FOLDER = new URL('../../test/conformance/', import.meta.url)
const samples = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.lua') && !name.startsWith('lua'))
  .map((name) => ({ name, code: readFileSync(new URL(name, FOLDER), 'latin1') }))

function protect(source: string, options: ObfuscateOptions = {}): Built {
  const bytes = Uint8Array.from(source, (character) => character.charCodeAt(0))
  const all = { preset: 'strong', seed: 'split', parameters: ['ward'], slots: 300, ...options }
  const result = obfuscate(bytes, all)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

/** Builds a program that loads code and data separately. */
function joined({ code, data }: Built): string {
  if (data === null) return `local f = (function() ${code} end)() return f(nil, ...)`
  const interpreter = interpreterOf(code, data).replace(/^local (\w+)=\.\.\./, 'local f = (function($1) ')
  return `${interpreter} end)({${dataOf(code, data)}}) return f(nil, ...)`
}

const stringsIn = (text: string) => [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b)

/** Builds of each sample with both presets that split the output. */
const builds = once(() =>
  samples.flatMap((sample) =>
    ['strong', 'max'].map((preset) => ({ ...sample, build: protect(sample.code, { preset }) })),
  ),
)

describe.each<Host>(['lua5.1', 'luajit', 'luajit -joff', 'luau'])('on %s', (host) => {
  test('split code and data together behave like the original', async () => {
    const isFor = ({ code }: { readonly code: string }) =>
      /^-- hosts: (.*)$/m.exec(code)?.[1]?.includes(host) ?? true
    const expected = await runLua(host, samples.filter(isFor))
    const own = builds().filter(isFor)
    expect(own.filter(({ build }) => build.data !== null).length).toBeGreaterThan(own.length / 2)
    const outcomes = await runLua(
      host,
      own.map(({ name, build }) => ({ name, code: joined(build) })),
    )
    const wrong = outcomes.filter(({ output, error }, i) => {
      const wanted = expected[Math.floor(i / 2)]
      return error !== null || output !== wanted?.output
    })
    expect(wrong.map(({ name, error }) => [name, error])).toEqual([])
  })
})

const SOURCE = `local prices = { apple = 1250, plum = 310 }
local function order(name, count) return 'you pay ' .. prices[name] * count end
print(order('apple', 3), order('plum', 12))`

describe('split code', () => {
  test('contains no strings; the data contains all strings and the watermark slots', () => {
    const { code, data, slots, report } = protect(SOURCE)
    if (data === null) throw new Error('not split')
    const interpreter = interpreterOf(code, data)
    expect(stringsIn(interpreter).filter((text) => text !== '')).toEqual([])
    expect(report.dataSize).toBe(data.to - data.from)
    for (const { at, text } of slots.flat()) {
      expect(at).toBeGreaterThan(data.from)
      expect(at + text.length).toBeLessThan(data.to)
    }
    expect(code.slice(0, data.from) + code.slice(data.from, data.to) + code.slice(data.to)).toBe(code)
    expect(code.slice(data.from, data.to)).toBe(`{${dataOf(code, data)}}`)
  })

  test('is not created if functions stay native, if there are no parameters, or if the option is off', () => {
    expect(protect(SOURCE).data).not.toBeNull()
    const whole: readonly (readonly [string, ObfuscateOptions])[] = [
      [SOURCE, { preset: 'light' }],
      [SOURCE, { preset: 'balanced' }],
      [SOURCE, { passes: { 'split-data': false } }],
      [SOURCE, { passes: { virtualize: { strategy: 'balanced' } } }],
      [`--!hot\n${SOURCE}`, {}],
      [`${SOURCE} WARD_NO_VIRTUALIZE(function() return 7 end)()`, {}],
      [`${SOURCE} WARD_JIT(function() return 7 end)()`, {}],
      [`@native local function f() return 7 end f() ${SOURCE}`, {}],
    ]
    for (const [source, options] of whole) {
      const { data, report } = protect(source, options)
      expect([source, data, report.dataSize]).toEqual([source, null, 0])
    }
    const alone = obfuscate(SOURCE, { preset: 'strong' })
    expect(alone).toMatchObject({ data: null })
  })
})
