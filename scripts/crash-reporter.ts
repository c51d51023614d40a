/** Writes down which test files were cut short because their process crashed, for `test.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { ROOT } from './run.ts'

export const CRASHED_FILES = path.join(ROOT, '.tsbuild', 'crashed-files.json')

/** `others` counts what else went wrong: files that failed by themselves, and errors that belong to no file. */
export type Crashes = { readonly files: readonly string[]; readonly others: number }

export default class CrashReporter implements Reporter {
  readonly #file: string

  constructor({ file = CRASHED_FILES }: { readonly file?: string } = {}) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const files = modules.filter(wasCutShort).map(({ moduleId }) => path.relative(ROOT, moduleId))
    const failed = modules.filter((module) => module.state() === 'failed' && !wasCutShort(module)).length
    const crashes = errors.filter(({ message }) => message.startsWith('[vitest-pool]')).length
    // A process that crashes after its last test cuts no file short, and is an error all the same.
    const others = failed + errors.length - crashes + Math.max(0, crashes - files.length)
    mkdirSync(path.dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify({ files, others } satisfies Crashes))
  }
}

function wasCutShort(module: TestModule): boolean {
  const isOpen = module.state() === 'pending' || module.state() === 'queued'
  return isOpen || [...module.children.allTests('pending')].length > 0
}
