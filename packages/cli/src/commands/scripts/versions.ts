/**
 * `scriptward versions`, `scriptward activate` and `scriptward yank`: list versions, select the live version,
 * and withdraw a version.
 */

import {
  entriesOf,
  v1ScriptVersionsActivate,
  v1ScriptVersionsList,
  v1ScriptVersionsUnyank,
  v1ScriptVersionsYank,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'
import { bytesOf } from '../../output/output.ts'

export type ScriptFlags = CommonFlags & { readonly script?: string }
type YankFlags = ScriptFlags & { readonly undo?: true }
type ListFlags = ScriptFlags & { readonly limit: string }

export const SCRIPT = 'Script ID (default: from scriptward.json)'

export function addVersions(program: Command, around: Surroundings): void {
  program
    .command('versions')
    .description("List a script's versions, newest first")
    .option('--script <id>', SCRIPT)
    .option('--limit <count>', 'Maximum number of results', '20')
    .action(acting(around, list))
}

export function addActivate(program: Command, around: Surroundings): void {
  program
    .command('activate')
    .description('Make another version live, for example to roll back')
    .argument('<version>', 'Version number')
    .option('--script <id>', SCRIPT)
    .action(acting(around, activate))
}

export function addYank(program: Command, around: Surroundings): void {
  program
    .command('yank')
    .description("Withdraw a version, so that it can't be made live")
    .argument('<version>', 'Version number')
    .option('--script <id>', SCRIPT)
    .option('--undo', 'Make a yanked version available again')
    .action(acting(around, yank))
}

export async function scriptOf(cli: Cli, flags: ScriptFlags): Promise<string> {
  const script = flags.script ?? (await cli.projectFile())?.settings.script
  if (script !== undefined) return script
  throw usage("No script given. Pass --script scr_…, or run 'scriptward init' to create scriptward.json.")
}

export function versionIn(given: string): number {
  const n = Number(given)
  if (Number.isSafeInteger(n) && n >= 1) return n
  throw usage(`'${given}' is not a version number. List the versions with 'scriptward versions'.`)
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
    head: ['VERSION', 'STATUS', 'PUSHED', 'PRESET', 'SOURCE', 'PROTECTED', 'AUTHOR', 'NOTES'],
    rows: versions.map((one) => [
      String(one.version),
      one.active ? 'active' : one.yanked_at === null ? '' : 'yanked',
      cli.out.when(one.created_at),
      one.preset,
      bytesOf(one.source_bytes),
      bytesOf(one.protected_bytes),
      one.author ?? '',
      one.notes?.split('\n', 1)[0] ?? '',
    ]),
    values: versions,
    empty: "This script has no versions yet. Push one with 'scriptward push'.",
  })
}

async function activate(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const n = versionIn(words.text(0))
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  await v1ScriptVersionsActivate({ client, path: { script_id, n }, throwOnError: true })
  cli.out.json({ script_id, version: n })
  cli.out.line(`version ${n} of ${script_id} is now live`)
}

async function yank(cli: Cli, flags: YankFlags, words: Words): Promise<void> {
  const n = versionIn(words.text(0))
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const call = { client, path: { script_id, n }, throwOnError: true } as const
  await (flags.undo ? v1ScriptVersionsUnyank(call) : v1ScriptVersionsYank(call))
  cli.out.json({ script_id, version: n, yanked: !flags.undo })
  cli.out.line(`version ${n} of ${script_id} is ${flags.undo ? 'available again' : 'now yanked'}`)
}
