/** `scriptward obfuscate`: protects a file without a server. The protection itself is the obfuscator's. */

import { readFile } from 'node:fs/promises'
import { type Built, choices, parseOption, readOptions } from '@scriptward/obfuscator'
import { type Command, Option } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../cli.ts'
import { SourceFault } from '../faults.ts'
import { obfuscateApart } from '../obfuscating.ts'
import { bytesOf } from '../output.ts'
import { writeWhole } from '../whole-file.ts'

type Flags = {
  readonly output: string
  readonly preset: string
  readonly target: string
  readonly seed: string
  readonly set: readonly string[]
  readonly map?: string
}

export function addObfuscate(program: Command, around: Surroundings): void {
  const choice = (flags: string, words: string, list: readonly { readonly id: string }[]) =>
    new Option(flags, words).choices(list.map(({ id }) => id))
  program
    .command('obfuscate')
    .description('protect a Lua or Luau file on this machine')
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
    .option('--map <file>', "where the line map goes that 'traceback' reads")
    .addHelpText('after', () => `\nOptions for --set:\n${settingLines().join('\n')}`)
    .action(acting(around, run))
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

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const settings = readOptions(Object.fromEntries(flags.set.map(parseOption)))
  if ('errors' in settings)
    throw new SourceFault(...settings.errors.map(({ message }) => `--set: ${message}`))
  const file = words.text(0)
  const { preset, target, seed, output, map } = flags
  const source = await read(cli, file)
  const options = { preset, target, seed: numberOr(seed), ...settings.options }
  const progress = cli.stderr.isTTY && output !== '-' ? cli.progress(`Protecting ${file}`) : undefined
  const result = await obfuscateApart({ source, options }, cli.signal).finally(() => progress?.end())
  if ('errors' in result) {
    const name = file === '-' ? 'standard input' : file
    throw new SourceFault(...result.errors.map(({ message }) => `${name}: ${message}`))
  }
  for (const warning of result.report.warnings) cli.out.warn(warning)
  if (map !== undefined) await writeWhole(map, JSON.stringify(result.lines))
  await write(cli, output, result)
}

/** Whole numbers are numbers, so that `--seed 1` is the seed 1 of everybody else. */
function numberOr(seed: string): number | string {
  return /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed
}

async function read({ stdin }: Cli, file: string): Promise<Uint8Array> {
  if (file !== '-') return await readFile(file)
  const pieces: Buffer[] = []
  for await (const piece of stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

async function write({ stdout, stderr, out }: Cli, file: string, { code, report }: Built): Promise<void> {
  if (file === '-') return void (await new Promise((resolve) => stdout.write(code, resolve)))
  await writeWhole(file, code)
  out.json(report)
  const sizes = `${bytesOf(report.sourceSize)} → ${bytesOf(report.outputSize)}`
  if (stderr.isTTY) out.note(`Wrote ${file}: ${sizes}, preset ${report.preset}`)
}
