/** ChunkGrants end with time, and the oldest make room. */
import { expect, it } from 'vitest'
import { ChunkGrants } from './chunk-grants.ts'

const grant = { key: Buffer.alloc(32), projectId: 'prj_1', scriptId: 'scr_1', version: 1 }

it('a grant is found for two minutes', () => {
  const grants = new ChunkGrants()
  grants.keep('a', grant, 1000)
  expect(grants.find('a', 120_999)).toMatchObject(grant)
  expect(grants.find('a', 121_000)).toBeUndefined()
  expect(grants.find('b', 1000)).toBeUndefined()
})

it('what is over goes with the next one, and beyond the most the oldest', () => {
  const grants = new ChunkGrants()
  grants.keep('first', grant, 0)
  for (let i = 0; i < 19_999; i++) grants.keep(`${i}`, grant, 0)
  expect(grants.find('first', 0)).toBeDefined()
  grants.keep('last', grant, 0)
  expect(grants.find('first', 0)).toBeUndefined()
  expect(grants.find('last', 0)).toBeDefined()
  grants.keep('later', grant, 120_000)
  expect(grants.find('last', 0)).toBeUndefined()
})
