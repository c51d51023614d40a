/** `scriptward releases …`: rolls versions out to a growing percentage of customers, and rolls them back. */

import {
  entriesOf,
  type Release,
  v1ReleasesContinue,
  v1ReleasesEdit,
  v1ReleasesGet,
  v1ReleasesList,
  v1ReleasesPause,
  v1ReleasesRollBack,
  v1ReleasesStart,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'
import {
  describeEveryone,
  describeFinding,
  describeStart,
  describeState,
  releaseLines,
  shareOf,
} from '../../output/release-report.ts'
import {
  addRampOptions,
  addReleaseOptions,
  type RampFlags,
  type ReleaseFlags,
  rampOf,
  releaseOrderOf,
} from '../../source/release-order.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

const PAGE = 100
const CHANNEL = 'Channel, if no release is given (default: stable)'

type OneFlags = ScriptFlags & { readonly channel?: string }

export function addReleases(program: Command, around: Surroundings): void {
  const releases = program.command('releases').description('Roll out versions gradually, and roll them back')
  const sub = (name: string, words: string, isDefault = false) =>
    releases.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  const one = (name: string, words: string, which = 'open release') =>
    sub(name, words)
      .argument('[release]', `Release ID, from 'releases list' (default: the channel's ${which})`)
      .option('--channel <name>', CHANNEL)
  sub('list', "List a script's releases, newest first", true)
    .option('--limit <count>', 'Maximum number of results', '20')
    .action(acting(around, list))
  addReleaseOptions(sub('start', 'Release a version').argument('<version>', 'Version number')).action(
    acting(around, start),
  )
  one('show', "Show a release with its customer counts and the guard's findings", 'latest release').action(
    acting(around, show),
  )
  addRampOptions(one('edit', "Change a release's percentage, duration or guard")).action(acting(around, edit))
  one('pause', 'Pause a release at its current percentage').action(
    acting(around, (cli: Cli, flags: OneFlags, words: Words) => change(cli, flags, words, PAUSE)),
  )
  one('continue', 'Resume a release; if the guard paused it, the guard is turned off').action(
    acting(around, (cli: Cli, flags: OneFlags, words: Words) => change(cli, flags, words, CONTINUE)),
  )
  one('rollback', 'Roll everyone back to the previous version').action(
    acting(around, (cli: Cli, flags: OneFlags, words: Words) => change(cli, flags, words, ROLL_BACK)),
  )
}

async function list(cli: Cli, flags: ScriptFlags & { readonly limit: string }): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const releases = await takeNewest(flags.limit, (limit) =>
    entriesOf('releases', (after) =>
      v1ReleasesList({ client, path, query: { after, limit }, throwOnError: true }),
    ),
  )
  cli.out.rows({
    head: ['RELEASE', 'CHANNEL', 'VERSION', 'SHARE', 'STATE', 'STARTED', 'CUSTOMERS', 'HEALTHY', 'FINDING'],
    rows: releases.map((one) => [
      one.id,
      one.channel,
      String(one.version),
      `${one.percent}%`,
      describeState(one),
      cli.out.when(one.started_at),
      String(one.health.customers),
      shareOf(one.health),
      describeFinding(one.finding),
    ]),
    values: releases,
    empty: "This script has no releases yet. Start one with 'scriptward push --percent 5'.",
  })
}

async function start(cli: Cli, flags: ScriptFlags & ReleaseFlags, words: Words): Promise<void> {
  const n = versionIn(words.text(0))
  const body = releaseOrderOf(flags) ?? {}
  const path = { script_id: await scriptOf(cli, flags), n }
  const { client } = await cli.service()
  const { release } = (await v1ReleasesStart({ client, path, body, throwOnError: true })).data
  cli.out.json(release)
  cli.out.line(`started ${release.id}: ${describeStart(release)}`)
}

async function show(cli: Cli, flags: OneFlags, words: Words): Promise<void> {
  const release = await findShown(cli, flags, words.text(0))
  cli.out.json(release)
  for (const line of releaseLines(cli.out, release)) cli.out.line(line)
}

async function findShown(cli: Cli, flags: OneFlags, id: string): Promise<Release> {
  if (id === '') return findNewest(cli, flags)
  const path = { script_id: await scriptOf(cli, flags), release_id: id }
  const { client } = await cli.service()
  return (await v1ReleasesGet({ client, path, throwOnError: true })).data.release
}

async function edit(cli: Cli, flags: OneFlags & RampFlags, words: Words): Promise<void> {
  const body = rampOf(flags)
  if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass --percent, --over or --guard.')
  const path = await pathOf(cli, flags, words.text(0))
  const { client } = await cli.service()
  const { release } = (await v1ReleasesEdit({ client, path, body, throwOnError: true })).data
  cli.out.json(release)
  cli.out.line(`updated ${release.id}: ${describeStart(release)}`)
}

const PAUSE = {
  call: v1ReleasesPause,
  done: ({ id, percent }: Release) => `paused ${id} at ${percent}%`,
}
const CONTINUE = {
  call: v1ReleasesContinue,
  done: (release: Release) => `continued ${release.id}: ${describeStart(release)}`,
}
const ROLL_BACK = {
  call: v1ReleasesRollBack,
  done: ({ id, version_before, channel }: Release) =>
    `rolled back ${id}: ${describeEveryone(version_before, channel)}`,
}

async function change(
  cli: Cli,
  flags: OneFlags,
  words: Words,
  { call, done }: typeof PAUSE | typeof CONTINUE | typeof ROLL_BACK,
): Promise<void> {
  const path = await pathOf(cli, flags, words.text(0))
  const { client } = await cli.service()
  const { release } = (await call({ client, path, throwOnError: true })).data
  cli.out.json(release)
  cli.out.line(done(release))
}

/** Without an ID, returns the channel's open release. */
async function pathOf(cli: Cli, flags: OneFlags, id: string) {
  const script_id = await scriptOf(cli, flags)
  if (id !== '') return { script_id, release_id: id }
  const newest = await findNewest(cli, flags)
  if (newest.ended_at === null) return { script_id, release_id: newest.id }
  const { channel } = newest
  const other =
    channel === 'stable'
      ? "To make another version live, run 'scriptward activate <version>'."
      : `To give the channel another version, run 'scriptward channels set ${channel} --script-version <version>'.`
  throw usage(
    `No release is open on the ${channel} channel. The last one was ${newest.id} (${describeState(newest)}). ${other}`,
  )
}

/** Finds the latest release of the channel. No other release can be open. */
async function findNewest(cli: Cli, { channel = 'stable', ...flags }: OneFlags): Promise<Release> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const releases = entriesOf('releases', (after) =>
    v1ReleasesList({ client, path, query: { after, limit: PAGE }, throwOnError: true }),
  )
  for await (const release of releases) if (release.channel === channel) return release
  throw usage(
    `The ${channel} channel has no releases yet. Start one with 'scriptward releases start <version>'.`,
  )
}
