/** `scriptward traces`: earlier traces and the users that they identified. */

import { entriesOf, type V1TracesListResponse, v1TracesGet, v1TracesList } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { takeNewest } from '../../output/lists.ts'
import { bytesOf } from '../../output/output.ts'
import { tellResult } from './trace.ts'

type Traced = V1TracesListResponse['traces'][number]
type User = Traced['users'][number]
type ListFlags = CommonFlags & { readonly script?: string; readonly limit: string }

export function addTraces(program: Command, around: Surroundings): void {
  const traces = program.command('traces').description('Show earlier traces of leaked copies')
  const sub = (name: string, words: string, isDefault = false) =>
    traces
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('list', 'List recent traces, newest first', true)
    .option('--script <id>', 'Filter by script ID')
    .option('--limit <count>', 'Maximum number of results', '20')
    .action(acting(around, list))
  sub('show', 'Show the full result of a trace')
    .argument('<trace>', "Trace ID, from 'traces list'")
    .action(acting(around, show))
}

async function list(cli: Cli, { script, limit }: ListFlags): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const filter = script === undefined ? {} : { script_id: script }
  const traces = await takeNewest(limit, (count) =>
    entriesOf('traces', (after) =>
      v1TracesList({ client, path, query: { ...filter, limit: count, after }, throwOnError: true }),
    ),
  )
  cli.out.rows({
    head: ['TRACE', 'TRACED', 'BY', 'SCRIPT', 'USER', 'VERSION', 'CONFIDENCE'],
    rows: traces.map((one) => [
      one.id,
      cli.out.when(one.created_at),
      one.actor.name,
      one.script_name,
      ...resultOf(one),
    ]),
    values: traces,
    empty: "No traces. Trace a leaked copy with 'scriptward trace'.",
  })
}

function resultOf({ users: [best], matches }: Traced): [user: string, version: string, confidence: string] {
  if (best === undefined) return ['no match', '-', '-']
  const others = matches > 1 ? ` and ${matches - 1} more` : ''
  const confidence = `${(Math.floor(best.confidence * 10_000) / 100).toFixed(2)}%`
  return [
    `${nameOf(best)}${others}`,
    String(best.version),
    best.named ? confidence : `${confidence}, uncertain`,
  ]
}

function nameOf({ user_key, note, chat_id }: User): string {
  if (user_key === null) return 'guest'
  const name = note ?? chat_id
  return name === null ? user_key : `${user_key} (${name})`
}

async function show(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { project_id: await cli.projectId(), trace_id: words.text(0) }
  const { client } = await cli.service()
  const { trace } = (await v1TracesGet({ client, path, throwOnError: true })).data
  const { out } = cli
  out.json(trace)
  out.line(`${out.strong(trace.script_name)} traced ${out.when(trace.created_at)} by ${trace.actor.name}`)
  out.line(`copy of ${bytesOf(trace.bytes)}, SHA-256 ${trace.sha256}`)
  tellResult(out, [{ ...trace, script: { id: trace.script_id, name: trace.script_name } }])
  if (trace.matches === 0) out.line('No user was found.')
}
