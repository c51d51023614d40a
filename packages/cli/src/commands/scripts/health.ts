/** `scriptward health`: run outcomes for each version. */

import {
  type Connection,
  entriesOf,
  type V1ScriptsHealthResponse,
  v1ScriptsHealth,
  v1ScriptVersionsList,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../../cli.ts'
import { plain } from '../../output/output.ts'
import { percentBelow } from '../../output/shares.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

type Version = V1ScriptsHealthResponse['versions'][number]
type Regression = NonNullable<V1ScriptsHealthResponse['regression']>
type Counts = Pick<Version, keyof Version & keyof Version['executors'][number]>

const HELP = `
A customer is crash-free if none of their runs reported an error that the script did not catch. A run vanished if it
didn't report back within 60 seconds; vanished runs are not crashes. Runs are counted 90 seconds after they start.`

const PAGE = 100

export function addHealth(program: Command, around: Surroundings): void {
  program
    .command('health')
    .description('Show crashes and denials by version, newest first')
    .option('--script <id>', SCRIPT)
    .option(
      '--script-version <number>',
      'Only this version (default: the latest 20, and older ones that customers get)',
    )
    .option('--executors', 'Add a row for each executor')
    .addHelpText('after', HELP)
    .action(acting(around, health))
}

type Flags = ScriptFlags & { readonly scriptVersion?: string; readonly executors?: true }

async function health(cli: Cli, flags: Flags): Promise<void> {
  const query = flags.scriptVersion === undefined ? {} : { version: versionIn(flags.scriptVersion) }
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const { versions, regression } = (await v1ScriptsHealth({ client, path, query, throwOnError: true })).data
  const isSplit = flags.executors === true
  cli.out.rows({
    head: [
      'VERSION',
      ...(isSplit ? ['EXECUTOR'] : []),
      ...['CRASH-FREE', 'CUSTOMERS', 'RUNS', 'CRASHED', 'VANISHED', 'DENIED'],
    ],
    rows: versions.flatMap((one) => rowsOf(one, isSplit)),
    values: versions,
    empty: 'No runs yet. Runs are counted 90 seconds after they start.',
  })
  if (regression === null) return
  const { script_id: script } = path
  warn(cli, regression, { script, command: await findRollback(client, script, regression) })
}

/**
 * Returns the command that rolls the version back. Returns undefined if no earlier version can be activated.
 * The version used for comparison may be yanked, so it isn't always the one to go back to.
 */
async function findRollback(
  client: Connection,
  script_id: string,
  { version, release_id }: Regression,
): Promise<string | undefined> {
  if (release_id !== null) return `releases rollback ${release_id}`
  const versions = entriesOf('versions', (after) =>
    v1ScriptVersionsList({
      client,
      path: { script_id },
      query: { after, limit: PAGE, order: 'newest' },
      throwOnError: true,
    }),
  )
  for await (const one of versions)
    if (one.version < version && one.yanked_at === null) return `activate ${one.version}`
  return undefined
}

type Advice = { readonly script: string; readonly command: string | undefined }

/** Prints which version started to crash for customers, and how to roll it back. */
function warn({ out }: Cli, found: Regression, { script, command }: Advice): void {
  const { customers, executor, version, previous_version: before, since } = found
  const who = `${customers} customers${executor === null ? '' : ` on ${plain(executor)}`}`
  const [day = ''] = new Date(since).toISOString().split('T')
  const back = command === undefined ? '' : ` Roll back with 'scriptward ${command} --script ${script}'.`
  out.warn(
    `version ${version} has crashed for ${who} since ${day}: ${percentOf(found.share)} of its customers, compared to ${percentOf(found.share_before)} with version ${before}.${back}`,
  )
}

const percentOf = (share: number) => `${Math.round(share * 1000) / 10}%`

function rowsOf({ version, executors, ...total }: Version, isSplit: boolean): string[][] {
  if (!isSplit) return [[String(version), ...cellsOf(total)]]
  return [
    [String(version), 'all', ...cellsOf(total)],
    ...executors.map(({ executor, ...counts }) => [String(version), executor, ...cellsOf(counts)]),
  ]
}

function cellsOf({
  crash_free_customers: share,
  customers,
  runs,
  crashed,
  vanished,
  denied,
}: Counts): string[] {
  return [shareIn(share), ...[customers, runs, crashed, vanished, denied].map(String)]
}

function shareIn(share: number | null): string {
  return share === null ? '-' : `${percentBelow(share)}%`
}
