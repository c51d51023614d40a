/**
 * `scriptward help users list`: same as `scriptward users list --help`. Works for commands at every level.
 */

import type { Command } from 'commander'

export function addHelp(program: Command): void {
  // commander's own help command handles only top-level commands.
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
