/** `scriptward version`: the same output as `--version`, also available as JSON. */

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
