/**
 * Tests watermark slots: a program behaves the same no matter how each slot is written, slots are independent
 * of each other, and there are enough of them.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { onceEach } from '../test/once.ts'
import { type Host, runLua } from '../test/run-lua.ts'
import { obfuscate, type Slot } from './index.ts'
import { createRandom } from './random.ts'

const FOLDER = new URL('../test/conformance/', import.meta.url)
const samples = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.lua') && !name.startsWith('lua'))
  .map((name) => ({ name, code: readFileSync(new URL(name, FOLDER), 'latin1') }))

const WANTED = 1024

function protect(source: string, slots = WANTED) {
  const bytes = Uint8Array.from(source, (character) => character.charCodeAt(0))
  const result = obfuscate(bytes, { preset: 'strong', seed: 'slots', slots })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function written(code: string, slots: readonly Slot[], isOne: (slot: number) => boolean): string {
  const bytes = Buffer.from(code, 'latin1')
  slots.forEach((slot, i) => {
    if (isOne(i)) for (const { at, text } of slot) bytes.write(text, at, 'latin1')
  })
  return bytes.toString('latin1')
}

/** The variants are cached per source, because all hosts run the same variants. */
const variants = onceEach((source) => {
  const { code, slots } = protect(source)
  const random = createRandom(source.length, 'bits')
  return [
    written(code, slots, () => true),
    written(code, slots, () => random.chance(0.5)),
    written(code, slots, () => random.chance(0.5)),
  ]
})

describe.each<Host>(['lua5.1', 'luajit', 'luau'])('on %s', (host) => {
  test('a program behaves the same no matter how its slots are written', async () => {
    const own = samples.filter(({ code }) => /^-- hosts: (.*)$/m.exec(code)?.[1]?.includes(host) ?? true)
    expect(own.length).toBeGreaterThan(10)
    const expected = await runLua(host, own)
    const programs = own.flatMap(({ name, code }) => variants(code).map((text) => ({ name, code: text })))
    const outcomes = await runLua(host, programs)
    const wrong = outcomes.filter(({ output, error }, i) => {
      const wanted = expected[Math.floor(i / 3)]
      return error !== null || output !== wanted?.output
    })
    expect(wrong.map(({ name, error }) => [name, error])).toEqual([])
  })
})

/** A script with this many pairs of statements that can be swapped. */
function comparisons(count: number): string {
  const pair = (i: number) => `do local a, b a = 'one${i}' b = 'two${i}' print(a, b) end`
  return Array.from({ length: count }, (_, i) => pair(i)).join('\n')
}

describe('watermark slots', () => {
  test.each([10, 1000, 40_000])(
    'the output has as many slots as requested, for a source of %i bytes',
    (size) => {
      const source = 'print(1)\n'.repeat(size / 9)
      const { slots, report } = protect(source)
      expect(slots).toHaveLength(WANTED)
      expect(report).toMatchObject({ slots: WANTED, watermark: 'full' })
    },
  )

  test('slots never overlap, and every edit of a slot changes the output', () => {
    const { code, slots } = protect(samples.map(({ code: text }) => `do ${text} end`)[0] ?? '')
    const touched = new Set<number>()
    for (const { at, text } of slots.flat()) {
      expect(text).not.toBe(code.slice(at, at + text.length))
      for (let i = at; i < at + text.length; i++) {
        expect(touched.has(i)).toBe(false)
        touched.add(i)
      }
    }
    expect(touched.size).toBeGreaterThan(WANTED)
  })

  test('slots are in instruction words that the program reads, except in tiny programs', () => {
    const source = samples.map(({ code }) => `do ${code} end`).find((code) => code.length > 4000) ?? ''
    const many = protect(source).slots.filter((slot) => slot.length > 1)
    expect(many.length).toBeGreaterThan(10)
  })

  test('the output has slots only on request, and never without an instruction stream', () => {
    const source = 'local function f(x) return x * 2 end print(f(4))'
    expect(protect(source, 0).slots).toEqual([])
    expect(obfuscate(source, { preset: 'light', slots: WANTED })).toMatchObject({
      slots: [],
      report: { slots: 0, watermark: 'none' },
    })
  })

  test('a watermark with fewer than 256 slots is reported as weak', () => {
    const { report } = protect('print(1)', 255)
    expect(report).toMatchObject({ slots: 255, watermark: 'weak' })
  })

  test('the report compares the slots that survive decompilation with the number that a trace needs', () => {
    const small = protect('print(1)').report
    expect(small).toMatchObject({ watermark: 'full', liftedSlots: 0, liftedSlotsNeeded: 36 })
    expect(small.tracing).toBe(
      "identifies the key of an unchanged copy; after decompilation, the key can't be identified: 0 of the 36 slots needed remain",
    )
    const some = protect(comparisons(10)).report
    expect(some.tracing).toContain(
      `after decompilation, the key can't be identified: ${some.liftedSlots} of the 36 slots needed remain`,
    )
    expect(some.liftedSlots).toBeGreaterThan(0)
    const many = protect(comparisons(80)).report
    expect(many.tracing).toBe(
      `identifies the key of an unchanged copy; after decompilation, the key can be identified if at least 36 of the remaining ${many.liftedSlots} slots can be read`,
    )
    expect(many.liftedSlots).toBeGreaterThanOrEqual(36)
    expect(protect('print(1)', 0).report.tracing).toBe('no copy can be traced: all copies are identical')
    expect(protect('print(1)', 35).report.tracing).toBe(
      'no copy can be traced: the script has 35 of the 36 slots needed',
    )
  })

  test.each([-1, 0.5, 5000, Number.NaN])('%s is rejected as a number of slots', (slots) => {
    expect(obfuscate('print(1)', { slots })).toMatchObject({ errors: [{ param: 'slots' }] })
  })
})
