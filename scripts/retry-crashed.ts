/** Runs the test files once more whose process crashed. */
import type { Crashes } from './crash-reporter.ts'

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }
export type TestRun = { readonly code: number; readonly counts: Counts; readonly crashes: Crashes }

/**
 * A process that holds a whole service, WebAssembly and native code can be ended by any of them, so a crashed file gets
 * one more run. A file that crashes twice has failed. `run` runs these files alone.
 */
export function retryCrashed(first: TestRun, run: (files: readonly string[]) => TestRun): TestRun {
  const { files, others } = first.crashes
  if (files.length === 0) return first
  const second = run(files)
  const isWhole = others === 0 && second.crashes.files.length === 0
  return { ...second, code: isWhole ? second.code : 1, counts: sum(first.counts, second.counts) }
}

function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}
