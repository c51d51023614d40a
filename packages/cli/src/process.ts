// The process of the authors' command line: signals, output streams and the exit code. The commands are in `commands/`.

import { onStop } from '../../scriptward/bin/signals.mjs'
import { runCommand, wordsOf } from './command.ts'
import { DONE, explain, INTERRUPTED, USAGE } from './faults.ts'

/** The exit code if a closed or full output ended the command early. */
type Ending = { code?: number }

/** The first Ctrl-C cancels the work and lets it clean up; the second one ends the process. */
function interruption(): AbortController {
  const abort = new AbortController()
  onStop(
    () => abort.abort(),
    () => process.exit(INTERRUPTED),
  )
  return abort
}

/** A reader may close the pipe early, and the disk may be full. Both cancel the command like Ctrl-C, so that it cleans up. */
function watchOutput(words: readonly string[], abort: AbortController): Ending {
  const ending: Ending = {}
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (ending.code !== undefined) return
    ending.code = error.code === 'EPIPE' ? Number(process.exitCode ?? DONE) : USAGE
    process.exitCode = ending.code
    const explained = explain(Object.assign(error, { path: 'standard output' }), undefined)
    if (error.code !== 'EPIPE') process.stderr.write(wordsOf(explained, words.includes('--json')))
    abort.abort()
  })
  // A closed standard error loses messages, but must not stop the command.
  process.stderr.on('error', () => undefined)
  return ending
}

const words = process.argv.slice(2)
const abort = interruption()
const ending = watchOutput(words, abort)
const { env, stdin, stdout, stderr } = process
const around = { env, cwd: process.cwd(), stdin, stdout, stderr, signal: abort.signal, now: Date.now }
const code = await runCommand(words, around)
process.exitCode = ending.code ?? code
// Pending requests and timers must not keep an interrupted command alive.
if (abort.signal.aborted) process.exit()
