/** What becomes of a run of tests in which processes died. */
import type { Deaths } from './died-reporter.ts'

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }
export type Tested = { readonly code: number; readonly counts: Counts; readonly deaths: Deaths }

/**
 * Files whose process died run once more, as tests that failed do: a process that holds a whole service, WebAssembly
 * and native code can be ended by any of them. A file that dies twice has failed. `again` runs these files alone.
 */
export function secondChance(first: Tested, again: (files: readonly string[]) => Tested): Tested {
  const { files, others } = first.deaths
  if (files.length === 0) return first
  const second = again(files)
  const isWhole = others === 0 && second.deaths.files.length === 0
  return { ...second, code: isWhole ? second.code : 1, counts: sum(first.counts, second.counts) }
}

function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}
