/** Runs the test files once more whose process crashed. */
import type { Crashes } from './crash-reporter.ts'

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }
/** A run of which some files crashed and ran again: their names are printed and counted at its end. */
export type WholeRun = Omit<TestRun, 'crashes'> & { readonly retried: readonly string[] }
export type TestRun = { readonly code: number; readonly counts: Counts; readonly crashes: Crashes }

/**
 * A process that holds a whole service, WebAssembly and native code can be ended by any of them, so a crashed file gets
 * one more run. A file that crashes twice has failed. `run` runs these files alone.
 */
export function retryCrashed(first: TestRun, run: (files: readonly string[]) => TestRun): WholeRun {
  const { files, others } = first.crashes
  if (files.length === 0) return { code: first.code, counts: first.counts, retried: [] }
  const second = run(files)
  const isWhole = others === 0 && second.crashes.files.length === 0
  return { code: isWhole ? second.code : 1, counts: sum(first.counts, second.counts), retried: files }
}

/** The last words of a run. A crash that was retried is one all the same, so it is not left to be found above. */
export function summaryOf({ counts, retried }: WholeRun): string {
  const total = `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
  const crashed = `${retried.length} test ${retried.length === 1 ? 'file' : 'files'} crashed and ran again`
  return retried.length === 0 ? total : `${total}\n${crashed}: ${retried.join(', ')}`
}

function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}
