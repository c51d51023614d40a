/** `scriptward obfuscate`: protects a file without a server. The protection itself is the obfuscator's. */

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

/** The preset that gives most where a service builds the script. */
const SERVED_PRESET = 'max'
const NO_SERVICE =
  'this command has no service that keeps keys: at max only compared texts lock code here; push the script to a service to lock functions of WARD_ENCFUNC and seldom-run code under its keys'

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
    .description('protect a Lua or Luau file on this machine')
    .argument('[file]', "the source, or '-' for standard input")
    .option('-o, --output <file>', "where the protected file goes, '-' for standard output", '-')
    .addOption(
      choice('--preset <preset>', 'how strong the protection is', choices.presets).default(
        choices.defaultPreset,
      ),
    )
    .addOption(choice('--target <target>', 'where the output must run', choices.targets).default('any'))
    .option('--seed <seed>', 'a number or a text; the same seed gives the same output', '0')
    .option('--set <option=value...>', "any other option by its id, as in 'encode-numbers.share=0.5'", [])
    .option('--root <folder>', 'the folder of all files of the script; that of the source if left out')
    .option('--map <file>', "where the line map goes that 'traceback' reads")
    .option('--macros', 'list the macros and variables that a source may use, and stop')
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

/** What every name of the table becomes, for people; with --json the table itself. */
function tellMacros({ out, stdout }: Cli): void {
  out.json(choices.macros)
  if (out.isJson) return
  const lines = choices.macros.map(({ name, kind, arguments: form, becomes, note }) => {
    const call = `${name}${form}`
    return `${call.padEnd(46)} ${kind.padEnd(9)} ${becomes}: ${note}`
  })
  stdout.write(`${lines.join('\n')}\n`)
}

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  if (flags.macros) return tellMacros(cli)
  if (words.text(0) === '') throw usage("missing required argument 'file': name the source, or give '-'")
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

/** One file, since nothing says where others would be. */
async function readStream(cli: Cli): Promise<Pick<Bundle, 'source' | 'locate'>> {
  const locate = ({ message }: Problem) => `standard input: ${message}`
  return { source: await readInput(cli, '-'), locate }
}

/** Whole numbers are numbers, so that `--seed 1` is the seed 1 of everybody else. */
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
