/** Lookups of public keys, with a database whose responses the test controls. */
import { expect, it } from 'vitest'
import type { Database } from '../../database/engine/db.ts'
import { PublicKeys } from './public-keys.ts'

const FRESH_MS = 5000
const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)]

function open() {
  const keys = new PublicKeys()
  const readings: PromiseWithResolvers<object[]>[] = []
  const execute = () => {
    const reading = Promise.withResolvers<object[]>()
    readings.push(reading)
    return reading.promise
  }
  const db = { read: { selectFrom: () => ({ select: () => ({ execute }) }) } } as unknown as Database
  return {
    keys,
    readings,
    find: (now: number) => keys.find(db, 'prj_1', now),
    answer: (at: number, public_key: string) => readings[at]?.resolve([{ project_id: 'prj_1', public_key }]),
  }
}

it('a key is parsed once, until it changes', async () => {
  const { find, answer, readings } = open()
  const first = find(0)
  answer(0, OLD)
  const key = await first
  const second = find(FRESH_MS)
  answer(1, OLD)
  expect(await second).toBe(key)
  const third = find(2 * FRESH_MS)
  answer(2, NEW)
  expect((await third)?.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')).toBe(NEW)
  expect(readings).toHaveLength(3)
})

it('a bot that is connected while keys are read is known from then on', async () => {
  const { keys, find, answer } = open()
  const early = find(0)
  keys.forget()
  const late = find(0)
  answer(1, NEW)
  const key = await late
  expect(key).toBeDefined()
  answer(0, OLD)
  await early
  expect(await find(1)).toBe(key)
})
