// Tests lock keys and leases in isolation. The file leases.test.ts in the repository's test folder runs
// scripts that use lock keys and leases.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lockKey, lockPad, openLease, sealLease } from '../src/leases.ts'
import { evaluate, luaString, RUNTIMES } from './run-lua.ts'
import vectors from './vectors.json' with { type: 'json' }

const KEY = Buffer.alloc(32, 7)

test('a key grant opens only for its execution, its heartbeat and its lock', () => {
  const lease = { exec: 'AAECAwQFBgcICQoLDA0ODw', leaseKey: randomBytes(32), r: randomBytes(16) }
  const key = lockKey(KEY, 3)
  const box = sealLease(lease, 3, key)
  expect(openLease(lease, 3, box)).toEqual(key)
  expect(openLease(lease, 4, box)).toBeUndefined()
  expect(openLease({ ...lease, r: randomBytes(16) }, 3, box)).toBeUndefined()
  expect(openLease({ ...lease, exec: 'another' }, 3, box)).toBeUndefined()
  expect(openLease(lease, 3, box.subarray(1))).toBeUndefined()
})

test('key streams of different locks have nothing in common, and a longer stream of one lock begins with the shorter one', () => {
  const [one, other] = [1, 2].map((lock) => lockPad(lockKey(KEY, lock), 200)) as [Buffer, Buffer]
  expect(one.filter((byte, i) => byte === other[i]).length).toBeLessThan(10)
  expect(one.subarray(0, 50)).toEqual(lockPad(lockKey(KEY, 1), 50))
})

for (const runtime of RUNTIMES) {
  test.skipIf(runtime.missing)(
    `the loader produces and decrypts the golden vectors in ${runtime.name}`,
    async () => {
      const vault = `(function(...)\n${readFileSync(new URL('../lua/vault.lua', import.meta.url), 'utf8')}\nend)(hash, cipher, base64)`
      const [all, lease, r, box] = [vectors.service_key, vectors.k_lease, vectors.r1, vectors.lease3].map(
        (hex) => luaString(Buffer.from(hex, 'hex')),
      )
      const made = `(function()
      local open, given = ${vault}, { all = base64.encode(${all}) }
      local granted, leased = open(given, ${lease}, '${vectors.exec}'), open({}, ${lease}, '${vectors.exec}')
      local before = leased.has(3)
      leased.take({ r = base64.encode(${r}), leases = { ['3'] = base64.encode(${box}) } })
      local pads = hex(granted.pad(3, 16)) .. ' ' .. hex(leased.pad(3, 16))
      local after = leased.has(3)
      leased.drop()
      return pads .. ' ' .. tostring(before) .. ' ' .. tostring(after) .. ' ' .. tostring(leased.has(3))
    end)()`
      expect(await evaluate(runtime, [made])).toEqual([`${vectors.pad3} ${vectors.pad3} false true false`])
    },
  )
}
