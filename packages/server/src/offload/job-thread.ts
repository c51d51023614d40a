/** Worker thread of a child process that runs the jobs of the pool, one message each, as `job-host.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { READY } from '../features/builds/job-ready.ts'
import { jobs } from './jobs.ts'
import type { JobTask } from './pool.ts'

parentPort?.on('message', ({ job, input }: JobTask) => {
  const run = jobs[job] as (input: unknown) => unknown
  parentPort?.postMessage(run(input))
})
parentPort?.postMessage(READY)
