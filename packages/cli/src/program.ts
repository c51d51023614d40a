/** Assembles the command line: command groups, global options and the general help text. */

import { Command, CommanderError } from 'commander'
import type { Surroundings } from './cli.ts'
import { groups } from './command-groups.ts'
import { examplesOf } from './examples.ts'
import { PREFIX } from './faults.ts'
import { addOperators } from './operators.ts'
import { describeVersion, readVersion } from './version.ts'

const AFTER = `
Settings:
  SCRIPTWARD_URL, SCRIPTWARD_TOKEN   Server URL and token for CI, instead of 'login'
  scriptward.json                    Server, project, script and options for a folder; created by 'init'
  NO_COLOR                           Disable colors

Exit codes: 0 success; 1 usage or file error; 2 rejected by the server or the obfuscator;
3 not signed in or missing scope; 4 server unreachable, busy or too old;
5 the script failed in 'run'; 130 interrupted. Write durations as 30d, 12h or 1d12h.`

/** With `isJson`, commander prints no usage errors, because the caller prints them as JSON. */
export function makeProgram(around: Surroundings, { isJson = false } = {}): Command {
  const program = new Command('scriptward')
    .description('Protect and license Lua and Luau scripts.')
    .usage('<command> [options]')
    .option('--json', 'Print results as JSON, one value per line, and errors as JSON on standard error')
    .option('--url <url>', 'Server URL')
    .option('-V, --version', 'Print the version, commit and Node.js version')
    .helpOption('-h, --help', 'Show help')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .addHelpText('after', AFTER)
    .showHelpAfterError(
      "Run 'scriptward help' for a list of commands, or 'scriptward help <command>' for one command.",
    )
  // Doesn't use commander's version(), because computing its argument would run git on every start.
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

/** Omits `[options]` from the list of commands to keep it readable. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...words].join(' ')
}

type Settling = { readonly around: Surroundings; readonly isJson: boolean }

/** Makes commands at every level throw errors instead of exiting the process. */
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
  if (command.parent !== null && command.commands.length > 0)
    command.helpCommand('help [command]', 'Show help for a command').hook('preSubcommand', expectKnown)
  const examples = examplesOf(command)
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n  ${examples.join('\n  ')}`)
  for (const one of command.commands) settle(one, settling)
}

/** Rejects unknown subcommands, which commander would otherwise pass to the default `list` command as arguments. */
function expectKnown(group: Command): void {
  const [word = '-'] = group.args
  if (word.startsWith('-') || group.commands.some((one) => one.name() === word || one.alias() === word))
    return
  const names = group.commands.map((one) => one.name()).join(', ')
  group.error(`error: unknown command '${word}'. Commands of '${group.name()}': ${names}`)
}
