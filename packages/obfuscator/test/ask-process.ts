/** Gives a task to a script in a process of its own: a crash of the Luau there is not one of the test runner. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** These processes end before V8's second, faster machine code of Luau is worth the time that it takes. */
const UNOPTIMISED = ['--liftoff-only']

export type Answers<Answer> = {
  readonly answers: readonly Answer[]
  /** The signal of a crash; null when the process ended by itself, or at its limit. */
  readonly crash: NodeJS.Signals | null
}

/** Every message that the script sent until it ended, or until `limitMs`. */
export async function askProcess<Answer>(
  script: URL,
  task: object,
  limitMs: number,
): Promise<Answers<Answer>> {
  const child = fork(fileURLToPath(script), { execArgv: UNOPTIMISED, serialization: 'advanced' })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const answers: Answer[] = []
  child.on('message', (answer) => answers.push(answer as Answer))
  child.send(task, () => {})
  // The last message comes before `disconnect`, while `exit` may come before it.
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(timer)
  return { answers, crash: child.killed ? null : (signal as NodeJS.Signals | null) }
}
