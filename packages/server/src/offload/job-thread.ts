/**
 * The worker thread that runs the pool's jobs in a child process, one message per job. `job-host.ts` starts
 * it.
 */
import { parentPort } from 'node:worker_threads'
import { announceReady } from '../features/builds/job-ready.ts'
import { jobs } from './jobs.ts'
import type { JobTask } from './pool.ts'

parentPort?.on('message', ({ job, input }: JobTask) => {
  const run = jobs[job] as (input: unknown) => unknown
  parentPort?.postMessage(run(input))
})
announceReady(parentPort)
