/** `scriptward run`: runs a script in local Luau as a customer would, using a temporary script and key. */

import { randomUUID } from 'node:crypto'
import { choices, mapTraceback, readOptions } from '@scriptward/obfuscator'
import { isServiceError, v1ScriptsTraceback } from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { openConnection } from '../../connection/connection.ts'
import { durationOf } from '../../durations.ts'
import { Fault, NOT_ALLOWED, ScriptFault, SourceFault, usage } from '../../faults.ts'
import { uploadOptions, withScript } from '../../source/build-options.ts'
import { type Bundle, bundle } from '../../source/bundle.ts'
import { obfuscateApart } from '../../source/obfuscating.ts'
import type { Options } from '../../source/project-file.ts'
import { inSource, optionsOf, type Target, targetOf } from '../../source/push-target.ts'
import type { RunTask } from '../../source/run-thread.ts'
import { type Line, runInLuau } from '../../source/running.ts'
import { type ThrowAway, withThrowAway } from '../../source/temporary-key.ts'

type Flags = CommonFlags & {
  readonly preset?: string
  readonly set: readonly string[]
  readonly local?: true
  readonly root?: string
  readonly for?: string
}

export function addRun(program: Command, around: Surroundings): void {
  program
    .command('run')
    .description('Protect a script and run it locally in Luau, as a customer would')
    .argument('[file]', 'Source file (default: entry in scriptward.json)')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .addOption(
      new Option('--preset <preset>', 'Protection preset').choices(choices.presets.map(({ id }) => id)),
    )
    .option('--set <option=value...>', "Obfuscator options, such as 'target=luau'", [])
    .option('--root <folder>', 'Source root of a multi-file script (default: folder of the source file)')
    .option('--local', "Protect the script on this machine, without a server; 'ward' is not available")
    .option('--for <duration>', "Stop the script after this time, such as '10s', with exit code 0")
    .addHelpText('after', HELP)
    .action(acting(around, run))
}

const HELP = `
The executor is simulated: only requests to the loader work, files last until the run ends, and
game objects exist but do nothing. The temporary script and key are removed when the run ends,
even after Ctrl-C. Exit code 5 means that the script ended with an error.`

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const limit = flags.for === undefined ? undefined : durationOf(flags.for)
  const preset = flags.preset === undefined ? [] : [`preset=${flags.preset}`]
  const overrides = optionsOf([...preset, ...flags.set])
  const target = await targetOf(cli, words.text(0), { ...flags, set: [] })
  const bundled = await bundle(target.entry, target.root)
  const show = printer(cli)
  const go = flags.local ? runHere : runThere
  await go(cli, { target, overrides, bundled, limit, show })
}

type Given = {
  readonly target: Target
  /** Options for this run only. The others are those of the next push. */
  readonly overrides: Options
  readonly bundled: Bundle
  /** Maximum run time in milliseconds. */
  readonly limit: number | undefined
  readonly show: Printer
}
/** Translates line numbers of the protected script to source lines. */
type MapText = (text: string) => Promise<string>

async function runHere(cli: Cli, { target, overrides, bundled, limit, show }: Given): Promise<void> {
  const read = readOptions({ ...target.options, ...overrides })
  if ('errors' in read) throw new SourceFault(...read.errors.map(({ message }) => `options: ${message}`))
  const progress = cli.progress(`Protecting ${target.entry} on this machine`)
  const options = { preset: choices.defaultPreset, ...read.options }
  const result = await obfuscateApart({ source: bundled.source, options }, cli.signal).finally(() =>
    progress.end(),
  )
  if ('errors' in result) throw new SourceFault(...result.errors.map(bundled.locate))
  const { entry } = target
  const map: MapText = async (text) => mapTraceback(text, result.lines, entry).text
  await execute(
    cli,
    { text: result.code, name: `=${entry}`, key: '', device: 'run', url: undefined },
    { limit, map, show },
  )
}

async function runThere(cli: Cli, { target, overrides, bundled, limit, show }: Given): Promise<void> {
  const { url, found } = await cli.service().catch((error) => {
    throw withHint(error)
  })
  const { project } = target
  if (project === undefined)
    throw usage(
      "No project given. Pass --project prj_…, run 'scriptward init' to create scriptward.json, or pass --local.",
    )
  const options = { ...(await uploadOptions(cli, await lookUp(cli, target))), ...overrides }
  const progress = cli.progress(`Protecting ${target.entry} on ${url} for this run only`)
  const client = openConnection(url, { token: found.token, signal: new AbortController().signal })
  const onLeft = (what: string) =>
    cli.out.warn(`couldn't remove ${what} from ${url}. Remove it in the dashboard.`)
  const { signal, now } = cli
  const stopped = () => progress.say('Stopping: removing the temporary script and key')
  signal.addEventListener('abort', stopped, { once: true })
  const toTry = { project, name: target.name, source: bundled.members(), options }
  try {
    await withThrowAway({ client, signal, now, onLeft }, toTry, async (made) => {
      signal.removeEventListener('abort', stopped)
      progress.end()
      const loader = `/client/v1/loader/${made.script}?rt=luau`
      const task = { name: 'loader', key: made.key, device: `run-${randomUUID()}`, url, loader }
      await execute(cli, task, { limit, map: mapperOf(cli, made, target.entry), show })
    })
  } catch (error) {
    progress.fail()
    throw inSource(error, bundled)
  }
}

/**
 * Ignores a missing permission to look up scripts. The request that creates the temporary script then fails
 * and names the scope that the token needs.
 */
function lookUp(cli: Cli, target: Given['target']): Promise<Given['target']> {
  return withScript(cli, target).catch((error: unknown) => {
    if (isServiceError(error) && error.type === 'forbidden') return target
    throw error
  })
}

/** Mentions `--local` to people who try the tool before setting up a server. */
function withHint(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== NOT_ALLOWED) return error
  return new Fault(error.code, ...error.lines, 'To run without a server, pass --local.')
}

function mapperOf(cli: Cli, { script, name }: ThrowAway, entry: string): MapText {
  let isTold = false
  return async (text) => {
    const { client } = await cli.service()
    try {
      const call = { client, path: { script_id: script }, body: { text }, throwOnError: true } as const
      return (await v1ScriptsTraceback(call)).data.text.replaceAll(name, entry)
    } catch (error) {
      if (!isServiceError(error)) throw error
      if (!isTold)
        cli.out.warn(
          `line numbers refer to the protected script, because your token lacks the 'scripts:source' scope`,
        )
      isTold = true
      return text.replaceAll(name, entry)
    }
  }
}

type Execution = { readonly limit: number | undefined; readonly map: MapText; readonly show: Printer }

async function execute(cli: Cli, task: RunTask, { limit, map, show }: Execution): Promise<void> {
  const late = limit === undefined ? undefined : AbortSignal.timeout(limit)
  const signal = late ? AbortSignal.any([cli.signal, late]) : cli.signal
  try {
    const { error } = await runInLuau(task, { signal, onLine: (line) => show.add(line, map) })
    await show.all()
    if (error !== null) throw new ScriptFault(await map(error))
    cli.out.json({ ended: 'by itself' })
  } catch (error) {
    await show.all()
    if (!late?.aborted || cli.signal.aborted || error instanceof ScriptFault) throw error
    cli.out.json({ ended: 'after its time' })
    cli.out.note('Stopped after the time limit (--for).')
  }
}

type Printer = { add(line: Line, map: MapText): void; all(): Promise<void> }

/** Prints lines in their original order, even though mapping an error's line numbers requires a request. */
function printer({ out, stderr }: Cli): Printer {
  let last = Promise.resolve()
  const print = ({ kind, text }: Line) => {
    out.json({ kind, text })
    if (kind === 'out') out.line(text)
    else if (!out.isJson) stderr.write(`${text}\n`)
  }
  return {
    add(line, map) {
      last = last.then(async () =>
        print(line.kind === 'error' ? { ...line, text: await map(line.text) } : line),
      )
    },
    all: () => last,
  }
}
