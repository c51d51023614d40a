// The author's command line. What the commands do is in `commands/`; here are only the process and its exits.

import { CommanderError } from 'commander'
import type { Surroundings } from './cli.ts'
import { DONE, type Explained, explain, INTERRUPTED, SourceFault, USAGE } from './faults.ts'
import { makeProgram } from './program.ts'

async function main(words: readonly string[]): Promise<number> {
  const { signal } = interruption()
  let url: string | undefined
  const { env, stdin, stdout, stderr } = process
  const onAddress = (address: string) => {
    url = address
  }
  const around: Surroundings = {
    env,
    cwd: process.cwd(),
    stdin,
    stdout,
    stderr,
    signal,
    now: Date.now,
    onAddress,
  }
  try {
    await makeProgram(around).parseAsync(words, { from: 'user' })
    return Number(process.exitCode ?? DONE)
  } catch (error) {
    if (signal.aborted) return INTERRUPTED
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE
    const explained = explain(error, url)
    report(explained, words.includes('--json'), error instanceof SourceFault ? '' : 'scriptward: ')
    return explained.code
  }
}

function report({ code, type, lines }: Explained, isJson: boolean, before = 'scriptward: '): void {
  const text = isJson
    ? `${JSON.stringify({ error: { type, message: lines.join('\n'), exit_code: code } })}\n`
    : lines.map((line) => `${before}${line}\n`).join('')
  process.stderr.write(text)
}

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

/** Who reads a pipe may stop when they have enough; a full disk is a fault. */
function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? DONE)
    report(
      explain(Object.assign(error, { path: 'standard output' }), undefined),
      process.argv.includes('--json'),
    )
    process.exit(USAGE)
  })
  process.stderr.on('error', () => process.exit(process.exitCode ?? DONE))
}

watchOutput()
const code = await main(process.argv.slice(2))
// A request or a timer that was given up must not keep an interrupted command alive.
if (code === INTERRUPTED) process.exit(code)
process.exitCode = code
