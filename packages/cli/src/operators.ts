/**
 * Words of the service's own command line, which the launcher passes on to it before this program starts. They are
 * here for the help, for completion and for who has this program alone.
 */

import type { Command } from 'commander'
import { usage } from './faults.ts'

const OPERATORS: readonly (readonly [name: string, words: string])[] = [
  ['serve', 'start the service'],
  ['config', 'list every setting of the service with its value and meaning'],
  ['doctor', 'check that the service can start here'],
  ['admin', 'manage accounts, tiers, people and keys directly in the database'],
  ['backup', 'write database and keyring to one file, while the service runs'],
  ['restore', 'put a backup into an empty data folder or database'],
  ['move-to', 'copy the SQLite database of the data folder into an empty PostgreSQL'],
  ['backup-keys', 'make keys to encrypt backups with'],
]

export function addOperators(program: Command): void {
  program.commandsGroup('For operators, where the service is installed:')
  for (const [name, words] of OPERATORS)
    program
      .command(name)
      .description(words)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw usage(
          `'${name}' belongs to the service: run 'scriptward ${name}' where the service is installed.`,
        )
      })
      .addHelpText('after', `\nRun 'scriptward help ${name}' where the service is installed for its options.`)
}
