/** Runs one command with its arguments and resolves to the exit code. `main.ts` handles the process. */

import { CommanderError } from 'commander'
import type { Surroundings } from './cli.ts'
import {
  DONE,
  type Explained,
  explain,
  INTERRUPTED,
  PREFIX,
  ScriptFault,
  SourceFault,
  USAGE,
} from './faults.ts'
import { makeProgram } from './program.ts'

/** Prints errors to standard error and resolves to the exit code. */
export async function runCommand(
  words: readonly string[],
  around: Omit<Surroundings, 'onAddress'>,
): Promise<number> {
  let url: string | undefined
  const onAddress = (address: string) => {
    url = address
  }
  try {
    const program = makeProgram({ ...around, onAddress }, { isJson: words.includes('--json') })
    await program.parseAsync(words, { from: 'user' })
    return DONE
  } catch (error) {
    if (around.signal.aborted) return INTERRUPTED
    const isJson = words.includes('--json')
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return DONE
      if (isJson) around.stderr.write(wordsOf(explainUsage(error), isJson))
      return USAGE
    }
    const explained = explain(error, url)
    const isOfSource = error instanceof SourceFault || error instanceof ScriptFault
    around.stderr.write(wordsOf(explained, isJson, isOfSource ? '' : PREFIX))
    return explained.code
  }
}

/** Formats commander's usage errors like every other error. */
function explainUsage({ message }: CommanderError): Explained {
  return { code: USAGE, type: 'usage', lines: [message.replace(/^error: /, '')] }
}

export function wordsOf({ code, type, lines }: Explained, isJson: boolean, before = PREFIX): string {
  if (isJson) return `${JSON.stringify({ error: { type, message: lines.join('\n'), exit_code: code } })}\n`
  return lines.map((line) => `${before}${line}\n`).join('')
}
