/**
 * `scriptward traceback`: translates an error's line numbers to source lines, using the server or a local
 * line map.
 */

import { readFile } from 'node:fs/promises'
import { type LineTable, mapTraceback } from '@scriptward/obfuscator'
import { v1ScriptsTraceback } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { SourceFault, usage } from '../../faults.ts'
import { readInput } from '../../input.ts'

type Flags = CommonFlags & {
  readonly script?: string
  readonly scriptVersion?: string
  readonly map?: string
}

export function addTraceback(program: Command, around: Surroundings): void {
  program
    .command('traceback')
    .description('Map the line numbers in an error back to your source')
    .argument('[file]', "File with the error or traceback, or '-' for standard input", '-')
    .option('--script <id>', 'Script ID (default: from scriptward.json)')
    .option('--script-version <number>', 'Version that failed (default: the live version)')
    .option('--map <file>', "Line map from 'obfuscate --map', to use instead of the server")
    .action(acting(around, run))
}

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const text = (await readInput(cli, words.text(0))).toString('utf8')
  if (text.trim() === '') throw usage('The input is empty. Pass a file with the error, or pipe it in.')
  return flags.map === undefined ? askService(cli, flags, text) : useMap(cli, flags.map, text)
}

async function askService(cli: Cli, { script, scriptVersion }: Flags, text: string): Promise<void> {
  const script_id = script ?? (await cli.projectFile())?.settings.script
  if (script_id === undefined)
    throw usage(
      'No script given. Pass --script scr_…, or --map FILE for a script that you protected locally.',
    )
  const body = { text, ...(scriptVersion !== undefined && { version: versionOf(scriptVersion) }) }
  const { client } = await cli.service()
  const { data } = await v1ScriptsTraceback({ client, path: { script_id }, body, throwOnError: true })
  const { version, mapped, assumed, other_versions: others } = data
  if (!mapped) cli.out.warn(`version ${version} has no line map. Push its source again to get one.`)
  else if (data.places.length === 0) cli.out.warn('the text contains no line numbers from this script')
  if (mapped && assumed && others.length > 0)
    cli.out.note(
      `Assuming version ${version}. Select another one with --script-version: ${others.slice(0, 5).join(', ')}.`,
    )
  cli.out.line(data.text.trimEnd())
  cli.out.json(data)
}

function versionOf(text: string): number {
  const version = Number(text)
  if (Number.isSafeInteger(version) && version > 0) return version
  throw usage(`'${text}' is not a version number. List the versions with 'scriptward versions'.`)
}

async function useMap({ out }: Cli, file: string, text: string): Promise<void> {
  const table = tableOf(await readFile(file, 'utf8'))
  if (!table) throw new SourceFault(`${file}: not a line map. Create one with 'scriptward obfuscate --map'.`)
  const found = mapTraceback(text, table)
  if (found.places.length === 0)
    out.warn('the text contains no line numbers from a script, such as main.lua:57:')
  out.line(found.text.trimEnd())
  out.json({
    places: found.places.map(({ outputLine, ...place }) => ({ ...place, output_line: outputLine })),
    truncated: found.isCut,
    text: found.text,
  })
}

function tableOf(text: string): LineTable | null {
  try {
    const { lines, functions, names, files } = JSON.parse(text) as Record<string, unknown>
    const isNumbers = (list: unknown) => Array.isArray(list) && list.every(Number.isInteger)
    const isWhole = isNumbers(lines) && isNumbers(functions) && Array.isArray(names)
    const ofTree = Array.isArray(files) ? { files } : {}
    return isWhole ? ({ lines, functions, names, ...ofTree } as LineTable) : null
  } catch {
    return null
  }
}
