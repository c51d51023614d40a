/** `scriptward scripts …`: manages a project's scripts. `push` creates scripts and versions. */

import {
  entriesOf,
  type V1ProjectScriptsActivityResponse,
  v1ProjectScriptsActivity,
  v1ProjectScriptsList,
  v1ScriptsEdit,
  v1ScriptsGet,
  v1ScriptsRemove,
  v1ScriptsToggle,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { addSwitches, switchesOf } from '../../on-off-options.ts'
import { loaderAddress } from '../../output/build-report.ts'
import { printDetails } from '../../output/details.ts'
import { takeNewest } from '../../output/lists.ts'
import { scriptOf } from './versions.ts'

const ID = ['[script]', 'Script ID (default: from scriptward.json)'] as const
const SWITCHES = {
  free_for_all: 'Allow anyone to run the script without a key',
  kick_outdated: 'End runs of older versions when a new one is published',
  require_sessions: 'Require a live session for every run',
  use_heartbeat: 'Require heartbeats from running scripts',
  report_errors: 'Report errors from runs, without private data',
  staged_releases: 'Roll out new versions gradually if the script has many customers',
  silent: 'Hide denial reasons from customers',
} as const

export function addScripts(program: Command, around: Surroundings): void {
  const scripts = program.command('scripts').description("Manage scripts; create them with 'push'")
  const sub = (name: string, words: string, isDefault = false) =>
    scripts.command(name, { isDefault }).description(words)
  sub('list', "List a project's scripts, newest first", true)
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  sub(
    'activity',
    "Show each script's open release, and its runs and crashes in the last 7 days, newest script first",
  )
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, activity))
  sub('show', 'Show script settings')
    .argument(...ID)
    .action(acting(around, show))
  addSwitches(
    sub('edit', 'Rename a script or change its settings')
      .argument(...ID)
      .option('--name <name>', 'New name')
      .option(
        '--disabled-message <text>',
        "Message shown while the script is disabled; '' to restore the default",
      )
      .option('--places <ids>', "Places in which the hub runs the script, comma-separated; '' for none")
      .option(
        '--games <ids>',
        "Games in which the hub runs the script, or 'any' for the default script; '' for none",
      ),
    SWITCHES,
  ).action(acting(around, edit))
  sub('disable', 'Disable a script and end its runs')
    .argument(...ID)
    .action(acting(around, (cli, _, words) => toggle(cli, words, false)))
  sub('enable', 'Enable a disabled script')
    .argument(...ID)
    .action(acting(around, (cli, _, words) => toggle(cli, words, true)))
  sub('remove', 'Delete a script and all its versions')
    .argument('<script>', 'Script ID')
    .requiredOption('--yes', "Confirm; you can restore the script with 'changes undo' for a few days")
    .action(acting(around, remove))
}

async function list(cli: Cli, flags: CommonFlags & { readonly limit: string }): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const found = await takeNewest(flags.limit, (limit) =>
    entriesOf('scripts', (after) =>
      v1ProjectScriptsList({
        client,
        path: { project_id },
        query: { after, limit, order: 'newest' },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['SCRIPT', 'NAME', 'STATE', 'VERSION', 'RUNS'],
    rows: found.map((one) => [
      one.id,
      one.name,
      one.enabled ? 'enabled' : 'disabled',
      String(one.version),
      String(one.total_executions),
    ]),
    values: found,
    empty: "This project has no scripts yet. Push one with 'scriptward push main.lua'.",
  })
}

type Activity = V1ProjectScriptsActivityResponse['scripts'][number]

const WEEK = 7

async function activity(cli: Cli, flags: CommonFlags & { readonly limit: string }): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const found = await takeNewest(flags.limit, (limit) =>
    entriesOf('scripts', (after) =>
      v1ProjectScriptsActivity({
        client,
        path,
        query: { after, limit, order: 'newest' },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['SCRIPT', 'VERSION', 'RUNNING', 'RUNS', 'CRASHED', 'DENIED', 'RELEASE'],
    rows: found.map(cellsOf),
    values: found,
    empty: "This project has no scripts yet. Push one with 'scriptward push main.lua'.",
  })
}

function cellsOf({ id, version, running, days, release }: Activity): string[] {
  const week = days.slice(-WEEK)
  const sum = (name: 'runs' | 'crashed' | 'denied') =>
    String(week.reduce((total, day) => total + day[name], 0))
  const open = release === null ? '-' : `${release.version} at ${release.percent}%`
  return [id, String(version), String(running), sum('runs'), sum('crashed'), sum('denied'), open]
}

async function pathOf(cli: Cli, words: Words) {
  const script = words.text(0)
  return { script_id: await scriptOf(cli, script === '' ? {} : { script }) }
}

async function show(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = await pathOf(cli, words)
  const { client, url } = await cli.service()
  const { script } = (await v1ScriptsGet({ client, path, throwOnError: true })).data
  printDetails(cli.out, { ...script, loader_url: loaderAddress(url, script.id) })
}

type EditFlags = CommonFlags & {
  readonly name?: string
  readonly disabledMessage?: string
  readonly places?: string
  readonly games?: string
}

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const { name, disabledMessage, places, games } = flags
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(disabledMessage === undefined ? {} : { disabled_message: disabledMessage }),
    ...(places === undefined ? {} : { places: idsIn(places) }),
    ...(games === undefined ? {} : { games: idsIn(games) }),
    ...switchesOf(SWITCHES, flags),
  }
  if (Object.keys(body).length === 0)
    throw usage("Nothing to change. See 'scriptward help scripts edit' for the settings.")
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  await v1ScriptsEdit({ client, path, body, throwOnError: true })
  tell(cli, path, 'updated')
}

function idsIn(list: string): string[] {
  return list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}

async function toggle(cli: Cli, words: Words, state: boolean): Promise<void> {
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  await v1ScriptsToggle({ client, path, body: { state }, throwOnError: true })
  tell(cli, path, state ? 'enabled' : 'disabled')
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { script_id: words.text(0) }
  const { client } = await cli.service()
  const { change_id } = (await v1ScriptsRemove({ client, path, throwOnError: true })).data
  tell(cli, { ...path, change_id: change_id ?? null }, 'removed')
  if (change_id) cli.out.note(`To undo: scriptward changes undo ${change_id}`)
}

function tell(
  cli: Cli,
  members: { readonly script_id: string; readonly change_id?: string | null },
  done: string,
) {
  cli.out.json({ ...members, done: true })
  cli.out.line(`${done} ${members.script_id}`)
}
