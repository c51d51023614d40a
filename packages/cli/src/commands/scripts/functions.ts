/**
 * `scriptward functions …`: server functions, which scripts call with `ward.ask`. The list also contains
 * the functions and tables that a build moved to the server.
 */

import path from 'node:path'
import {
  type Connection,
  isServiceError,
  type V1ServerFunctionsTryData,
  v1ScriptsGet,
  v1ScriptVersionsGet,
  v1ServerFunctionsGet,
  v1ServerFunctionsList,
  v1ServerFunctionsPut,
  v1ServerFunctionsRemove,
  v1ServerFunctionsTry,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { ScriptFault, SourceFault, usage } from '../../faults.ts'
import { readInput } from '../../input.ts'
import { bytesOf } from '../../output/output.ts'
import { decodeSource } from '../../source/source-file.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

type Facts = NonNullable<V1ServerFunctionsTryData['body']['run']>

const LIST_HELP = `
The list starts with the functions and tables that the build moved to the server because they are marked with
WARD_SERVER. They belong to one version. Server functions created with 'put' are available to all versions.`

const PUT_HELP = `
Each function is named after its file, without the extension. Changes apply immediately, including to running scripts.`

const TRY_HELP = `
Values are parsed as JSON. Values that aren't valid JSON are passed as strings. For example, 3 is a number and '"3"' is a string.`

export function addFunctions(program: Command, around: Surroundings): void {
  const functions = program.command('functions').description('Manage server functions')
  const sub = (name: string, words: string, isDefault = false) =>
    functions.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  sub('list', "List a script's server code, with call and failure counts", true)
    .option('--script-version <number>', 'List the server code of this version (default: the live version)')
    .addHelpText('after', LIST_HELP)
    .action(acting(around, list))
  sub('show', "Print a server function's source")
    .argument('<name>', 'Function name')
    .action(acting(around, show))
  sub('put', 'Create or replace server functions')
    .argument('<files...>', 'Luau files that each return a function; - for standard input')
    .option('--name <name>', 'Function name (single file only; default: file name)')
    .addHelpText('after', PUT_HELP)
    .action(acting(around, put))
  sub('remove', 'Delete server functions; scripts that call them get nil')
    .argument('<names...>', 'Function names')
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, remove))
  sub('try', 'Call a server function and print its result')
    .argument('<name>', 'Function name')
    .argument('[values...]', 'Arguments, as a script would pass them')
    .option('--run <details>', 'Simulated run details, as a JSON object or @file')
    .addHelpText('after', TRY_HELP)
    .action(acting(around, attempt))
}

type ListFlags = ScriptFlags & { readonly scriptVersion?: string }

async function list(cli: Cli, flags: ListFlags): Promise<void> {
  const chosen = flags.scriptVersion === undefined ? undefined : versionIn(flags.scriptVersion)
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const { functions } = (await v1ServerFunctionsList({ client, path: { script_id }, throwOnError: true }))
    .data
  const n = chosen ?? (await liveVersion(client, script_id))
  const { version } = (await v1ScriptVersionsGet({ client, path: { script_id, n }, throwOnError: true })).data
  const moved = version.server_code.map((one) => ({ version: n, updated_at: version.created_at, ...one }))
  const all = [
    ...moved.map((one) => ({ ...one, defined: `version ${n}, ${one.place}` })),
    ...functions.map((one) => ({ ...one, defined: 'functions put' })),
  ]
  cli.out.rows({
    head: ['FUNCTION', 'CALLS', 'FAILURES', 'SIZE', 'UPDATED', 'DEFINED', 'LAST ERROR'],
    rows: all.map((one) => [
      one.name,
      String(one.calls),
      String(one.failures),
      bytesOf(one.source_bytes),
      cli.out.when(one.updated_at),
      one.defined,
      one.last_problem ?? '',
    ]),
    values: [...moved, ...functions],
    empty:
      "This script has no server code yet. Mark a function with WARD_SERVER and push the script, or create one with 'scriptward functions put price.luau'.",
  })
}

async function liveVersion(client: Connection, script_id: string): Promise<number> {
  return (await v1ScriptsGet({ client, path: { script_id }, throwOnError: true })).data.script.version
}

async function show(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags), function_name: words.text(0) }
  const { client } = await cli.service()
  const found = (await v1ServerFunctionsGet({ client, path, throwOnError: true })).data.function
  cli.out.json(found)
  cli.out.line(found.source.replace(/\n$/, ''))
}

type PutFlags = ScriptFlags & { readonly name?: string }
type Source = { readonly file: string; readonly name: string; readonly source: string }

/** Reads every file before uploading any, so that an unreadable file doesn't cause a partial upload. */
async function put(cli: Cli, flags: PutFlags, words: Words): Promise<void> {
  const files = words.list(0)
  if (flags.name !== undefined && files.length > 1) throw usage('--name only works with a single file.')
  const sources: Source[] = []
  for (const file of files)
    sources.push({
      file,
      name: flags.name ?? nameOf(file),
      source: decodeSource(file, await readInput(cli, file)),
    })
  const script_id = await scriptOf(cli, flags)
  for (const source of sources) await putOne(cli, script_id, source)
}

async function putOne(cli: Cli, script_id: string, { file, name, source }: Source): Promise<void> {
  const { client } = await cli.service()
  const path = { script_id, function_name: name }
  try {
    await v1ServerFunctionsPut({ client, path, body: { source }, throwOnError: true })
  } catch (error) {
    throw inFile(error, file)
  }
  cli.out.json({ script_id, function_name: name, done: true })
  cli.out.line(`saved ${name}`)
}

function nameOf(file: string): string {
  if (file === '-') throw usage('A function from standard input needs a name. Pass --name.')
  return path.basename(file).replace(/\.[^.]*$/, '')
}

function inFile(error: unknown, file: string): unknown {
  if (!isServiceError(error)) return error
  const { failed } = error.members as { readonly failed?: readonly { readonly errors: readonly string[] }[] }
  if (failed === undefined) return error
  return new SourceFault(...failed.flatMap(({ errors }) => errors.map((words) => `${file}: ${words}`)))
}

async function remove(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  for (const function_name of words.list(0)) {
    await v1ServerFunctionsRemove({ client, path: { script_id, function_name }, throwOnError: true })
    cli.out.json({ script_id, function_name, done: true })
    cli.out.line(`removed ${function_name}`)
  }
}

type TryFlags = ScriptFlags & { readonly run?: string }

async function attempt(cli: Cli, flags: TryFlags, words: Words): Promise<void> {
  const values = words.list(1).map((text) => parse(text, text))
  const run = flags.run === undefined ? {} : await factsIn(cli, flags.run)
  const path = { script_id: await scriptOf(cli, flags), function_name: words.text(0) }
  const { client } = await cli.service()
  const { data } = await v1ServerFunctionsTry({ client, path, body: { values, run }, throwOnError: true })
  const { success: _, ...answer } = data
  cli.out.json(answer)
  if (!cli.out.isJson) for (const line of data.printed) cli.out.note(line)
  if (data.problem !== null) throw new ScriptFault(data.problem)
  cli.out.line(JSON.stringify(data.value))
}

async function factsIn(cli: Cli, given: string): Promise<Facts> {
  const facts = parse(given.startsWith('@') ? String(await readInput(cli, given.slice(1))) : given, null)
  if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) return facts
  throw usage(`--run must be a JSON object, such as '{"plan": "Pro"}'.`)
}

function parse(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}
