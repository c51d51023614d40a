/** The whole command line: its groups, the options that all commands have, and what its help says beside them. */

import { Command, CommanderError } from 'commander'
import type { Surroundings } from './cli.ts'
import { examplesOf } from './examples.ts'
import { PREFIX } from './faults.ts'
import { addOperators } from './operators.ts'
import { groups } from './output/list.ts'
import { describeVersion, readVersion } from './version.ts'

const AFTER = `
Settings:
  SCRIPTWARD_URL, SCRIPTWARD_TOKEN   a service and a token for it, instead of 'login'; for CI
  scriptward.json                    service, project, script and options of a folder; 'init' writes it
  NO_COLOR                           no colours

Exit codes: 0 done; 1 wrong usage or a file; 2 refused by the service or the obfuscator;
3 not signed in, or a right is missing; 4 the service cannot be reached, is busy or too old;
5 the script of 'run' failed; 130 interrupted. Durations are written as 30d, 12h or 1d12h.`

/** With `isJson` the caller prints faults of usage, as JSON. */
export function makeProgram(around: Surroundings, { isJson = false } = {}): Command {
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
  settle(program, { around, isJson })
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

type Settling = { readonly around: Surroundings; readonly isJson: boolean }

/** Commands of every depth end by an exception, never by the process. */
function settle(command: Command, settling: Settling): void {
  const { around, isJson } = settling
  command.exitOverride((error: CommanderError) => {
    throw error
  })
  command.configureOutput({
    writeOut: (text) => void around.stdout.write(text),
    writeErr: (text) => void (isJson || around.stderr.write(text)),
    outputError: (text, write) => write(text.replace(/^error: /, PREFIX)),
  })
  const examples = examplesOf(command)
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n  ${examples.join('\n  ')}`)
  if (command.parent !== null && command.commands.length > 0) command.hook('preSubcommand', expectKnown)
  for (const one of command.commands) settle(one, settling)
}

/** A group without a word lists; a word that it does not have must not become an argument of its list. */
function expectKnown(group: Command): void {
  const [word = '-'] = group.args
  if (word.startsWith('-') || group.commands.some((one) => one.name() === word || one.alias() === word))
    return
  const names = group.commands.map((one) => one.name()).join(', ')
  group.error(`error: unknown command '${word}': '${group.name()}' has ${names}`)
}
