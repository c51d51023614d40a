/** Runs a script's loader in Luau. */
import type { TestTask } from './luau-worker.ts'
import { type Ended, type Hooks, runIn } from './run.ts'

export function runInLuau(task: TestTask, hooks: Hooks): Promise<Ended> {
  const worker = new Worker(new URL('./luau-worker.ts', import.meta.url), { type: 'module' })
  return runIn(worker, task, hooks)
}
