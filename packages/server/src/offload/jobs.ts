/**
 * The jobs that the pool runs: pure functions of their input. They are loaded in the worker thread of a child process
 * only; everything else imports their types.
 */
import { searchCopy } from '../domain/scripts/search-copy.ts'

export const jobs = {
  /** Finds the watermarks of versions in a text that leaked. */
  searchCopy,
}

export type Jobs = typeof jobs
export type JobName = keyof Jobs
