/** `scriptward denials`: which executions were denied, and why. */

import { entriesOf, type V1ProjectDenialsFilterData, v1ProjectDenialsFilter } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../../cli.ts'
import { durationOf } from '../../durations.ts'
import { takeNewest } from '../../output/lists.ts'

type Flags = CommonFlags & {
  readonly reason?: string
  readonly script?: string
  readonly user?: string
  readonly since?: string
  readonly limit: string
}
type Query = NonNullable<V1ProjectDenialsFilterData['query']>

export function addDenials(program: Command, around: Surroundings): void {
  program
    .command('denials')
    .description('list denied executions and why, newest first')
    .option('--project <id>', 'the project; the one of scriptward.json if left out')
    .option('--reason <reason>', 'only this one, such as fingerprint_mismatch')
    .option('--script <id>', 'only of this script')
    .option('--user <key>', 'only of this user')
    .option('--since <duration>', "only the last '24h', '7d'")
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, denials))
}

async function denials(cli: Cli, flags: Flags): Promise<void> {
  const project_id = await cli.projectId()
  const query: Query = {
    ...(flags.reason === undefined ? {} : { reason: flags.reason as NonNullable<Query['reason']> }),
    ...(flags.script === undefined ? {} : { script_id: flags.script }),
    ...(flags.user === undefined ? {} : { user_key: flags.user }),
    ...(flags.since === undefined ? {} : { from: cli.now() - durationOf(flags.since) }),
  }
  const { client } = await cli.service()
  const found = await takeNewest(flags.limit, (limit) =>
    entriesOf('denials', (after) =>
      v1ProjectDenialsFilter({
        client,
        path: { project_id },
        query: { ...query, after, limit },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['LAST', 'TIMES', 'REASON', 'USER', 'SCRIPT', 'EXECUTOR', 'VALUE'],
    rows: found.map((one) => [
      cli.out.when(one.last_at),
      String(one.count),
      one.reason,
      one.user_key ?? '-',
      one.script_id,
      one.client.executor,
      one.value ?? '',
    ]),
    values: found,
    empty: 'No run was denied.',
  })
}
