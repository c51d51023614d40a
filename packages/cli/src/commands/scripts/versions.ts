/** `scriptward versions` and `scriptward activate`: what was pushed, and which of it is served. */

import { entriesOf, v1ScriptVersionsActivate, v1ScriptVersionsList } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'
import { bytesOf } from '../../output/output.ts'

export type ScriptFlags = CommonFlags & { readonly script?: string }
type ListFlags = ScriptFlags & { readonly limit: string }

export const SCRIPT = 'the script, such as scr_…; the one of scriptward.json if left out'

export function addVersions(program: Command, around: Surroundings): void {
  program
    .command('versions')
    .description('list the versions of a script, newest first')
    .option('--script <id>', SCRIPT)
    .option('--limit <count>', 'how many', '20')
    .action(acting(around, list))
}

export function addActivate(program: Command, around: Surroundings): void {
  program
    .command('activate')
    .description('serve another version of a script, such as the one before')
    .argument('<version>', 'its number')
    .option('--script <id>', SCRIPT)
    .action(acting(around, activate))
}

/** `--script`, or the one of the project file. */
export async function scriptOf(cli: Cli, flags: ScriptFlags): Promise<string> {
  const script = flags.script ?? (await cli.projectFile())?.settings.script
  if (script !== undefined) return script
  throw usage("Which script? Give --script scr_…, or write a scriptward.json with 'scriptward init'.")
}

async function list(cli: Cli, flags: ListFlags): Promise<void> {
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const versions = await takeNewest(flags.limit, (limit) =>
    entriesOf('versions', (after) =>
      v1ScriptVersionsList({
        client,
        path: { script_id },
        query: { after, limit, order: 'newest' },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['VERSION', 'ACTIVE', 'PUSHED', 'PRESET', 'SOURCE', 'PROTECTED'],
    rows: versions.map((one) => [
      String(one.version),
      one.active ? 'active' : '',
      cli.out.when(one.created_at),
      one.preset,
      bytesOf(one.source_bytes),
      bytesOf(one.protected_bytes),
    ]),
    values: versions,
    empty: "This script has no versions yet. Push one with 'scriptward push'.",
  })
}

async function activate(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const n = Number(words.text(0))
  if (!Number.isSafeInteger(n) || n < 1)
    throw usage(`'${words.text(0)}' is no version: give a number that 'scriptward versions' lists.`)
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  await v1ScriptVersionsActivate({ client, path: { script_id, n }, throwOnError: true })
  cli.out.json({ script_id, version: n })
  cli.out.line(`version ${n} of ${script_id} is served from now on`)
}
