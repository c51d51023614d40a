/** `scriptward obfuscate`: protects a file on this machine, without a server. */

import path from 'node:path'
import { type Built, choices, type Problem, parseOption, readOptions } from '@scriptward/obfuscator'
import { type Command, Option } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { SourceFault, usage } from '../../faults.ts'
import { readInput } from '../../input.ts'
import { bytesOf } from '../../output/output.ts'
import { writeWhole } from '../../source/atomic-write.ts'
import { type Bundle, bundle } from '../../source/bundle.ts'
import { obfuscateApart } from '../../source/obfuscating.ts'

/** This preset includes protection that works only with keys from a server. */
const SERVED_PRESET = 'max'
const NO_SERVICE =
  "local builds can't use keys held by the server, so preset max only locks code behind string comparisons; use 'scriptward push' to also lock WARD_ENCFUNC functions and rarely run code"

type Flags = {
  readonly output: string
  readonly preset: string
  readonly target: string
  readonly seed: string
  readonly set: readonly string[]
  readonly map?: string
  readonly macros?: boolean
  readonly root?: string
}

export function addObfuscate(program: Command, around: Surroundings): void {
  const choice = (flags: string, words: string, list: readonly { readonly id: string }[]) =>
    new Option(flags, words).choices(list.map(({ id }) => id))
  program
    .command('obfuscate')
    .description('Protect a Lua or Luau file on this machine')
    .argument('[file]', "Source file, or '-' for standard input")
    .option('-o, --output <file>', "Output file, or '-' for standard output", '-')
    .addOption(
      choice('--preset <preset>', 'Protection preset', choices.presets).default(choices.defaultPreset),
    )
    .addOption(choice('--target <target>', 'Runtime of the protected script', choices.targets).default('any'))
    .option('--seed <seed>', 'Seed (number or string); the same seed produces the same output', '0')
    .option('--set <option=value...>', "Other obfuscator options, such as 'encode-numbers.share=0.5'", [])
    .option('--root <folder>', 'Source root of a multi-file script (default: folder of the source file)')
    .option('--map <file>', "Write a line map to this file, for use with 'traceback --map'")
    .option('--macros', 'List the available macros and variables, then exit')
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

function printMacros({ out, stdout }: Cli): void {
  out.json(choices.macros)
  if (out.isJson) return
  const lines = choices.macros.map(({ name, kind, arguments: form, becomes, note }) => {
    const call = `${name}${form}`
    return `${call.padEnd(46)} ${kind.padEnd(9)} ${becomes}: ${note}`
  })
  stdout.write(`${lines.join('\n')}\n`)
}

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  if (flags.macros) return printMacros(cli)
  if (words.text(0) === '') throw usage("No source given. Pass a file, or '-' for standard input.")
  const settings = readOptions(Object.fromEntries(flags.set.map(parseOption)))
  if ('errors' in settings)
    throw new SourceFault(...settings.errors.map(({ message }) => `--set: ${message}`))
  const file = words.text(0)
  const { preset, target, seed, output, map, root } = flags
  const { source, locate } =
    file === '-' ? await readStream(cli) : await bundle(file, root ?? path.dirname(file))
  const options = { preset, target, seed: numberOr(seed), ...settings.options }
  const progress = cli.stderr.isTTY && output !== '-' ? cli.progress(`Protecting ${file}`) : undefined
  const result = await obfuscateApart({ source, options }, cli.signal).finally(() => progress?.end())
  if ('errors' in result) throw new SourceFault(...result.errors.map(locate))
  for (const warning of result.report.warnings) cli.out.warn(warning)
  if (preset === SERVED_PRESET) cli.out.warn(NO_SERVICE)
  if (map !== undefined) await writeWhole(map, JSON.stringify(result.lines))
  await write(cli, output, result)
}

/** Standard input has no folder, so required files can't be found. */
async function readStream(cli: Cli): Promise<Pick<Bundle, 'source' | 'locate'>> {
  const locate = ({ message }: Problem) => `standard input: ${message}`
  return { source: await readInput(cli, '-'), locate }
}

/** Converts an integer seed to a number, so that `--seed 1` means the same seed as the number 1 in JSON. */
function numberOr(seed: string): number | string {
  return /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed
}

async function write({ stdout, stderr, out }: Cli, file: string, { code, report }: Built): Promise<void> {
  if (file === '-') return void (await new Promise((resolve) => stdout.write(code, resolve)))
  await writeWhole(file, code)
  out.json(report)
  const sizes = `${bytesOf(report.sourceSize)} → ${bytesOf(report.outputSize)}`
  if (stderr.isTTY) out.note(`Wrote ${file}: ${sizes}, preset ${report.preset}`)
}
