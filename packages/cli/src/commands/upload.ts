/** `scriptward upload`: creates a script on a service, or a new version of the one with the same name. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseOption } from '@scriptward/obfuscator'
import {
  type Connection,
  connect,
  entriesOf,
  ServiceError,
  v1ProjectScriptsCreate,
  v1ProjectScriptsList,
  v1ScriptsUpdate,
} from '@scriptward/sdk'
import type { Command } from 'commander'

type Flags = {
  readonly project?: string
  readonly script?: string
  readonly name?: string
  readonly url: string
  readonly set: readonly string[]
}
type Options = Record<string, string | number | boolean>
type Upload = { readonly script: string; readonly options?: Options }
/** `verb` is for the line that is printed. */
type Uploaded = { readonly id: string; readonly verb: 'created' | 'updated' }

/** The service refused the upload: the source, an option, a quota. */
const REFUSED = 2
const LOCAL = 'http://127.0.0.1:8080'
const PAGE = 100

export function addUpload(program: Command): void {
  program
    .command('upload')
    .description('create a script on a service, or a new version of the one with that name')
    .argument('<file>', 'the source')
    .option('--project <id>', 'the project of the script, such as prj_…')
    .option('--script <id>', 'update this script, whatever its name')
    .option('--name <name>', "name of the script; the file's name without its ending if left out")
    .option('--url <url>', 'address of the service (SCRIPTWARD_URL)', process.env.SCRIPTWARD_URL || LOCAL)
    .option('--set <option=value...>', "options of the obfuscator by id, as in 'preset=strong'", [])
    .addHelpText('after', '\nThe API key is read from SCRIPTWARD_KEY, so that no list of processes shows it.')
    .action(run)
}

async function run(file: string, flags: Flags): Promise<void> {
  const apiKey = process.env.SCRIPTWARD_KEY
  if (!apiKey) throw new Error('set SCRIPTWARD_KEY to the API key of your account')
  const upload = { script: await readSource(file), ...optionsOf(flags.set) }
  const client = connect({ baseUrl: baseOf(flags.url), apiKey })
  try {
    const { id, verb } = await send(client, upload, { ...flags, name: flags.name ?? path.parse(file).name })
    process.stdout.write(`${verb} ${id}\n`)
  } catch (error) {
    for (const line of explain(error, file, flags)) process.stderr.write(`${line}\n`)
    process.exitCode = error instanceof ServiceError ? REFUSED : 1
  }
}

async function readSource(file: string): Promise<string> {
  const bytes = await readFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${file}: this is not UTF-8; write other bytes as escapes, such as "\\255"`)
  }
}

function optionsOf(set: readonly string[]): Pick<Upload, 'options'> {
  return set.length === 0 ? {} : { options: Object.fromEntries(set.map(parseOption)) as Options }
}

function baseOf(url: string): string {
  if (!URL.canParse(url)) throw new Error(`${url}: this is not an address; give one such as ${LOCAL}`)
  return url.replace(/\/+$/, '')
}

async function send(client: Connection, upload: Upload, flags: Flags & { name: string }): Promise<Uploaded> {
  const script = flags.script ?? (await findByName(client, flags))
  if (script === undefined) return createScript(client, upload, flags)
  await v1ScriptsUpdate({ client, path: { script_id: script }, body: upload, throwOnError: true })
  return { id: script, verb: 'updated' }
}

async function createScript(
  client: Connection,
  upload: Upload,
  { project, name }: Flags & { name: string },
): Promise<Uploaded> {
  const made = await v1ProjectScriptsCreate({
    client,
    path: { project_id: project ?? '' },
    body: { name, ...upload },
    throwOnError: true,
  })
  return { id: made.data.script_id, verb: 'created' }
}

async function findByName(
  client: Connection,
  { project, name }: Flags & { name: string },
): Promise<string | undefined> {
  if (!project) throw new Error('give --project prj_…, or --script scr_… to update one script')
  const found: string[] = []
  const scripts = entriesOf('scripts', (after) =>
    v1ProjectScriptsList({
      client,
      path: { project_id: project },
      query: { after, limit: PAGE },
      throwOnError: true,
    }),
  )
  for await (const script of scripts) if (script.name === name) found.push(script.id)
  if (found.length > 1)
    throw new Error(
      `${found.length} scripts are called ${name}: choose one with --script ${found.join(' or ')}`,
    )
  return found[0]
}

function explain(error: unknown, file: string, { project, script, url }: Flags): string[] {
  if (error instanceof TypeError && error.message === 'fetch failed')
    return [`scriptward: ${url} does not answer (${reasonOf(error)}): start the service, or give --url`]
  if (!(error instanceof ServiceError))
    return [`scriptward: ${error instanceof Error ? error.message : error}`]
  if (error.status === 401)
    return [`${url} refuses the API key: set SCRIPTWARD_KEY to the one of your account`]
  if (error.status === 404) return [`${script ?? project} does not exist, or belongs to another account`]
  const { obfuscator_errors, failed } = error.members as {
    readonly obfuscator_errors?: readonly { readonly message: string }[]
    readonly failed?: readonly { readonly field: string; readonly errors: readonly string[] }[]
  }
  if (obfuscator_errors) return obfuscator_errors.map(({ message }) => `${file}: ${message}`)
  if (failed) return failed.map(({ field, errors }) => `${field} ${errors.join(' and ')}`)
  return [`${file}: ${error.message}`]
}

function reasonOf({ cause }: Error): string {
  return (cause as { readonly code?: string } | undefined)?.code ?? 'no connection'
}
