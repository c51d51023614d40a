/** `scriptward stats`: how executions ended, and in which executors. */

import { v1ProjectsExecutors, v1ProjectsOutcomes, v1ProjectUsersCounts } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { dateOf, durationOf } from '../durations.ts'

type Flags = CommonFlags & { readonly since: string; readonly script?: string }

export function addStats(program: Command, around: Surroundings): void {
  program
    .command('stats')
    .description('show how often the scripts of a project ran, and why runs were denied')
    .option('--project <id>', 'the project; the one of scriptward.json if left out')
    .option('--script <id>', 'only of this script')
    .option('--since <duration>', "the last '24h', '7d' and so on", '7d')
    .action(acting(around, stats))
}

/** Up to here hours, above days; the service stores hours for some days only. */
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
  cli.out.json({ since: query.from, granted, denied, outcomes, executors, users })
  cli.out.line(`executions since ${dateOf(query.from)}: ${granted} granted, ${total(denied)} denied`)
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
