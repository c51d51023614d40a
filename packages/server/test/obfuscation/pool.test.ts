/** What the pool does when a job takes too long, needs too much, fails, or meets a full queue; with real threads. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { BuildOutcome } from '../../src/obfuscation/build.ts'
import { unpack } from '../../src/obfuscation/lz4.ts'
import { ObfuscationPool, type PoolLimits } from '../../src/obfuscation/pool.ts'

const MISBEHAVING = new URL('./misbehaving.ts', import.meta.url)
const faults: Error[] = []
let pool: ObfuscationPool | undefined

function open(limits: Partial<PoolLimits>): ObfuscationPool {
  const defaults = { threads: 1, queue: 8, deadlineMs: 20_000, memoryMb: 128, job: MISBEHAVING }
  pool = new ObfuscationPool({ ...defaults, ...limits }, (error) => faults.push(error))
  return pool
}

afterEach(async () => {
  await pool?.close()
  faults.length = 0
})

const messages = (outcome: BuildOutcome) =>
  outcome !== 'busy' && 'errors' in outcome ? outcome.errors.map((complaint) => complaint.message) : outcome

describe('the obfuscation pool', () => {
  test('builds what Lua runs with `ward` as a local of the script', async () => {
    const real = new ObfuscationPool({ threads: 1, queue: 0, deadlineMs: 20_000, memoryMb: 256 }, fail)
    const outcome = await real.buildScript('print(ward.note, ...)', { parameters: ['ward'], seed: 1 })
    await real.close()
    if (outcome === 'busy' || 'errors' in outcome) throw new Error(`not built: ${JSON.stringify(outcome)}`)
    const chunk = unpack(outcome.payload, outcome.size)
    const program = `ward = nil; (loadstring or load)([====[${chunk}]====])()({ note = 'hi' }, 1, nil)`
    expect(execFileSync('lua5.1', ['-e', program], { encoding: 'utf8' })).toBe('hi\t1\tnil\n')
    expect(outcome.report).toMatchObject({ target: 'any', sourceSize: 21 })
  })

  test('gives up a job at its deadline and goes on', async () => {
    const { run } = bound(open({ deadlineMs: 1000 }))
    expect(messages(await run('loop'))).toEqual([
      'took longer than 1 seconds; make the script smaller or split it',
    ])
    expect(await run('fine')).toMatchObject({ size: 0 })
    expect(faults).toEqual([])
  })

  test.each(['fill arrays', 'fill a list', 'fill buffers', 'fill objects'])(
    'ends only the job that wants to %s',
    async (way) => {
      const { run } = bound(open({}))
      expect(messages(await run(way))).toEqual([
        'needed more than 128 MiB of memory; make the script smaller or split it',
      ])
      expect(await run('fine')).toMatchObject({ size: 0 })
      expect(faults).toEqual([])
    },
  )

  test('tells the operator of a fault, and the author only that there was one', async () => {
    const { run } = bound(open({}))
    expect(messages(await run('throw'))).toEqual([
      'met a fault in the obfuscator; the operator of this service finds it in the log',
    ])
    expect(faults.map((fault) => fault.message)).toEqual(['a fault'])
    expect(await run('fine')).toMatchObject({ size: 0 })
  })

  test('is busy once its queue is full, and does what was queued before', async () => {
    const { run } = bound(open({ queue: 2, deadlineMs: 1500 }))
    const outcomes = await Promise.all([run('loop'), run('fine'), run('fine'), run('fine')])
    expect(outcomes.map((outcome) => outcome === 'busy')).toEqual([false, false, false, true])
    expect(outcomes[2]).toMatchObject({ size: 0 })
  })

  test('does not count the time in the queue against a job', async () => {
    const { run } = bound(open({ deadlineMs: 1500 }))
    const outcomes = await Promise.all([run('loop'), run('loop'), run('fine')])
    expect(outcomes[2]).toMatchObject({ size: 0 })
  })

  test.each([
    { state: 'a thread starts', waitMs: 0 },
    { state: 'a job runs', waitMs: 300 },
  ])('answers all callers with busy when it closes while $state', async ({ waitMs }) => {
    const closing = open({})
    const outcomes = Promise.all([closing.buildScript('loop', {}), closing.buildScript('fine', {})])
    await sleep(waitMs)
    await Promise.all([closing.close(), closing.close()])
    expect(await outcomes).toEqual(['busy', 'busy'])
    expect(await closing.buildScript('fine', {})).toBe('busy')
    expect(faults).toEqual([])
  })
})

function bound(pool: ObfuscationPool) {
  return { run: (source: string) => pool.buildScript(source, {}) }
}

function fail(error: Error): never {
  throw error
}
