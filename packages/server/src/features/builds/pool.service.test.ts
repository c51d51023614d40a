/**
 * The pool with real processes, and with jobs that take too long, use too much memory, fail, or find the
 * queue full.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { jobProcesses } from '../../../test/obfuscation/job-processes.ts'
import { endSharedBuilds } from '../../../test/obfuscation/shared-obfuscator.ts'
import type { BuildOutcome } from './build.ts'
import { unpack } from './lz4.ts'
import { ObfuscationPool, type PoolLimits } from './pool.ts'

const MISBEHAVING = new URL('../../../test/obfuscation/misbehaving.ts', import.meta.url)
/** Deadline for a job that never ends. Other jobs finish immediately once their process has started. */
const HURRY_MS = 2000
const faults: Error[] = []
let pool: ObfuscationPool | undefined

function open(limits: Partial<PoolLimits>): ObfuscationPool {
  const defaults = { processes: 1, queue: 8, deadlineMs: 20_000, memoryMb: 128, job: MISBEHAVING }
  pool = new ObfuscationPool({ ...defaults, ...limits }, (error) => faults.push(error))
  return pool
}

beforeAll(endSharedBuilds)
afterEach(async () => {
  await pool?.close()
  faults.length = 0
})

const messages = (outcome: BuildOutcome) =>
  typeof outcome === 'object' && 'errors' in outcome
    ? outcome.errors.map((complaint) => complaint.message)
    : outcome

describe('the obfuscation pool', () => {
  test('builds code that Lua runs with `ward` as a local of the script', async () => {
    const real = new ObfuscationPool({ processes: 1, queue: 0, deadlineMs: 20_000, memoryMb: 256 }, fail)
    const outcome = await real.buildScript({
      owner: 'one',
      source: 'print(ward.note, ...)',
      options: { parameters: ['ward'], seed: 1 },
    })
    await real.close()
    if (typeof outcome === 'string' || 'errors' in outcome)
      throw new Error(`not built: ${JSON.stringify(outcome)}`)
    const chunk = unpack(outcome.payload, outcome.size)
    const program = `ward = nil; (loadstring or load)([====[${chunk}]====])()({ note = 'hi' }, 1, nil)`
    expect(execFileSync('lua5.1', ['-e', program], { encoding: 'utf8' })).toBe('hi\t1\tnil\n')
    expect(outcome.report).toMatchObject({ target: 'any', sourceSize: 21 })
  })

  test('ends a job at its deadline and continues', async () => {
    const { run } = bound(open({ deadlineMs: HURRY_MS }))
    expect(messages(await run('loop'))).toEqual([
      'took longer than 2 seconds; make the script smaller or split it',
    ])
    expect(await run('fine')).toMatchObject({ size: 0 })
    expect(faults).toEqual([])
  })

  test.each(['fill arrays', 'fill a list', 'fill buffers', 'fill objects'])(
    'ends only the job that tries to %s',
    async (way) => {
      const { run } = bound(open({}))
      expect(messages(await run(way))).toEqual([
        'needed more than 128 MiB of memory; make the script smaller or split it',
      ])
      expect(await run('fine')).toMatchObject({ size: 0 })
      expect(faults).toEqual([])
    },
  )

  test('reports a bug to the operator in detail, and to the author only that it occurred', async () => {
    const { run } = bound(open({}))
    expect(messages(await run('throw'))).toEqual([
      'triggered an obfuscator error; the operator of this server can find it in the log',
    ])
    expect(faults.map((fault) => fault.message)).toEqual(['TypeError: a fault'])
    expect(await run('fine')).toMatchObject({ size: 0 })
  })

  test.each([
    ['crash', 'crash', /^crashed the obfuscator; try again/, 'was ended by SIGSEGV'],
    ['exit without a result', 'leave', /^triggered an obfuscator error/, 'exited without a result'],
  ])('survives a job that makes its process %s', async (_, source, words, reason) => {
    const { run } = bound(open({}))
    expect(messages(await run(source))).toEqual([expect.stringMatching(words)])
    expect(faults.map((fault) => fault.message)).toEqual([expect.stringContaining(reason)])
    expect(await run('fine')).toMatchObject({ size: 0 })
  })

  test('gives the next owner a turn before the second job of the first owner', async () => {
    const { run } = bound(open({ deadlineMs: 1000 }))
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const flood = [1, 2, 3, 4].map(() => run('loop', 'flood').then(note('flood')))
    await run('fine', 'other').then(note('other'))
    expect(ended).toEqual(['flood', 'other'])
    await pool?.close()
    await Promise.all(flood)
  })

  test('lets three jobs of an owner wait, and drops one whose caller disconnected', async () => {
    const pool = open({ processes: 2, deadlineMs: HURRY_MS })
    const { run } = bound(pool)
    const gone = new AbortController()
    const running = run('loop')
    const waiting = [run('fine'), run('fine')]
    const dropped = pool.buildScript({ owner: 'one', source: 'loop', options: {}, signal: gone.signal })
    expect(await run('fine')).toBe('too_many')
    gone.abort()
    expect(await dropped).toBe('busy')
    expect(pool.load()).toEqual({ running: 1, waiting: 2 })
    expect(messages(await running)).toEqual([expect.stringContaining('took longer')])
    expect(await Promise.all(waiting)).toMatchObject([{ size: 0 }, { size: 0 }])
  })

  test('limits waiting sources to 64 MiB', async () => {
    const pool = open({ deadlineMs: 10_000, memoryMb: 1024 })
    const { run } = bound(pool)
    const running = run('loop', 'a')
    const large = 'x'.repeat(40 * 1_048_576)
    const first = run(large, 'b')
    expect(await run(large, 'c')).toBe('busy')
    expect(pool.load()).toEqual({ running: 1, waiting: 1 })
    await running
    expect(await first).toMatchObject({ size: 0 })
  })

  test('is busy once its queue is full, and still runs the jobs that were queued before', async () => {
    const { run } = bound(open({ queue: 2, deadlineMs: HURRY_MS }))
    const outcomes = await Promise.all([
      run('loop', 'a'),
      run('fine', 'b'),
      run('fine', 'c'),
      run('fine', 'd'),
    ])
    expect(outcomes.map((outcome) => outcome === 'busy')).toEqual([false, false, false, true])
    expect(outcomes[2]).toMatchObject({ size: 0 })
  })

  test('does not count time in the queue against a job', async () => {
    const { run } = bound(open({ deadlineMs: HURRY_MS }))
    const outcomes = await Promise.all([run('loop'), run('loop'), run('fine')])
    expect(outcomes[2]).toMatchObject({ size: 0 })
  })

  test.each([
    { state: 'a process starts', before: [] },
    { state: 'a job runs', before: ['fine'] },
  ])('answers all callers with busy when it closes while $state', async ({ before }) => {
    const closing = open({})
    const { run } = bound(closing)
    for (const source of before) await run(source)
    const outcomes = Promise.all([run('loop'), run('fine')])
    await Promise.all([closing.close(), closing.close()])
    expect(await outcomes).toEqual(['busy', 'busy'])
    expect(await run('fine')).toBe('busy')
    expect(faults).toEqual([])
  })
})

test('a build process ends when it has been idle for ten seconds, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { run } = bound(open({}))
    await run('fine')
    const [pid] = jobProcesses(process.pid)
    vi.advanceTimersByTime(9_999)
    await run('fine')
    expect(jobProcesses(process.pid)).toEqual([pid])
    vi.advanceTimersByTime(10_000)
    await expect.poll(() => jobProcesses(process.pid)).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test("the server's environment is hidden from the build process", async () => {
  process.env.SCRIPTWARD_ADMIN_KEY = 'secret-of-the-service'
  try {
    const { run } = bound(open({}))
    await run('fine')
    const [pid] = jobProcesses(process.pid)
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('secret-of-the-service')
  } finally {
    delete process.env.SCRIPTWARD_ADMIN_KEY
  }
})

function bound(pool: ObfuscationPool) {
  return { run: (source: string, owner = 'one') => pool.buildScript({ owner, source, options: {} }) }
}

function fail(error: Error): never {
  throw error
}
