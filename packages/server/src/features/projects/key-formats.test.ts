/**
 * Key formats: how many keys they allow, what the check character detects, and which formats are rejected.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../api/refusals.ts'
import { isChecked, isMistaken, newKey, readKeyFormat, SYMBOLS } from './key-formats.ts'

const FORMATS = [
  'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X',
  'XXXXXXX-XXXXXXX-XXXXXXX',
  'X2-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
] as const
const format = fc.constantFrom(...FORMATS)
const keyOf = (of: string) => newKey(randomBytes, of)

/** Returns all variants of the key with exactly one wrong symbol, at or after `start`. */
function mistypedOf(key: string, start: number): string[] {
  return [...key].flatMap((right, at) => {
    if (at < start || right === '-') return []
    return [...SYMBOLS]
      .filter((one) => one !== right)
      .map((one) => key.slice(0, at) + one + key.slice(at + 1))
  })
}

describe('keys of a format', () => {
  it('have its shape and a valid check character', () => {
    fc.assert(
      fc.property(format, (of) => {
        const key = keyOf(of)
        expect(key).toMatch(/^[A-Z0-9-]+$/)
        expect(key.length).toBe(of.length)
        expect(isChecked(of, key)).toBe(true)
      }),
    )
  })

  it('with any single wrong symbol are detected', () => {
    for (const of of FORMATS) {
      const wrong = mistypedOf(keyOf(of), of === FORMATS[1] ? 0 : of.indexOf('-') + 1)
      expect(wrong.length).toBeGreaterThanOrEqual(21 * 31)
      for (const one of wrong) expect([one, isChecked(of, one)]).toEqual([one, false])
    }
  })

  it('with two adjacent symbols swapped are detected', () => {
    fc.assert(
      fc.property(format, fc.nat(), (of, seed) => {
        const key = keyOf(of)
        const places = [...key].flatMap((symbol, at) =>
          at >= key.indexOf('-') - 1 && symbol !== '-' ? [at] : [],
        )
        const [one = 0, other = 0] = places.slice(seed % (places.length - 1))
        if (key[one] === key[other] || one < of.search(/X{3}/)) return
        const swapped = [...key]
        swapped[one] = key.charAt(other)
        swapped[other] = key.charAt(one)
        expect([key, swapped.join(''), isChecked(of, swapped.join(''))]).toEqual([
          key,
          swapped.join(''),
          false,
        ])
      }),
      { numRuns: 2000 },
    )
  })

  it('of another shape are not checked', () => {
    for (const key of ['', 'HUB', 'k'.repeat(32), keyOf(FORMATS[1]), `${keyOf(FORMATS[0])}X`])
      expect(isChecked(FORMATS[0], key)).toBeUndefined()
  })

  it('from elsewhere look like typos only when they have its shape in capitals', () => {
    const key = keyOf(FORMATS[0])
    const wrong = key.slice(0, -1) + (key.endsWith('2') ? '3' : '2')
    const mistaken = [wrong, wrong.toLowerCase(), key.toLowerCase()]
    expect(mistaken.map((one) => isMistaken(FORMATS[0], one))).toEqual([true, true, true])
    const others = [key, 'k'.repeat(32), `${wrong}2`, wrong.replace('HUB', 'PUB'), wrong.replace(/-./, '-0')]
    expect(others.map((one) => isMistaken(FORMATS[0], one))).toEqual(others.map(() => false))
  })

  it('are 32 letters and digits when there is no format', () => {
    expect(newKey(randomBytes, null)).toMatch(/^[A-Za-z0-9]{32}$/)
  })
})

describe('a format', () => {
  it.each([
    ['HUB-XXXXX', "at least 21 X (100 random bits) so that keys can't be guessed: add 16 more"],
    ['XXXXXXXXXXXXXXXXXXXX', '1 more'],
    ['X'.repeat(32), 'a prefix or be divided into groups'],
    [`HUB-${'X'.repeat(33)}`, 'at most 32 X'],
    [`ABCDEFGHIJKLM-${'X'.repeat(21)}`, 'a prefix of at most 12'],
    [`hub-${'X'.repeat(21)}`, 'a prefix of A-Z and 0-9 only'],
    [`HUB-${'X'.repeat(21)}-`, 'groups of X'],
    [`HUB--${'X'.repeat(21)}`, 'groups of X'],
    [`HUB-${'X'.repeat(20)}Y`, 'groups of X'],
    [`${'X-'.repeat(32)}X`, 'at most 64'],
  ])('such as %s is rejected with the reason: %s', (given, words) => {
    const refused = readKeyFormat('key_format', given)
    expect(refused).toBeInstanceOf(Refused)
    expect(JSON.stringify(refused)).toContain(words)
  })

  it('that is blank counts as no format', () => {
    expect(readKeyFormat('key_format', ' ')).toBeNull()
  })
})
