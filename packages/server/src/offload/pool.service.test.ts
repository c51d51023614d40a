/** The pool handles slow, oversized, failing and abandoned jobs, with real processes. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { jobProcesses } from '../../test/obfuscation/job-processes.ts'
import { endSharedBuilds } from '../../test/obfuscation/shared-obfuscator.ts'
import { OffloadPool, type RunLimits } from './pool.ts'

const MISBEHAVING = new URL('../../test/offload/misbehaving.ts', import.meta.url)
/** Deadline of a job that never ends. */
const HURRY_MS = 500
const PATIENCE_MS = 60_000
const faults: string[] = []
let pool: OffloadPool | undefined

function open() {
  const made = new OffloadPool(({ message }) => faults.push(message), {
    processes: 1,
    memoryMb: 64,
    thread: MISBEHAVING,
  })
  pool = made
  const run = (text: string, { owner = 'one', ...limits }: Partial<RunLimits> & { owner?: string } = {}) =>
    made.run(owner, 'searchCopy', { text, versions: [] }, { deadlineMs: PATIENCE_MS, ...limits })
  return { pool: made, run }
}

beforeAll(endSharedBuilds)
afterEach(async () => {
  await pool?.close()
  faults.length = 0
})

describe('the process pool', () => {
  test('kills a job at its deadline and runs the next one', async () => {
    const { run } = open()
    expect(await run('loop', { deadlineMs: HURRY_MS })).toEqual({ failed: 'deadline' })
    expect(await run('fine')).toEqual({ done: ['fine'] })
  })

  test('kills a job that exceeds its memory limit and runs the next one', async () => {
    const { run } = open()
    expect(await run('fill')).toEqual({ failed: 'memory' })
    expect(await run('fine')).toEqual({ done: ['fine'] })
    expect(faults).toEqual([])
  })

  test('logs the error of a job and only reports a failure to its caller', async () => {
    const { run } = open()
    expect(await run('throw')).toEqual({ failed: 'fault' })
    expect(faults).toEqual(['TypeError: a fault'])
    expect(await run('fine')).toEqual({ done: ['fine'] })
  })

  test('replaces a process whose job thread ends between two jobs', async () => {
    const { run } = open()
    expect(await run('later')).toEqual({ done: ['answered'] })
    await expect.poll(() => jobProcesses(process.pid)).toEqual([])
    expect(await run('fine')).toEqual({ done: ['fine'] })
    expect(faults).toEqual([])
  })

  test('kills the running job of a caller that has disconnected and runs the next one', async () => {
    const { pool, run } = open()
    const gone = new AbortController()
    expect(await run('fine')).toEqual({ done: ['fine'] })
    const [before] = jobProcesses(process.pid)
    const running = run('loop', { signal: gone.signal })
    await expect.poll(() => pool.load()).toEqual({ running: 1, waiting: 0 })
    gone.abort()
    expect(await running).toEqual({ failed: 'stopped' })
    expect(jobProcesses(process.pid)).not.toContain(before)
    expect(await run('fine')).toEqual({ done: ['fine'] })
  })

  test("runs the next owner's job before the first owner's second job", async () => {
    const { run } = open()
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const flood = [1, 2, 3].map(() =>
      run('loop', { owner: 'flood', deadlineMs: HURRY_MS }).then(note('flood')),
    )
    await run('fine', { owner: 'other' }).then(note('other'))
    expect(ended).toEqual(['flood', 'other'])
    await pool?.close()
    await Promise.all(flood)
  })

  test('rejects more than four queued jobs per owner without affecting others', async () => {
    const { run } = open()
    const flood = [1, 2, 3, 4, 5].map(() => run('loop', { owner: 'flood' }))
    expect(await run('fine', { owner: 'flood' })).toEqual({ failed: 'full' })
    const other = run('fine', { owner: 'other' })
    await pool?.close()
    expect(await other).toEqual({ failed: 'stopped' })
    await Promise.all(flood)
  })

  test('stops running and queued jobs on close', async () => {
    const { run } = open()
    const jobs = Promise.all([run('loop'), run('fine')])
    await pool?.close()
    expect(await jobs).toEqual([{ failed: 'stopped' }, { failed: 'stopped' }])
    expect(await run('fine')).toEqual({ failed: 'stopped' })
    expect(jobProcesses(process.pid)).toEqual([])
  })
})
