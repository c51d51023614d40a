/** `scriptward push`: protects a script on the service and publishes it as its newest version. */

import { existsSync } from 'node:fs'
import { choices, readOptions } from '@scriptward/obfuscator'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { isLoopback } from '../../connection/connection.ts'
import { explain, PREFIX, SourceFault } from '../../faults.ts'
import {
  type Build,
  describeBuild,
  loaderAddress,
  loaderLines,
  readBuild,
} from '../../output/build-report.ts'
import { type Bundle, bundle } from '../../source/bundle.ts'
import { obfuscateApart } from '../../source/obfuscating.ts'
import { writeProjectFile } from '../../source/project-file.ts'
import { inSource, optionsFor, type PushFlags, type Target, targetOf } from '../../source/push-target.ts'
import { type Sent, send } from '../../source/sending.ts'
import { readSourceText } from '../../source/source-file.ts'
import { untilChanged } from '../../source/watching.ts'

type Flags = PushFlags & { readonly watch?: true; readonly wait?: true; readonly dryRun?: true }

export function addPush(program: Command, around: Surroundings): void {
  program
    .command('push')
    .description('protect a script on the service and publish it as a new version')
    .argument('[file]', 'the source; the entry of scriptward.json if left out')
    .option('--project <id>', 'the project of the script, such as prj_…')
    .option('--script <id>', 'update this script, whatever its name')
    .option('--name <name>', "name of the script; the file's name without its ending if left out")
    .option('--root <folder>', 'the folder of all files of the script; that of the source if left out')
    .option('--test <file>', 'a test script that the build, and every later one, must pass')
    .option('--set <option=value...>', "options of the obfuscator by id, as in 'preset=strong'", [])
    .option('--watch', 'go on, and push again whenever a file of the script changes')
    .option('--wait', 'wait for a service that is busy instead of giving up')
    .option('--dry-run', "only protect it on this machine, with the script's options; nothing is sent")
    .action(acting(around, push))
}

async function push(cli: Cli, flags: Flags, words: Words): Promise<void> {
  for (;;) {
    const since = cli.now()
    const target = await targetOf(cli, words.text(0), flags)
    const looked = new Set([target.entry])
    await pushOnce(cli, flags, { target, looked }).catch((error) => {
      if (!flags.watch || cli.signal.aborted) throw error
      const prefix = error instanceof SourceFault ? '' : PREFIX
      for (const line of explain(error, undefined).lines) cli.out.note(`${prefix}${line}`)
    })
    if (!flags.watch) return
    const files = [...looked].filter((file) => existsSync(file))
    cli.out.note(`Watching ${files.length === 1 ? files[0] : `${files.length} files`}; Ctrl-C ends it`)
    await untilChanged(target.test === undefined ? looked : looked.add(target.test), since, cli.signal)
  }
}

/** `looked` gets the files that it looks for. */
type Attempt = { readonly target: Target; readonly looked: Set<string> }

async function pushOnce(cli: Cli, flags: Flags, { target, looked }: Attempt): Promise<void> {
  const bundled = await bundle(target.entry, target.root, looked)
  const testScript = target.test === undefined ? undefined : await readSourceText(target.test)
  if (flags.dryRun) await tryHere(cli, target, bundled)
  else await publish(cli, { flags, target, bundled, testScript })
}

type Publication = {
  readonly flags: Flags
  readonly target: Target
  readonly bundled: Bundle
  readonly testScript: string | undefined
}

async function publish(cli: Cli, { flags, target, bundled, testScript }: Publication): Promise<void> {
  const { client, url } = await cli.service()
  const progress = cli.progress(`Protecting ${target.entry}${filesOf(bundled)} on ${url}`)
  const onBusy = (seconds: number) => progress.say(`${url} is busy: next try in ${seconds} s`)
  try {
    const sending = { client, signal: cli.signal, onBusy: flags.wait ? onBusy : undefined }
    const sent = await send(sending, { ...target, source: bundled.members(), testScript })
    const unkept = await remember(target, sent).catch((error: unknown) => ({ error }))
    const build = await readBuild(client, sent.script)
    progress.end()
    tell(cli, { url, target, sent, build })
    // The result is printed first: the next push finds the script by its name.
    if (unkept) throw unkept.error
  } catch (error) {
    progress.fail()
    throw inSource(error, bundled)
  }
}

function filesOf({ files }: Bundle): string {
  return files.length === 1
    ? ''
    : ` and ${files.length - 1} required ${files.length === 2 ? 'file' : 'files'}`
}

/** The next push of the folder goes to the same script, whatever its name is then. */
async function remember({ file }: Target, { script, isNew }: Sent): Promise<void> {
  if (file && isNew) await writeProjectFile({ ...file, settings: { ...file.settings, script } })
}

type Published = {
  readonly url: string
  readonly target: Target
  readonly sent: Sent
  readonly build: Build | undefined
}

function tell({ out }: Cli, { url, target, sent: { script, isNew }, build }: Published): void {
  const loader = loaderLines(url, script)
  out.json({ script_id: script, created: isNew, ...build, loader_url: loaderAddress(url, script), loader })
  const version = build ? `version ${build.version} of ` : ''
  out.line(
    `${isNew ? 'created' : 'updated'} ${script}: ${version}${target.name}${build ? `, ${describeBuild(build)}` : ''}`,
  )
  for (const warning of build?.warnings ?? []) out.warn(warning)
  if (isLoopback(url))
    out.warn(
      `${url} is an address of this machine, so the loader runs nowhere else: push with --url and the public address of the service`,
    )
  out.line(loader)
}

async function tryHere(cli: Cli, target: Target, bundled: Bundle): Promise<void> {
  const read = readOptions(await optionsFor(cli, target))
  if ('errors' in read) throw new SourceFault(...read.errors.map(({ message }) => `options: ${message}`))
  const progress = cli.progress(`Protecting ${target.entry}${filesOf(bundled)} on this machine`)
  const task = { source: bundled.source, options: { preset: choices.defaultPreset, ...read.options } }
  const from = performance.now()
  const result = await obfuscateApart(task, cli.signal).finally(() => progress.end())
  if ('errors' in result) throw new SourceFault(...result.errors.map(bundled.locate))
  const { preset, sourceSize, outputSize, watermark, warnings } = result.report
  const build = {
    version: null,
    preset,
    source_bytes: sourceSize,
    protected_bytes: outputSize,
    duration_ms: performance.now() - from,
    watermark,
    warnings,
  }
  cli.out.json({ dry_run: true, ...build })
  cli.out.line(`would push ${target.name}: ${describeBuild(build)}; nothing was sent`)
  for (const warning of warnings) cli.out.warn(warning)
}
