/** Chunk grants expire, and the oldest is dropped when there are too many. */
import { expect, it } from 'vitest'
import { ChunkGrants } from './chunk-grants.ts'

const grant = { key: Buffer.alloc(32), holder: 'holder', projectId: 'prj_1', scriptId: 'scr_1', version: 1 }

it('a chunk grant is kept for two minutes', () => {
  const grants = new ChunkGrants()
  grants.addGrant('a', grant, 1000)
  expect(grants.findGrant('a', 120_999)).toMatchObject(grant)
  expect(grants.findGrant('a', 121_000)).toBeUndefined()
  expect(grants.findGrant('b', 1000)).toBeUndefined()
})

it('expired chunk grants, and the oldest ones beyond the limit, are dropped on the next grant', () => {
  const grants = new ChunkGrants()
  grants.addGrant('first', grant, 0)
  for (let i = 0; i < 19_999; i++) grants.addGrant(`${i}`, grant, 0)
  expect(grants.findGrant('first', 0)).toBeDefined()
  grants.addGrant('last', grant, 0)
  expect(grants.findGrant('first', 0)).toBeUndefined()
  expect(grants.findGrant('last', 0)).toBeDefined()
  grants.addGrant('later', grant, 120_000)
  expect(grants.findGrant('last', 0)).toBeUndefined()
})
