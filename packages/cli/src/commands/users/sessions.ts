/** `scriptward sessions …`: live sessions, the connections of running scripts. */

import {
  entriesOf,
  v1ProjectSessionsDisconnectAll,
  v1ProjectSessionsList,
  v1ProjectSessionsMessageAll,
  v1SessionsDisconnectMany,
  v1SessionsMessageMany,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'

type Filter = CommonFlags & { readonly script?: string; readonly user?: string; readonly executor?: string }

export function addSessions(program: Command, around: Surroundings): void {
  const sessions = program.command('sessions').description('List, message and end live sessions')
  const sub = (name: string, words: string, isDefault = false) =>
    sessions
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
      .option('--script <id>', 'Filter by script ID')
      .option('--user <key>', 'Filter by key')
      .option('--executor <name>', 'Filter by executor')
  sub('list', 'List live sessions, newest first', true)
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  sub('message', 'Send a message and print the responses')
    .argument('<key>', 'Message type that the script listens for')
    .argument('[sessions...]', 'Session IDs (default: sessions that match the filters)')
    .option('--data <json>', 'Message data')
    .option('--all', 'Select all sessions in the project')
    .action(acting(around, message))
  sub('kick', 'End sessions and stop their scripts')
    .argument('[sessions...]', 'Session IDs (default: sessions that match the filters)')
    .option('--all', 'Select all sessions in the project')
    .action(acting(around, kick))
}

async function list(cli: Cli, flags: Filter & { readonly limit: string }): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const sessions = await takeNewest(flags.limit, (limit) =>
    entriesOf('sessions', (after) =>
      v1ProjectSessionsList({
        client,
        path: { project_id },
        query: { ...matchOf(flags), after, limit, order: 'newest' },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['SESSION', 'SCRIPT', 'VERSION', 'USER', 'EXECUTOR', 'STATE', 'SINCE'],
    rows: sessions.map((one) => [
      one.id,
      one.script_id,
      String(one.script_version),
      one.user_key ?? '-',
      one.executor,
      one.state,
      cli.out.when(one.created_at),
    ]),
    values: sessions,
    empty: "No live sessions. Require them with 'scriptward scripts edit --require-sessions on'.",
  })
}

function matchOf({ script, user, executor }: Filter) {
  return {
    ...(script === undefined ? {} : { script_id: script }),
    ...(user === undefined ? {} : { user_key: user }),
    ...(executor === undefined ? {} : { executor }),
  }
}

type ManyFlags = Filter & { readonly all?: true; readonly data?: string }

/** Requires `--all`, so that a forgotten filter doesn't affect every session. */
function chosen(flags: ManyFlags, ids: readonly string[]) {
  const match = matchOf(flags)
  if (ids.length > 0) return { ids: [...ids] }
  if (Object.keys(match).length > 0 || flags.all) return { match }
  throw usage('No sessions selected. Pass session IDs, a filter (--script, --user or --executor), or --all.')
}

async function message(cli: Cli, flags: ManyFlags, words: Words): Promise<void> {
  const body = { key: words.text(0), ...(flags.data === undefined ? {} : { data: dataOf(flags.data) }) }
  const { ids, match } = chosen(flags, words.list(1))
  const { client } = await cli.service()
  const { data } = ids
    ? await v1SessionsMessageMany({ client, body: { session_ids: ids, ...body }, throwOnError: true })
    : await v1ProjectSessionsMessageAll({
        client,
        path: { project_id: await cli.projectId() },
        body: { ...match, ...body },
        throwOnError: true,
      })
  tell(cli, data.responses, (one) => (one.response === undefined ? 'received' : JSON.stringify(one.response)))
}

async function kick(cli: Cli, flags: ManyFlags, words: Words): Promise<void> {
  const { ids, match } = chosen(flags, words.list(0))
  const { client } = await cli.service()
  const { data } = ids
    ? await v1SessionsDisconnectMany({ client, body: { session_ids: ids }, throwOnError: true })
    : await v1ProjectSessionsDisconnectAll({
        client,
        path: { project_id: await cli.projectId() },
        body: { ...match },
        throwOnError: true,
      })
  tell(cli, data.responses, () => 'ended')
}

type Answer = {
  readonly session_id: string
  readonly processed: boolean
  readonly response?: unknown
  readonly reason?: string
}

function tell(cli: Cli, responses: readonly Answer[], wordsOf: (one: Answer) => string): void {
  const result = (one: Answer) => (one.processed ? wordsOf(one) : `failed: ${one.reason ?? 'no response'}`)
  cli.out.rows({
    head: ['SESSION', 'RESULT'],
    rows: responses.map((one) => [one.session_id, result(one)]),
    values: responses,
    empty: 'No matching sessions.',
  })
  if (responses.some(({ processed }) => !processed))
    throw new Fault(REFUSED, 'Some sessions failed; see the results above.')
}

/** A value that is not valid JSON is sent as a string. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
