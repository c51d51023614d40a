// Keys of locks and leases by themselves; that scripts run with them is test/leases.test.ts.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { lockKey, lockPad, openLease, sealLease } from '../src/leases.ts'

const KEY = Buffer.alloc(32, 7)

test('a lease opens for its execution, its beat and its lock alone', () => {
  const lease = { exec: 'AAECAwQFBgcICQoLDA0ODw', leaseKey: randomBytes(32), r: randomBytes(16) }
  const key = lockKey(KEY, 3)
  const box = sealLease(lease, 3, key)
  expect(openLease(lease, 3, box)).toEqual(key)
  expect(openLease(lease, 4, box)).toBeUndefined()
  expect(openLease({ ...lease, r: randomBytes(16) }, 3, box)).toBeUndefined()
  expect(openLease({ ...lease, exec: 'another' }, 3, box)).toBeUndefined()
  expect(openLease(lease, 3, box.subarray(1))).toBeUndefined()
})

test('pads of locks have nothing in common, and a longer one begins with the shorter', () => {
  const [one, other] = [1, 2].map((lock) => lockPad(lockKey(KEY, lock), 200)) as [Buffer, Buffer]
  expect(one.filter((byte, i) => byte === other[i]).length).toBeLessThan(10)
  expect(one.subarray(0, 50)).toEqual(lockPad(lockKey(KEY, 1), 50))
})
