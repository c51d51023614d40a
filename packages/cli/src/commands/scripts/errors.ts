/** `scriptward errors …`: errors reported by a script's runs, grouped by location and message. */

import {
  type V1ProjectsErrorsResponse,
  type V1ScriptErrorsGetResponse,
  type V1ScriptErrorsListResponse,
  v1ProjectsErrors,
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
type OfProject = V1ProjectsErrorsResponse['errors'][number]
type Found = Listed & Partial<OfProject>
type Shown = V1ScriptErrorsGetResponse['group']
type Place = Listed['place']
type State = Listed['state']

const STATES = ['open', 'resolved', 'ignored', 'all'] as const
const MAX_LIMIT = 1000

const RESOLVE_HELP = `
A resolved error reopens when a later version reports it.`

const ACTIONS = [
  ['resolve', 'resolved', 'Mark errors as resolved', RESOLVE_HELP],
  ['ignore', 'ignored', 'Ignore errors: they are still counted, but no longer reported', ''],
  ['reopen', 'open', 'Reopen resolved or ignored errors', ''],
] as const

export function addErrors(program: Command, around: Surroundings): void {
  const errors = program.command('errors').description('Show and resolve errors that customers ran into')
  const sub = (name: string, words: string, isDefault = false) =>
    errors.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  sub('list', 'List errors in a script, or in all scripts in a project, most recent first', true)
    .option(
      '--project <id>',
      'Project ID, to list errors in all its scripts (default: only the script in scriptward.json)',
    )
    .addOption(new Option('--state <state>', 'Filter by state').choices(STATES).default('open'))
    .option('--script-version <number>', 'Filter by version')
    .option('--executor <name>', 'Filter by executor')
    .option('--limit <count>', 'Maximum number of results', '20')
    .action(acting(around, list))
  sub('show', 'Show an error and its location in your source')
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
  const script = flags.script ?? (flags.project === undefined ? await scriptInFile(cli) : undefined)
  const isOfProject = script === undefined
  const errors: readonly Found[] = isOfProject
    ? await listOfProject(cli, flags)
    : await listOfScript(cli, flags, script)
  cli.out.rows({
    head: [...HEAD, ...(isOfProject ? ['SCRIPT'] : []), 'PLACE', 'MESSAGE'],
    rows: errors.map((one) => [
      one.id,
      stateOf(one),
      cli.out.when(one.last_seen),
      String(one.occurrences),
      String(one.customers),
      ...(isOfProject ? [one.script_name ?? ''] : []),
      placeOf(one.place),
      one.message,
    ]),
    values: errors,
    empty:
      'No errors found. Runs report errors automatically. To include resolved and ignored errors, pass --state all.',
  })
}

const HEAD = ['ERROR', 'STATE', 'LAST SEEN', 'COUNT', 'CUSTOMERS'] as const

async function scriptInFile(cli: Cli): Promise<string | undefined> {
  return (await cli.projectFile())?.settings.script
}

async function listOfScript(cli: Cli, flags: ListFlags, script_id: string): Promise<readonly Listed[]> {
  const { scriptVersion } = flags
  const query = {
    ...filterOf(flags),
    ...(scriptVersion !== undefined && { version: versionIn(scriptVersion) }),
  }
  const { client } = await cli.service()
  return (await v1ScriptErrorsList({ client, path: { script_id }, query, throwOnError: true })).data.errors
}

async function listOfProject(cli: Cli, flags: ListFlags): Promise<readonly OfProject[]> {
  if (flags.scriptVersion !== undefined) throw usage('--script-version needs --script.')
  const path = { project_id: await cli.projectId() }
  const query = filterOf(flags)
  const { client } = await cli.service()
  return (await v1ProjectsErrors({ client, path, query, throwOnError: true })).data.errors
}

function filterOf({ state, executor, limit }: ListFlags) {
  return {
    limit: limitIn(limit),
    ...(state !== 'all' && { state }),
    ...(executor !== undefined && { executor }),
  }
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

/** Formats the source lines around the error and marks the failing one. */
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
  return state === 'open' && regressed_at !== null ? 'reopened' : state
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
