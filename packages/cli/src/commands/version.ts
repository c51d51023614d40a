/** `scriptward version`: prints the same as `--version`, with JSON as an option. */

import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../cli.ts'
import { describeVersion, readVersion } from '../version.ts'

export function addVersion(program: Command, around: Surroundings): void {
  program
    .command('version')
    .description('Print the version, commit and Node.js version')
    .action(acting(around, run))
}

async function run({ out }: Cli): Promise<void> {
  const version = readVersion()
  out.json(version)
  out.line(describeVersion(version))
}
