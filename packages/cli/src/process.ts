// Runs the authors' command line as a process, with its signals, output streams and exit code. The commands
// are in `commands/`.

import { onStop } from '../../scriptward/bin/signals.mjs'
import { runCommand, wordsOf } from './command.ts'
import { DONE, explain, INTERRUPTED, USAGE } from './faults.ts'

/** Exit code if a closed pipe or a full disk ended the command early. */
type Ending = { code?: number }

/** The first Ctrl-C cancels the command and lets it clean up; the second one ends the process. */
function interruption(): AbortController {
  const abort = new AbortController()
  onStop(
    () => abort.abort(),
    () => process.exit(INTERRUPTED),
  )
  return abort
}

/**
 * The reader of a pipe may close it early, and the disk may be full. Either error cancels the command as
 * Ctrl-C does, so that the command can clean up.
 */
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
  // If standard error is closed, messages are lost, but the command must not stop.
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
