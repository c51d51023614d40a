/** Runs a task in a separate process, so that a Luau crash does not take down the test runner. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** These processes exit before V8's optimizing compiler would speed up Luau. */
const UNOPTIMIZED = ['--liftoff-only']

export type Answers<Answer> = {
  readonly answers: readonly Answer[]
  /** The signal of a crash; null if the process exited normally or reached its time limit. */
  readonly crash: NodeJS.Signals | null
}

/** Returns every message from the script until it ends, or until `limitMs`. */
export async function askProcess<Answer>(
  script: URL,
  task: object,
  limitMs: number,
): Promise<Answers<Answer>> {
  const child = fork(fileURLToPath(script), { execArgv: UNOPTIMIZED, serialization: 'advanced' })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const answers: Answer[] = []
  child.on('message', (answer) => answers.push(answer as Answer))
  child.send(task, () => {})
  // The last message arrives before `disconnect`, but may arrive after `exit`.
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(timer)
  return { answers, crash: child.killed ? null : (signal as NodeJS.Signals | null) }
}
