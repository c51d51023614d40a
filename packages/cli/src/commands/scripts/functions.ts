/** `scriptward functions …`: the server functions that a script asks for with `ward.ask`. */

import path from 'node:path'
import {
  isServiceError,
  type V1ServerFunctionsTryData,
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
import { SCRIPT, type ScriptFlags, scriptOf } from './versions.ts'

type Facts = NonNullable<V1ServerFunctionsTryData['body']['run']>

const PUT_HELP = `
A function is named as its file is, without the ending. Each is replaced at once, and runs that ask from then on get it.`

const TRY_HELP = `
A value that is no JSON is a text: 3 is a number, and '"3"' the text.`

export function addFunctions(program: Command, around: Surroundings): void {
  const functions = program
    .command('functions')
    .description('show and change what the service runs for a script')
  const sub = (name: string, words: string, isDefault = false) =>
    functions.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  sub('list', 'list server functions, with their calls and failures', true).action(acting(around, list))
  sub('show', 'print the source of one').argument('<name>').action(acting(around, show))
  sub('put', 'make or replace server functions')
    .argument('<files...>', 'Luau that returns a function; - for standard input')
    .option('--name <name>', 'of the function, for a single file')
    .addHelpText('after', PUT_HELP)
    .action(acting(around, put))
  sub('remove', 'remove server functions; scripts that ask for them get nil')
    .argument('<names...>')
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(acting(around, remove))
  sub('try', 'run one as a script would, and print its answer')
    .argument('<name>')
    .argument('[values...]', 'what the script would send')
    .option('--run <facts>', 'facts about the run, a JSON object; a file after @')
    .addHelpText('after', TRY_HELP)
    .action(acting(around, attempt))
}

async function list(cli: Cli, flags: ScriptFlags): Promise<void> {
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const { functions } = (await v1ServerFunctionsList({ client, path: { script_id }, throwOnError: true }))
    .data
  cli.out.rows({
    head: ['FUNCTION', 'CALLS', 'FAILURES', 'SOURCE', 'CHANGED', 'LAST PROBLEM'],
    rows: functions.map((one) => [
      one.name,
      String(one.calls),
      String(one.failures),
      bytesOf(one.source_bytes),
      cli.out.when(one.updated_at),
      one.last_problem ?? '',
    ]),
    values: functions,
    empty: "This script has no server functions yet. Add one with 'scriptward functions put price.luau'.",
  })
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

/** Everything is read before anything is sent. */
async function put(cli: Cli, flags: PutFlags, words: Words): Promise<void> {
  const files = words.list(0)
  if (flags.name !== undefined && files.length > 1) throw usage('--name is for a single file.')
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
  cli.out.line(`${name} is stored`)
}

function nameOf(file: string): string {
  if (file === '-') throw usage('What comes from standard input needs a name: give --name.')
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
    cli.out.line(`${function_name} is removed`)
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
