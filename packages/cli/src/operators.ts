/**
 * Commands of the server's own command line. The launcher handles these commands itself, without starting
 * this program. They are listed here for help and shell completion, and for installations without the server.
 */

import type { Command } from 'commander'
import { usage } from './faults.ts'

const OPERATORS: readonly (readonly [name: string, words: string])[] = [
  ['serve', 'Start the server'],
  ['config', 'List all server settings with values and descriptions'],
  ['doctor', 'Check that the server can start on this machine'],
  ['admin', 'Manage accounts, service tiers, dashboard users and server keys directly in the database'],
  ['backup', 'Back up the database and keyring to a single file'],
  ['restore', 'Restore a backup into an empty data folder or database'],
  ['move-to', 'Copy the SQLite database into an empty PostgreSQL database'],
  ['backup-keys', 'Create a key pair for encrypting backups'],
]

export function addOperators(program: Command): void {
  program.commandsGroup('Server administration (only on the server):')
  for (const [name, words] of OPERATORS)
    program
      .command(name)
      .description(words)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw usage(
          `'${name}' is a server command. Run 'scriptward ${name}' on the machine where the server is installed.`,
        )
      })
      .addHelpText(
        'after',
        `\nFor its options, run 'scriptward help ${name}' on the machine where the server is installed.`,
      )
  addInstallNode(program)
}

/** The installed package runs this command before this program starts. */
function addInstallNode(program: Command): void {
  program
    .command('install-node')
    .description('Download Node.js 24 for all users of this installation')
    .action(() => {
      throw usage(
        "'install-node' is only for the package from npm. A clone downloads Node.js 24 automatically.",
      )
    })
}
