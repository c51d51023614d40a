/** `scriptward version`: the same as `--version`, and as JSON for bug reports by programs. */

import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../cli.ts'
import { describeVersion, readVersion } from '../version.ts'

export function addVersion(program: Command, around: Surroundings): void {
  program.command('version').description('print version, commit and Node').action(acting(around, run))
}

async function run({ out }: Cli): Promise<void> {
  const version = readVersion()
  out.json(version)
  out.line(describeVersion(version))
}
