/** Tests that the hash of compared strings can't be inverted. */

import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { createValueCipher } from './value-cipher.ts'

const HASH_UNIT = 2 ** 25
const FACTOR_OF_FORM = 256
const ROUNDS = 24

type State = readonly [a: number, b: number, c: number]
type Constants = Readonly<Record<'first' | 'second' | 'third' | 'factor' | 'start', number>>

/** Reads the constants of the cipher. Every output contains them. */
function constantsOf(cipher: ReturnType<typeof createValueCipher>): Constants {
  const holes = cipher.holes([], 0)
  const numberAt = (name: string) => (holes[name] as unknown as { value: number }).value
  const names = ['first', 'second', 'third', 'factor', 'start'] as const
  return Object.fromEntries(names.map((name) => [name, numberAt(name)])) as Constants
}

function step([a, b, c]: State, value: number, { first, second, third, factor }: Constants): State {
  const nextA = (a * factor + b + value) % first
  const nextB = (b * nextA + c + value) % second
  return [nextA, nextB, (c * nextB + nextA + 1) % third]
}

/** Computes the state before a step from the state after that step. */
function back([a, b, c]: State, value: number, { first, second, third, factor }: Constants): State {
  const lastC = divide(c - a - 1, b, third)
  const lastB = divide(b - lastC - value, a, second)
  return [divide(a - lastB - value, factor, first), lastB, lastC]
}

/** Computes `dividend / divisor` modulo a prime. */
function divide(dividend: number, divisor: number, prime: number): number {
  const [modulus, numerator] = [BigInt(prime), BigInt(((dividend % prime) + prime) % prime)]
  let [result, base, exponent] = [1n, BigInt(divisor) % modulus, modulus - 2n]
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % modulus
    base = (base * base) % modulus
  }
  return Number((numerator * result) % modulus)
}

test('the state that a string produces cannot be derived from the published hash', () => {
  const cipher = createValueCipher(createRandom(1, 'test'))
  const constants = constantsOf(cipher)
  const text = 'open sesame'
  const { hash, form } = cipher.hash({ text, isSlow: false })
  const salt = Math.floor(form / FACTOR_OF_FORM)
  let before: State = [constants.start + salt, text.length + 1, 7]
  for (const letter of text) before = step(before, letter.charCodeAt(0), constants)
  let after = before
  for (let i = 1; i <= ROUNDS; i++) after = step(after, i, constants)
  const rewind = (state: State) => {
    let found = state
    for (let i = ROUNDS; i >= 1; i--) found = back(found, i, constants)
    return found
  }
  // The rounds alone can be inverted.
  expect(rewind(after)).toEqual(before)
  const published = [Math.floor(hash / HASH_UNIT), hash % HASH_UNIT] as const
  const sum = [after[0] + before[0], after[1] + before[1]]
  expect(published).toEqual([(sum[0] ?? 0) % constants.first, (sum[1] ?? 0) % constants.second])
  // Even an attacker who guesses the third part of the state cannot recover the string.
  const third = (after[2] + before[2]) % constants.third
  expect(rewind([...published, third])).not.toEqual(before)
  expect(rewind([...published, after[2]])).not.toEqual(before)
})
