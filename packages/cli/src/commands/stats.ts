/** `scriptward stats`: run counts by outcome and by executor. */

import { v1ProjectsExecutors, v1ProjectsOutcomes, v1ProjectUsersCounts } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { dateOf, durationOf } from '../durations.ts'

type Flags = CommonFlags & { readonly since: string; readonly script?: string }

export function addStats(program: Command, around: Surroundings): void {
  program
    .command('stats')
    .description('Show run counts, denial reasons and top executors')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--script <id>', 'Filter by script ID')
    .option('--since <duration>', "Time range, such as '24h' or '7d'", '7d')
    .action(acting(around, stats))
}

/** Longer ranges use daily steps, because hourly counts are kept for only a few days. */
const HOURLY_MS = 2 * 86_400_000

async function stats(cli: Cli, flags: Flags): Promise<void> {
  const project_id = await cli.projectId()
  const span = durationOf(flags.since)
  const step = span <= HOURLY_MS ? ('hour' as const) : ('day' as const)
  const script = flags.script === undefined ? {} : { script_id: flags.script }
  const { client } = await cli.service()
  const path = { project_id }
  const query = { from: cli.now() - span, step, ...script }
  const { outcomes } = (await v1ProjectsOutcomes({ client, path, query, throwOnError: true })).data
  const { executors } = (await v1ProjectsExecutors({ client, path, throwOnError: true })).data
  const counts = await v1ProjectUsersCounts({ client, path })
  const denied = sum(outcomes.map((one) => one.denied as Record<string, number>))
  const granted = outcomes.reduce((total, one) => total + one.granted, 0)
  const users = counts.data?.counts ?? null
  // The server counts whole hours or days, and keeps them for a limited time.
  const since = outcomes[0]?.at ?? query.from
  cli.out.json({ since, granted, denied, outcomes, executors, users })
  cli.out.line(`runs since ${dateOf(since)}: ${granted} granted, ${total(denied)} denied`)
  for (const [reason, count] of ranked(denied)) cli.out.line(`  ${reason.padEnd(22)} ${count}`)
  for (const one of outcomes.filter(
    ({ granted, denied }) => granted + total(denied as Record<string, number>) > 0,
  ))
    cli.out.line(
      `${dateOf(one.at)}  ${one.granted} granted, ${total(one.denied as Record<string, number>)} denied`,
    )
  if (users)
    cli.out.line(
      `users: ${ranked(users)
        .map(([status, count]) => `${count} ${status}`)
        .join(', ')}`,
    )
  const top = ranked(executors as Record<string, number>).slice(0, TOP)
  if (top.length > 0) cli.out.line(`executors: ${top.map(([name, count]) => `${name} ${count}`).join(', ')}`)
}

const TOP = 5

type Counts = Readonly<Record<string, number>>

function sum(many: readonly Counts[]): Counts {
  const all: Record<string, number> = {}
  for (const [name, count] of many.flatMap((one) => Object.entries(one))) all[name] = (all[name] ?? 0) + count
  return all
}

const total = (counts: Counts) => Object.values(counts).reduce((all, one) => all + one, 0)
const ranked = (counts: Counts) => Object.entries(counts).sort(([, a], [, b]) => b - a)
