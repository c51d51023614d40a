/** The whole command line: its groups, the options that all commands have, and what its help says beside them. */

import { Command, CommanderError } from 'commander'
import type { Surroundings } from './cli.ts'
import { groups } from './list.ts'
import { addOperators } from './operators.ts'
import { describeVersion, readVersion } from './version.ts'

const AFTER = `
Settings:
  SCRIPTWARD_URL, SCRIPTWARD_TOKEN   a service and a token for it, instead of 'login'; for CI
  scriptward.json                    service, project, script and options of a folder; 'init' writes it
  NO_COLOR                           no colours

Exit codes: 0 done; 1 wrong usage or a file; 2 refused by the service or the obfuscator;
3 not signed in, or a right is missing; 4 the service cannot be reached, is busy or too old;
5 the script of 'run' failed; 130 interrupted. Durations are written as 30d, 12h or 1d12h.`

export function makeProgram(around: Surroundings): Command {
  const program = new Command('scriptward')
    .description('Protects and licenses Lua and Luau scripts.')
    .usage('<command> [options]')
    .option('--json', 'print results as JSON, one text a line; faults as JSON on standard error')
    .option('--url <address>', 'address of the service')
    .option('-V, --version', 'print version, commit and Node')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .addHelpText('after', AFTER)
    .showHelpAfterError(
      "Run 'scriptward help' for the commands, 'scriptward help <command>' for one of them.",
    )
  // Asks git only when it is wanted.
  program.on('option:version', () => {
    around.stdout.write(`${describeVersion(readVersion())}\n`)
    throw new CommanderError(0, 'commander.version', '')
  })
  for (const { name, commands } of groups) {
    program.commandsGroup(name)
    for (const add of commands) add(program, around)
  }
  addOperators(program)
  settle(program, around)
  return program
}

/** The arguments of a command without its options, so that the list of commands is easy to read. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...words].join(' ')
}

/** Commands of every depth end by an exception, never by the process. */
function settle(command: Command, around: Surroundings): void {
  command.exitOverride((error: CommanderError) => {
    throw error
  })
  command.configureOutput({
    writeOut: (text) => void around.stdout.write(text),
    writeErr: (text) => void around.stderr.write(text),
  })
  for (const one of command.commands) settle(one, around)
}
