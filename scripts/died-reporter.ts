/** Writes down which test files were cut short because their process died, for `test.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { ROOT } from './run.ts'

export const DEATHS = path.join(ROOT, '.tsbuild', 'deaths.json')

/** `others` counts what else went wrong: files that failed by themselves, and errors that belong to no file. */
export type Deaths = { readonly files: readonly string[]; readonly others: number }

export default class DiedReporter implements Reporter {
  readonly #file: string

  constructor({ file = DEATHS }: { readonly file?: string } = {}) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const files = modules.filter(wasCutShort).map(({ moduleId }) => path.relative(ROOT, moduleId))
    const failed = modules.filter((module) => module.state() === 'failed' && !wasCutShort(module)).length
    const deaths = errors.filter(({ message }) => message.startsWith('[vitest-pool]')).length
    // A process that died when its tests were through cut no file short, and is no less an error.
    const others = failed + errors.length - deaths + Math.max(0, deaths - files.length)
    mkdirSync(path.dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify({ files, others } satisfies Deaths))
  }
}

function wasCutShort(module: TestModule): boolean {
  const isOpen = module.state() === 'pending' || module.state() === 'queued'
  return isOpen || [...module.children.allTests('pending')].length > 0
}
