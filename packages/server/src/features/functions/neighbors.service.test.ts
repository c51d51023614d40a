/**
 * Tests how long calls wait while other accounts make calls that are slow or are stopped. Uses real
 * processes.
 */
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { jobProcesses } from '../../../test/obfuscation/job-processes.ts'
import { endSharedBuilds } from '../../../test/obfuscation/shared-obfuscator.ts'
import { FunctionSandbox } from './sandbox/sandbox.ts'

const ACCOUNTS = 8
const PRICE = 'return function(run, amount) return 10 * amount end'
const LOOP = 'return function() while true do end end'

let opened: FunctionSandbox | undefined

function openSandbox() {
  const sandbox = new FunctionSandbox(randomBytes, (error) => expect.unreachable(error.message))
  opened = sandbox
  const call = (owner: string, source: string) =>
    sandbox.callFunction({ owner, name: 'price', source, values: [2], run: {} })
  return { sandbox, call }
}

beforeAll(endSharedBuilds)
afterEach(async () => opened?.close())

test.each([
  ['never end', LOOP],
  [
    'use almost their full time',
    'return function() local from = os.clock() repeat until os.clock() - from > 0.03 end',
  ],
])('a quick function never waits for calls of eight accounts that %s', async (_, source) => {
  const { sandbox, call } = openSandbox()
  await call('shop', PRICE)
  let ended = 0
  const flood = Array.from({ length: 4 * ACCOUNTS }, (__, i) =>
    call(`attacker ${i % ACCOUNTS}`, source).then(({ kind }) => {
      if (kind !== 'busy') ended += 1
    }),
  )
  expect(await call('shop', PRICE)).toMatchObject({ value: 20 })
  // With a single queue, all eight accounts would have been served first.
  expect(ended).toBeLessThan(ACCOUNTS)
  await sandbox.close()
  await Promise.all(flood)
})

test('eight accounts with quick calls delay another quick account by one call each', async () => {
  const { sandbox, call } = openSandbox()
  const attackers = Array.from({ length: ACCOUNTS }, (_, i) => `attacker ${i}`)
  await Promise.all(['shop', ...attackers].map((owner) => call(owner, PRICE)))
  let ended = 0
  const flood = [...attackers, ...attackers, ...attackers, ...attackers].map((owner) =>
    call(owner, LOOP).then(({ kind }) => {
      if (kind !== 'busy') ended += 1
    }),
  )
  // On a busy machine, starting eight processes may take longer than the timeout of a call.
  for (let i = 0; i < 3; i += 1) await expect.poll(() => call('shop', PRICE)).toMatchObject({ value: 20 })
  // With a single queue, each round would have waited for one call from each of the eight accounts.
  expect(ended).toBeLessThan(2 * ACCOUNTS)
  await sandbox.close()
  await Promise.all(flood)
})

test('a call after the sandbox has closed starts no process', async () => {
  const { sandbox, call } = openSandbox()
  await call('shop', PRICE)
  await sandbox.close()
  const before = jobProcesses(process.pid)
  expect(await call('shop', PRICE)).toMatchObject({ kind: 'busy' })
  expect(jobProcesses(process.pid).filter((pid) => !before.includes(pid))).toEqual([])
})

test('other processes stay ready while the process of a stopped call is replaced', async () => {
  const { call } = openSandbox()
  await call('shop', PRICE)
  await expect.poll(() => jobProcesses(process.pid).length).toBeGreaterThanOrEqual(3)
  const before = jobProcesses(process.pid)
  expect(await call('other', LOOP)).toMatchObject({ kind: 'exhausted' })
  const kept = jobProcesses(process.pid).filter((pid) => before.includes(pid))
  expect(kept).toHaveLength(before.length - 1)
  await expect.poll(() => jobProcesses(process.pid).length).toBe(before.length)
})

test('a new account can queue a call no matter how many accounts have queued calls already', async () => {
  const { sandbox, call } = openSandbox()
  let refused = 0
  const flood = Array.from({ length: 400 }, (_, i) =>
    call(`attacker ${i % ACCOUNTS}`, PRICE).then(({ kind }) => {
      if (kind === 'busy') refused += 1
    }),
  )
  await setImmediate()
  expect([sandbox.load().waiting, refused]).toEqual([256, 400 - 256 - 1])
  const waiting = call('new', PRICE)
  await setImmediate()
  expect([sandbox.load().waiting, refused]).toEqual([256, 400 - 256])
  await sandbox.close()
  await Promise.all([waiting, ...flood])
})
