/** Gives a task to a script in a process of its own: a crash of the Luau there is not one of the test runner. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** These processes end before V8's second, faster machine code of Luau is worth the time that it takes. */
const UNOPTIMISED = ['--liftoff-only']

/** Every message that the script sent until it ended, or until `limitMs`. */
export function askProcess<Answer>(script: URL, task: object, limitMs: number): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(script), { execArgv: UNOPTIMISED, serialization: 'advanced' })
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    const answers: Answer[] = []
    child.on('message', (answer) => answers.push(answer as Answer))
    child.on('error', reject)
    // After the last message, while `exit` may come before it.
    child.on('disconnect', () => {
      clearTimeout(timer)
      resolve(answers)
    })
    child.send(task, () => {})
  })
}
