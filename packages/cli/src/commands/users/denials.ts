/** `scriptward denials`: lists denied runs and their reasons. */

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
    .description('List denied runs with their reasons, newest first')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--reason <reason>', 'Filter by reason, such as fingerprint_mismatch')
    .option('--script <id>', 'Filter by script ID')
    .option('--user <key>', 'Filter by key')
    .option('--since <duration>', "Time range, such as '24h' or '7d'")
    .option('--limit <count>', 'Maximum number of results', '50')
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
    head: ['LAST', 'COUNT', 'REASON', 'USER', 'SCRIPT', 'EXECUTOR', 'VALUE'],
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
    empty: 'No denied runs.',
  })
}
