/** Deliveries end with time, and the oldest make room. */
import { expect, it } from 'vitest'
import { Deliveries } from './deliveries.ts'

const delivery = { key: Buffer.alloc(32), projectId: 'prj_1', scriptId: 'scr_1', version: 1 }

it('a delivery is found for two minutes', () => {
  const deliveries = new Deliveries()
  deliveries.keep('a', delivery, 1000)
  expect(deliveries.find('a', 120_999)).toMatchObject(delivery)
  expect(deliveries.find('a', 121_000)).toBeUndefined()
  expect(deliveries.find('b', 1000)).toBeUndefined()
})

it('what is over goes with the next one, and beyond the most the oldest', () => {
  const deliveries = new Deliveries()
  deliveries.keep('first', delivery, 0)
  for (let i = 0; i < 19_999; i++) deliveries.keep(`${i}`, delivery, 0)
  expect(deliveries.find('first', 0)).toBeDefined()
  deliveries.keep('last', delivery, 0)
  expect(deliveries.find('first', 0)).toBeUndefined()
  expect(deliveries.find('last', 0)).toBeDefined()
  deliveries.keep('later', delivery, 120_000)
  expect(deliveries.find('last', 0)).toBeUndefined()
})
