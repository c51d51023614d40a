/** Operators are warned before a disk or memory fills up, but not about a large disk with plenty of space. */
import { expect, it } from 'vitest'
import { checkDisk, checkMemory } from './runtime-checks.ts'

const GB = 1_000_000_000

it.each([
  ['half empty', { free: 50 * GB, total: 100 * GB }, 'ok'],
  ['below a tenth', { free: 9.9 * GB, total: 100 * GB }, 'warning'],
  ['below a thirtieth', { free: 2.9 * GB, total: 100 * GB }, 'wrong'],
  ['large, below a tenth', { free: 60 * GB, total: 2000 * GB }, 'ok'],
  ['large, with little space', { free: 49 * GB, total: 2000 * GB }, 'warning'],
  ['large, almost full', { free: 4 * GB, total: 2000 * GB }, 'wrong'],
  ['of a file system without a size', { free: 0, total: 0 }, 'ok'],
])('a disk that is %s', (_, room, state) => {
  expect(checkDisk('/var/lib/scriptward', room).state).toBe(state)
})

it('a warning about the disk names the folder, the space and a fix', () => {
  expect(checkDisk('/var/lib/scriptward', { free: 1.2 * GB, total: 100 * GB }).text).toMatch(
    /^only 1200 MB \(1\.2%\) free on the disk of \/var\/lib\/scriptward: .+ Delete old backups/,
  )
})

it('memory is only reported when the system may end the server', () => {
  expect(checkMemory({ free: 300_000_000, total: 4 * GB })).toEqual({ state: 'ok' })
  expect(checkMemory({ free: 100_000_000, total: 4 * GB })).toMatchObject({ state: 'warning' })
})
