/**
 * `scriptward push`: protects a source on the server and publishes the result as the script's latest version.
 */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { KEY_BYTES } from '@scriptward/client/wire'
import { choices, readOptions, SERVER_OPTIONS } from '@scriptward/obfuscator'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { isLoopback } from '../../connection/connection.ts'
import { explain, PREFIX, SourceFault } from '../../faults.ts'
import {
  type Build,
  countServerCode,
  describeBuild,
  describeServerCode,
  describeSuggestions,
  loaderAddress,
  loaderLines,
  readBuild,
} from '../../output/build-report.ts'
import { describeEveryone, describeStart } from '../../output/release-report.ts'
import { uploadOptions, withScript, withServerNames } from '../../source/build-options.ts'
import { type Bundle, bundle } from '../../source/bundle.ts'
import { obfuscateApart } from '../../source/obfuscating.ts'
import { writeProjectFile } from '../../source/project-file.ts'
import { inSource, type PushFlags, type Target, targetOf } from '../../source/push-target.ts'
import {
  addReleaseOptions,
  type ReleaseFlags,
  type ReleaseOrder,
  releaseOrderOf,
} from '../../source/release-order.ts'
import { patiently, type Sending, type Sent, send } from '../../source/sending.ts'
import { readSourceText } from '../../source/source-file.ts'
import { untilChanged } from '../../source/watching.ts'

type Flags = PushFlags &
  ReleaseFlags & { readonly watch?: true; readonly wait?: true; readonly dryRun?: true }

export function addPush(program: Command, around: Surroundings): void {
  const command = program
    .command('push')
    .description('Protect a script on the server and publish it as a new version')
    .argument('[file]', 'Source file (default: entry in scriptward.json)')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--script <id>', 'ID of the script to update (default: found by name)')
    .option('--name <name>', 'Script name (default: file name without extension)')
    .option('--root <folder>', 'Source root of a multi-file script (default: folder of the source file)')
    .option('--test <file>', 'Smoke test that this and every later build must pass')
    .option('--set <option=value...>', "Obfuscator options, such as 'preset=strong'", [])
    .option('--server <names>', 'Names of functions to move to the server from now on, comma-separated')
    .option('--notes <text>', 'Release notes for the version')
    .option('--publish-notes', 'Show the notes to customers')
    .option('--watch', 'Push again whenever a source file changes')
    .option('--wait', 'Retry while the server is busy')
    .option('--dry-run', 'Protect the script on this machine with the same settings, without uploading it')
    .action(acting(around, push))
  addReleaseOptions(command)
}

async function push(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const release = releaseOrderOf(flags)
  let target = await targetOf(cli, words.text(0), flags)
  for (;;) {
    const since = cli.now()
    const looked = new Set([target.entry])
    try {
      // Reads scriptward.json again, because the first push stores the script's ID in it.
      target = await targetOf(cli, words.text(0), flags)
      await pushOnce(cli, flags, { target, looked: looked.add(target.entry), release })
    } catch (error) {
      if (!flags.watch || cli.signal.aborted) throw error
      const prefix = error instanceof SourceFault ? '' : PREFIX
      for (const line of explain(error, await cli.address()).lines) cli.out.note(`${prefix}${line}`)
    }
    if (!flags.watch) return
    const files = [...looked].filter((file) => existsSync(file))
    cli.out.note(`Watching ${files.length === 1 ? files[0] : `${files.length} files`}; press Ctrl-C to stop`)
    await untilChanged(target.test === undefined ? looked : looked.add(target.test), since, cli.signal)
  }
}

/** `looked` collects the paths that the build looked up, so that `--watch` can watch them. */
type Attempt = {
  readonly target: Target
  readonly looked: Set<string>
  readonly release: ReleaseOrder | undefined
}

async function pushOnce(cli: Cli, flags: Flags, { target, looked, release }: Attempt): Promise<void> {
  const bundled = await bundle(target.entry, target.root, looked)
  const testScript = target.test === undefined ? undefined : await readSourceText(target.test)
  if (flags.dryRun) await tryHere(cli, flags, { target, bundled })
  else await publish(cli, { flags, target, bundled, testScript, release })
}

type Publication = {
  readonly flags: Flags
  readonly target: Target
  readonly bundled: Bundle
  readonly testScript: string | undefined
  readonly release: ReleaseOrder | undefined
}

async function publish(cli: Cli, publication: Publication): Promise<void> {
  const { flags, target, bundled, testScript, release } = publication
  const { client, url } = await cli.service()
  const progress = cli.progress(`Protecting ${target.entry}${filesOf(bundled)} on ${url}`)
  const onBusy = (seconds: number) => progress.say(`${url} is busy, retrying in ${seconds} s`)
  try {
    const sending = { client, signal: cli.signal, onBusy: flags.wait ? onBusy : undefined }
    const chosen = await chosenFor(cli, target, flags)
    const { notes, publishNotes } = flags
    const upload = { ...chosen, source: bundled.members(), testScript, release, notes, publishNotes }
    const sent = await send(sending, upload)
    const unkept = await remember(target, sent).catch((error: unknown) => ({ error }))
    const { build, unread } = await readReport(cli, sending, sent)
    progress.end()
    tell(cli, { url, target, sent, build })
    if (unread) cli.out.warn(`Version ${sent.version} is published, but its report can't be read: ${unread}`)
    if (sent.isNew && release) cli.out.note(FIRST)
    // Prints the result before failing, because the script has already been created. The next push finds it
    // by name.
    if (unkept) throw unkept.error
  } catch (error) {
    progress.fail()
    throw inSource(error, bundled)
  }
}

/** The version is already published, so a report that can't be read is only a warning. */
async function readReport(
  cli: Cli,
  sending: Sending,
  { script, version }: Sent,
): Promise<{ readonly build?: Build | undefined; readonly unread?: string }> {
  try {
    return { build: await patiently(sending, () => readBuild(sending.client, script, version)) }
  } catch (error) {
    if (cli.signal.aborted) throw error
    return { unread: explain(error, await cli.address()).lines.join(' ') }
  }
}

const FIRST =
  'Version 1 is the first version, so everyone gets it. Later versions can be rolled out gradually.'

/**
 * Adds the functions from `--server` to the target's options, which include the options stored with the
 * script.
 */
async function chosenFor(cli: Cli, target: Target, { server }: Flags): Promise<Target> {
  if (server === undefined) return target
  const found = await withScript(cli, target)
  return { ...found, options: await withServerNames(cli, found, server) }
}

function filesOf({ files }: Bundle): string {
  return files.length === 1
    ? ''
    : ` and ${files.length - 1} required ${files.length === 2 ? 'file' : 'files'}`
}

/** Stores the script ID, so that later pushes update the same script even if it is renamed. */
async function remember({ file }: Target, { script, isNew }: Sent): Promise<void> {
  if (file && isNew) await writeProjectFile({ ...file, settings: { ...file.settings, script } })
}

type Published = {
  readonly url: string
  readonly target: Target
  readonly sent: Sent
  readonly build: Build | undefined
}

function tell({ out }: Cli, { url, target, sent, build }: Published): void {
  const { script, isNew, version, release } = sent
  const loader = loaderLines(url, script)
  const loader_url = loaderAddress(url, script)
  out.json({ script_id: script, created: isNew, version, release, ...build, loader_url, loader })
  out.line(
    `${isNew ? 'created' : 'updated'} ${script}: version ${version} of ${target.name}${build ? `, ${describeBuild(build)}` : ''}`,
  )
  if (release) out.line(`${release.id}: ${describeStart(release)}`)
  else if (!isNew) out.line(describeEveryone(version))
  if (build) tellDetails(out, build)
  if (isLoopback(url))
    out.warn(
      `${url} is only reachable from this machine, and so is the loader. Push with --url and the server's public URL.`,
    )
  out.line(loader)
}

function tellDetails(out: Cli['out'], { tracing, server_code, suggestions, warnings }: Build): void {
  if (tracing !== undefined) out.line(`tracing: ${tracing}`)
  const moved = describeServerCode(server_code)
  if (moved !== undefined) out.line(moved)
  for (const line of describeSuggestions(suggestions)) out.line(line)
  for (const warning of warnings) out.warn(warning)
}

/** Builds like the server, so that the report is the same as for a push. */
async function tryHere(
  cli: Cli,
  { server }: Flags,
  { target, bundled }: Pick<Publication, 'target' | 'bundled'>,
): Promise<void> {
  const found = await withScript(cli, target)
  const chosen = await (server === undefined
    ? uploadOptions(cli, found)
    : withServerNames(cli, found, server))
  const read = readOptions(chosen)
  if ('errors' in read) throw new SourceFault(...read.errors.map(({ message }) => `options: ${message}`))
  const progress = cli.progress(`Protecting ${target.entry}${filesOf(bundled)} on this machine`)
  const options = { preset: choices.defaultPreset, ...read.options, ...SERVER_OPTIONS }
  const task = { source: bundled.source, options, serviceKey: randomBytes(KEY_BYTES) }
  const from = performance.now()
  const result = await obfuscateApart(task, cli.signal).finally(() => progress.end())
  if ('errors' in result) throw new SourceFault(...result.errors.map(bundled.locate))
  const { preset, sourceSize, outputSize, watermark, tracing, warnings, suggestions } = result.report
  const build = {
    version: null,
    preset,
    source_bytes: sourceSize,
    protected_bytes: outputSize,
    duration_ms: performance.now() - from,
    watermark,
    tracing,
    warnings,
    server_code: countServerCode(result.serverCode),
    suggestions,
  }
  cli.out.json({ dry_run: true, ...build })
  cli.out.line(`would push ${target.name}: ${describeBuild(build)}; nothing was uploaded`)
  tellDetails(cli.out, build)
}
