// `scriptward obfuscate`: protects a file without a server. The protection itself is the obfuscator's.

import { readFile, writeFile } from 'node:fs/promises'
import { choices, obfuscate, parseOption, readOptions } from '@scriptward/obfuscator'
import { type Command, Option } from 'commander'

type Flags = {
  readonly output: string
  readonly preset: string
  readonly target: string
  readonly seed: string
  readonly set: readonly string[]
  readonly sites?: string
}

/** Sources that are refused exit with this, so that scripts can tell them from a mistyped command. */
const REFUSED = 2

export function addObfuscate(program: Command): void {
  const choice = (flags: string, words: string, list: readonly { readonly id: string }[]) =>
    new Option(flags, words).choices(list.map(({ id }) => id))
  program
    .command('obfuscate')
    .description('protect a Lua or Luau file')
    .argument('<file>', "the source, or '-' for standard input")
    .option('-o, --output <file>', "where the protected file goes, '-' for standard output", '-')
    .addOption(
      choice('--preset <preset>', 'how strong the protection is', choices.presets).default(
        choices.defaultPreset,
      ),
    )
    .addOption(choice('--target <target>', 'where the output must run', choices.targets).default('any'))
    .option('--seed <seed>', 'a number or a text; the same seed gives the same output', '0')
    .option('--set <option=value...>', "any other option by its id, as in 'encode-numbers.share=0.5'", [])
    .option('--sites <file>', "where the map of lines goes that 'trace' reads")
    .addHelpText('after', () => `\nOptions for --set:\n${settingLines().join('\n')}`)
    .action(run)
}

function settingLines(): string[] {
  const own = ['preset', 'target', 'seed']
  return choices.options
    .filter(({ id }) => !own.includes(id))
    .map(({ id, description, choices: list = [] }) => {
      const words = list.length > 0 ? ` (${list.join(', ')})` : ''
      return `  ${id.padEnd(26)} ${description}${words}`
    })
}

async function run(file: string, { output, preset, target, seed, set, sites }: Flags): Promise<void> {
  const settings = readOptions(Object.fromEntries(set.map(parseOption)))
  if ('errors' in settings) {
    for (const { message } of settings.errors) process.stderr.write(`--set: ${message}\n`)
    process.exitCode = REFUSED
    return
  }
  const source = await read(file)
  const result = obfuscate(source, { preset, target, seed: numberOr(seed), ...settings.options })
  if ('errors' in result) {
    const name = file === '-' ? 'standard input' : file
    for (const { message } of result.errors) process.stderr.write(`${name}: ${message}\n`)
    process.exitCode = REFUSED
    return
  }
  for (const warning of result.report.warnings) process.stderr.write(`warning: ${warning}\n`)
  if (sites !== undefined) await writeFile(sites, JSON.stringify({ lines: result.sites }))
  await write(output, result.code)
}

/** Whole numbers are numbers, so that `--seed 1` is the seed 1 of everybody else. */
function numberOr(seed: string): number | string {
  return /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed
}

async function read(file: string): Promise<Uint8Array> {
  if (file !== '-') return await readFile(file)
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

async function write(file: string, code: string): Promise<void> {
  if (file !== '-') await writeFile(file, code)
  else await new Promise((resolve) => process.stdout.write(code, resolve))
}
