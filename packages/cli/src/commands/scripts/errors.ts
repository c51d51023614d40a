/** `scriptward errors …`: errors that runs of a script report, grouped by place and message. */

import {
  type V1ScriptErrorsGetResponse,
  type V1ScriptErrorsListResponse,
  v1ScriptErrorsEdit,
  v1ScriptErrorsGet,
  v1ScriptErrorsList,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { plain } from '../../output/output.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

type Listed = V1ScriptErrorsListResponse['errors'][number]
type Shown = V1ScriptErrorsGetResponse['group']
type Place = Listed['place']
type State = Listed['state']

const STATES = ['open', 'resolved', 'ignored', 'all'] as const
const MAX_LIMIT = 1000

const RESOLVE_HELP = `
A resolved error opens again when a later version reports it.`

const ACTIONS = [
  ['resolve', 'resolved', 'Mark errors as resolved', RESOLVE_HELP],
  ['ignore', 'ignored', 'Ignore errors, which are counted but never reported again', ''],
  ['reopen', 'open', 'Reopen resolved or ignored errors', ''],
] as const

export function addErrors(program: Command, around: Surroundings): void {
  const errors = program.command('errors').description('Show and resolve errors that customers ran into')
  const sub = (name: string, words: string, isDefault = false) =>
    errors.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  sub('list', 'List errors of a script, most recent first', true)
    .addOption(new Option('--state <state>', 'State of the errors').choices(STATES).default('open'))
    .option('--script-version <number>', 'Only errors of this version')
    .option('--executor <name>', 'Only errors in this executor')
    .option('--limit <count>', 'Maximum number of results', '20')
    .action(acting(around, list))
  sub('show', 'Show an error with its place in your source')
    .argument('<error>', "Error ID, from 'errors list'")
    .action(acting(around, show))
  for (const [name, state, words, help] of ACTIONS)
    sub(name, words)
      .argument('<errors...>', "Error IDs, from 'errors list'")
      .option('--note <text>', 'Note for your team')
      .addHelpText('after', help)
      .action(acting(around, (cli: Cli, flags: EditFlags, given: Words) => edit(cli, flags, given, state)))
}

type ListFlags = ScriptFlags & {
  readonly state: (typeof STATES)[number]
  readonly scriptVersion?: string
  readonly executor?: string
  readonly limit: string
}

async function list(cli: Cli, flags: ListFlags): Promise<void> {
  const { state, scriptVersion, executor } = flags
  const query = {
    limit: limitIn(flags.limit),
    ...(state !== 'all' && { state }),
    ...(scriptVersion !== undefined && { version: versionIn(scriptVersion) }),
    ...(executor !== undefined && { executor }),
  }
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const { errors } = (await v1ScriptErrorsList({ client, path, query, throwOnError: true })).data
  cli.out.rows({
    head: ['ERROR', 'STATE', 'LAST SEEN', 'COUNT', 'CUSTOMERS', 'PLACE', 'MESSAGE'],
    rows: errors.map((one) => [
      one.id,
      stateOf(one),
      cli.out.when(one.last_seen),
      String(one.occurrences),
      String(one.customers),
      placeOf(one.place),
      one.message,
    ]),
    values: errors,
    empty: 'No errors found. Runs report them automatically; change the filter with --state all.',
  })
}

function limitIn(given: string): number {
  const limit = Number(given)
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw usage(`--limit must be a number from 1 to ${MAX_LIMIT}.`)
}

async function show(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags), error_id: words.text(0) }
  const { client } = await cli.service()
  const error = (await v1ScriptErrorsGet({ client, path, throwOnError: true })).data.group
  const { out } = cli
  out.json(error)
  out.line(out.strong(plain(error.message)))
  out.line(`${placeOf(error.place)}, ${stateOf(error)}${error.note === null ? '' : `: ${plain(error.note)}`}`)
  out.line(
    `${error.occurrences} times in ${error.runs} runs by ${error.customers} customers, last ${out.when(error.last_seen)}, versions ${listOf(error.versions.map(({ version, occurrences }) => [version, occurrences]))}`,
  )
  out.line(
    `executors ${listOf(error.executors.map(({ executor, occurrences }) => [plain(executor), occurrences]))}`,
  )
  for (const line of codeOf(error)) out.line(line)
  for (const frame of error.frames) out.line(out.faint(`  ${placeOf(frame)}`))
}

/** The source around the failing line, which is marked. */
function codeOf({ code }: Shown): string[] {
  if (code === null) return []
  const last = code.first_line + code.lines.length - 1
  return code.lines.map((line, i) => {
    const number = code.first_line + i
    return `${number === code.line ? '>' : ' '} ${String(number).padStart(String(last).length)} | ${plain(line.replaceAll('\t', '  '))}`.trimEnd()
  })
}

function listOf(counts: readonly (readonly [name: string | number, count: number])[]): string {
  return counts.map(([name, count]) => `${name} (${count})`).join(', ')
}

function placeOf(place: Place): string {
  if (place === null) return 'unknown line'
  const line = place.line === null ? `protected line ${place.output_line}` : `line ${place.line}`
  const where = place.file !== null && place.line !== null ? `${plain(place.file)}:${place.line}` : line
  return place.function === null ? where : `${where} in ${plain(place.function)}`
}

function stateOf({ state, regressed_at }: Pick<Listed, 'state' | 'regressed_at'>): string {
  return state === 'open' && regressed_at !== null ? 'came back' : state
}

type EditFlags = ScriptFlags & { readonly note?: string }

async function edit(cli: Cli, flags: EditFlags, words: Words, state: State): Promise<void> {
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const body = { state, ...(flags.note !== undefined && { note: flags.note }) }
  for (const error_id of words.list(0)) {
    await v1ScriptErrorsEdit({ client, path: { script_id, error_id }, body, throwOnError: true })
    cli.out.json({ script_id, error_id, state, done: true })
    cli.out.line(state === 'open' ? `reopened ${error_id}` : `${state} ${error_id}`)
  }
}
