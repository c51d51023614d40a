/**
 * `scriptward help users list`: the same as `scriptward users list --help`, for commands at every level.
 */

import type { Command } from 'commander'

export function addHelp(program: Command): void {
  // The library's own help command only looks at the first word.
  program.helpCommand(false)
  program
    .command('help')
    .argument('[command...]', 'Command, optionally with a subcommand')
    .description('Show help for a command')
    .action((names: readonly string[]) => find(program, names).help())
}

function find(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((one) => one.name() === name || one.alias() === name)
    return found ?? command.error(`error: unknown command '${name}'`)
  }, program)
}
