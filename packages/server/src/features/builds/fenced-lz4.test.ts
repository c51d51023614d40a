/** Fenced parts are stored unchanged in the block, and any LZ4 decoder restores the entire string. */
import { describe, expect, test } from 'vitest'
import { packFenced } from './fenced-lz4.ts'
import { pack, unpack } from './lz4.ts'
import { findMarks, mark } from './watermark.ts'

/** A seeded generator makes failures reproducible. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

function sample(seed: number): string {
  const next = chance(seed)
  const words = Array.from({ length: 1 + next(30) }, () =>
    Array.from({ length: 1 + next(12) }, () => String.fromCharCode(33 + next(90))).join(''),
  )
  return Array.from({ length: next(4000) }, () => words[next(words.length)]).join('')
}

function slotsIn(text: string, seed: number) {
  const next = chance(seed)
  const slots: { at: number; text: string }[][] = []
  for (let at = next(20); at + 3 <= text.length; at += 3 + next(60)) {
    const other = Array.from({ length: 1 + next(3) }, () => String.fromCharCode(33 + next(90))).join('')
    const edit = { at, text: other }
    if (slots.length > 0 && next(4) === 0) slots.at(-1)?.push(edit)
    else slots.push([edit])
  }
  return slots
}

const seeds = Array.from({ length: 60 }, (_, i) => i + 1)

describe('a string compressed with fixed literals', () => {
  test('decompresses to the original, and with any watermark payload to the string with the edits of that payload', () => {
    for (const seed of seeds) {
      const text = `${sample(seed)}x`
      const slots = slotsIn(text, seed)
      const fences = slots.flat().map(({ at, text: { length } }) => ({ at, length }))
      const block = Buffer.from(packFenced(text, fences))
      expect(unpack(block, text.length)).toBe(text)
      expect(unpack(block, text.length)).toBe(text)
      const marks = findMarks(block, slots)
      const word = Buffer.from(
        Array.from({ length: Math.ceil(slots.length / 8) }, (_, i) => (seed * 31 + i * 77) & 255),
      )
      const wanted = Buffer.from(text)
      slots.forEach((slot, i) => {
        if (((word[i >> 3] as number) >> (i & 7)) % 2 === 0) return
        for (const edit of slot) wanted.write(edit.text, edit.at)
      })
      const marked = Buffer.from(block)
      mark(marked, marks, word)
      expect(marked).toHaveLength(block.length)
      expect(unpack(marked, text.length)).toBe(wanted.toString())
    }
  })

  test('is hardly longer than the output of the LZ4 library', () => {
    const text = Array.from(
      { length: 3000 },
      (_, i) => `local v${i} = f(${i * 7}) if v${i} then return end `,
    ).join('')
    expect(packFenced(text, []).length).toBeLessThan(pack(text).length * 1.02)
  })

  test('grows only a little if its bytes never repeat, and stays correct', () => {
    const next = chance(9)
    const text = Array.from({ length: 70_000 }, () => String.fromCharCode(1 + next(127))).join('')
    const packed = packFenced(text, [])
    expect(packed.length).toBeLessThan(text.length * 1.01)
    expect(unpack(packed, text.length)).toBe(text)
  })
})

test('a watermark slot that is not a literal of the block throws an error instead of corrupting the payload', () => {
  const block = Buffer.from(packFenced('abcdefgh'.repeat(20), []))
  expect(() => findMarks(block, [[{ at: 100, text: 'x' }]])).toThrow('is a slot, not a literal')
})
