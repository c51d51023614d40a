// The author's command line: a process, its signals, its output and its exit code. What the commands do is in `commands/`.

import { runCommand, wordsOf } from './command.ts'
import { DONE, explain, INTERRUPTED, USAGE } from './faults.ts'

/** How the output ended a command before its work did. */
type Ending = { code?: number }

/** The first Ctrl-C ends what is under way and lets it tidy up; the second one ends the process. */
function interruption(): AbortController {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (abort.signal.aborted) process.exit(INTERRUPTED)
      abort.abort()
    })
  return abort
}

/**
 * Who reads a pipe may stop when they have enough; a full disk is a fault. Both end the command as Ctrl-C does, so that it
 * tidies up.
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
  // What it says is lost, and it does its work.
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
// A request or a timer that was given up must not keep an interrupted command alive.
if (abort.signal.aborted) process.exit()
