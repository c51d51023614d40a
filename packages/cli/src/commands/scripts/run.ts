/** `scriptward run`: shows what a buyer sees, in Luau on this machine, with a script and a key that are removed afterwards. */

import { randomUUID } from 'node:crypto'
import { choices, mapTraceback, readOptions } from '@scriptward/obfuscator'
import { isServiceError, v1ScriptsTraceback } from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { openConnection } from '../../connection/connection.ts'
import { durationOf } from '../../durations.ts'
import { Fault, NOT_ALLOWED, ScriptFault, SourceFault, usage } from '../../faults.ts'
import { type Bundle, bundle } from '../../source/bundle.ts'
import { obfuscateApart } from '../../source/obfuscating.ts'
import { inSource, optionsFor, type Target, targetOf } from '../../source/push-target.ts'
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
    .description('protect a script and run it here in Luau, as a buyer would')
    .argument('[file]', 'the source; the entry of scriptward.json if left out')
    .option('--project <id>', 'the project that it is tried in, such as prj_…')
    .addOption(
      new Option('--preset <preset>', 'how strong the protection is').choices(
        choices.presets.map(({ id }) => id),
      ),
    )
    .option('--set <option=value...>', "options of the obfuscator by id, as in 'target=luau'", [])
    .option('--root <folder>', 'the folder of all files of the script; that of the source if left out')
    .option('--local', 'protect it on this machine; without a service there is no ward')
    .option('--for <duration>', "end it after this time, such as '10s', as if it had ended by itself")
    .addHelpText('after', HELP)
    .action(acting(around, run))
}

const HELP = `
The executor is made up: requests reach the loader alone, files last as long as the run, and
every part of the game is there and does nothing. Script and key are removed in the end, also
after Ctrl-C. Exit code 5: the script ended with an error.`

async function run(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const limit = flags.for === undefined ? undefined : durationOf(flags.for)
  const preset = flags.preset === undefined ? [] : [`preset=${flags.preset}`]
  const { project, set, ...common } = flags
  const target = await targetOf(cli, words.text(0), {
    ...common,
    ...(project && { project }),
    set: [...preset, ...set],
  })
  const bundled = await bundle(target.entry, target.root)
  const show = printer(cli)
  const go = flags.local ? runHere : runThere
  await go(cli, { target, bundled, limit, show })
}

type Given = {
  readonly target: Target
  readonly bundled: Bundle
  /** Milliseconds after which it is ended. */
  readonly limit: number | undefined
  readonly show: Printer
}
/** The author's lines instead of those of the protected text. */
type MapText = (text: string) => Promise<string>

async function runHere(cli: Cli, { target, bundled, limit, show }: Given): Promise<void> {
  const read = readOptions(target.options)
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

async function runThere(cli: Cli, { target, bundled, limit, show }: Given): Promise<void> {
  const { url, found } = await cli.service().catch((error) => {
    throw withHint(error)
  })
  const { project } = target
  if (project === undefined)
    throw usage(
      "Which project? Give --project prj_…, write a scriptward.json with 'scriptward init', or give --local.",
    )
  const options = await optionsFor(cli, target)
  const progress = cli.progress(`Protecting ${target.entry} on ${url}, for this run alone`)
  const client = openConnection(url, { token: found.token, signal: new AbortController().signal })
  const onLeft = (what: string) => cli.out.warn(`left over at ${url}: ${what}; remove it in the dashboard`)
  const { signal, now } = cli
  const stopped = () => progress.say('Ctrl-C: waiting for the service, to remove what it made')
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

/** A newcomer has no service yet. */
function withHint(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== NOT_ALLOWED) return error
  return new Fault(error.code, ...error.lines, 'Without a service, give --local.')
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
        cli.out.warn(`lines are those of the protected text, because your token lacks 'scripts:source'`)
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
    cli.out.note('It still ran, and was ended.')
  }
}

type Printer = { add(line: Line, map: MapText): void; all(): Promise<void> }

/** In order, although errors have to be looked up first. */
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
