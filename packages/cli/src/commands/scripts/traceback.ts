/** `scriptward traceback`: an error of a protected script with the author's lines, by a service or by a map of `obfuscate`. */

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
    .description('show an error of a protected script with the lines of your source')
    .argument('[file]', "the error or the traceback, '-' for standard input", '-')
    .option('--script <id>', 'the script, such as scr_…; the one of scriptward.json if left out')
    .option('--script-version <number>', 'the version that failed; the active one if left out')
    .option('--map <file>', "the map that 'obfuscate --map' wrote, without a service")
    .action(acting(around, run))
}

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const text = (await readInput(cli, words.text(0))).toString('utf8')
  if (text.trim() === '') throw usage('There is no error to read: give a file with it, or pipe it in.')
  return flags.map === undefined ? askService(cli, flags, text) : useMap(cli, flags.map, text)
}

async function askService(cli: Cli, { script, scriptVersion }: Flags, text: string): Promise<void> {
  const script_id = script ?? (await cli.projectFile())?.settings.script
  if (script_id === undefined)
    throw usage(
      'Whose error is it? Give --script scr_…, or --map FILE for a file that you protected yourself.',
    )
  const body = { text, ...(scriptVersion !== undefined && { version: versionOf(scriptVersion) }) }
  const { client } = await cli.service()
  const { data } = await v1ScriptsTraceback({ client, path: { script_id }, body, throwOnError: true })
  const { version, mapped, assumed, other_versions: others } = data
  if (!mapped) cli.out.warn(`version ${version} was built before lines were stored: push its source again`)
  else if (data.places.length === 0) cli.out.warn('the text names no place of this script')
  if (mapped && assumed && others.length > 0)
    cli.out.note(
      `Version ${version} was assumed; --script-version takes ${others.slice(0, 5).join(', ')} too.`,
    )
  cli.out.line(data.text.trimEnd())
  cli.out.json(data)
}

function versionOf(text: string): number {
  const version = Number(text)
  if (Number.isSafeInteger(version) && version > 0) return version
  throw usage(`'${text}' is no version: give a number that 'scriptward versions' lists.`)
}

async function useMap({ out }: Cli, file: string, text: string): Promise<void> {
  const table = tableOf(await readFile(file, 'utf8'))
  if (!table) throw new SourceFault(`${file}: this is no line map: write one with 'obfuscate --map'`)
  const found = mapTraceback(text, table)
  if (found.places.length === 0) out.warn('the text names no place of a script, such as main.lua:57:')
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
