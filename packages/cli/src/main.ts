// The author's command line. What the commands do is in `commands/`; here are only the program and its exits.

import { Command, CommanderError } from 'commander'
import { commands } from './list.ts'

/** Words of the server's own command line, which `scripts/launch.mjs` passes on; each has a --help of its own. */
const OPERATORS = `
For operators, in a clone of the repository:
  serve                    start the service
  config                   list every setting with its value and meaning
  doctor                   check that the service can start here
  admin                    manage accounts, tiers and keys directly in the database`

/** 0: done. 1: wrong usage, or a file that cannot be read or written. 2: the source was refused. */
async function main(): Promise<number> {
  const program = new Command('scriptward')
  program.description('Protects and licenses Lua and Luau scripts.').exitOverride()
  program.addHelpText('after', OPERATORS)
  for (const add of commands) add(program)
  for (const command of program.commands) command.exitOverride()
  try {
    await program.parseAsync()
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
    process.stderr.write(`scriptward: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

process.exitCode = await main()
