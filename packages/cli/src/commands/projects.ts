/** `scriptward projects …`: manages the account's projects. */

import {
  entriesOf,
  v1ProjectsCreate,
  v1ProjectsEdit,
  v1ProjectsGet,
  v1ProjectsList,
  v1ProjectsRemove,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { durationOf } from '../durations.ts'
import { usage } from '../faults.ts'
import { addSwitches, switchesOf } from '../on-off-options.ts'
import { printDetails } from '../output/details.ts'
import { takeNewest } from '../output/lists.ts'

const ID = ['[project]', 'Project ID (default: from scriptward.json)'] as const
const SWITCHES = {
  allow_checks: 'Allow license checks from programs not written in Lua',
  allow_fingerprint_resets: 'Allow customers to reset their own devices',
  delete_expired_users: 'Delete users 15 minutes after their key expires',
  require_chat: 'Require a linked Discord account',
  require_join_chat_server: 'Require membership in your Discord server',
  guests_need_device: 'Require an identifiable device for guests of free-for-all scripts',
} as const

export function addProjects(program: Command, around: Surroundings): void {
  const projects = program.command('projects').description('Manage projects')
  const sub = (name: string, words: string, isDefault = false) =>
    projects.command(name, { isDefault }).description(words)
  sub('list', 'List projects, newest first', true)
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  sub('add', 'Create a project and print its ID')
    .alias('create')
    .argument('<name>', 'Project name')
    .option('--support-url <url>', 'Support URL shown to customers')
    .action(acting(around, add))
  sub('show', 'Show project settings')
    .argument(...ID)
    .action(acting(around, show))
  addSwitches(
    sub('edit', 'Rename a project or change its settings')
      .argument(...ID)
      .option('--name <name>', 'New name')
      .option('--support-url <url>', "Support URL shown to customers; '' to remove it")
      .option(
        '--key-format <format>',
        "Format of new keys, such as 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'; '' to restore the default",
      )
      .option('--reset-cooldown <duration>', "Cooldown between device resets by customers, such as '1d'"),
    SWITCHES,
  ).action(acting(around, edit))
  sub('remove', 'Delete a project, including its scripts and users')
    .argument('<project>', 'Project ID')
    .requiredOption('--yes', "Confirm; you can restore the project with 'changes undo' for a few days")
    .action(acting(around, remove))
}

async function list(cli: Cli, flags: CommonFlags & { readonly limit: string }): Promise<void> {
  const { client } = await cli.service()
  const found = await takeNewest(flags.limit, (limit) =>
    entriesOf('projects', (after) =>
      v1ProjectsList({ client, query: { after, limit, order: 'newest', counts: true }, throwOnError: true }),
    ),
  )
  cli.out.rows({
    head: ['PROJECT', 'NAME', 'USERS', 'SCRIPTS', 'OPEN ERRORS', 'RUNS IN 24 HOURS', 'RUNS', 'LIVE SESSIONS'],
    rows: found.map(({ id, name, counts, total_executions, total_sessions }) => {
      const { users = 0, scripts = 0, open_errors = 0, recent_runs = 0 } = counts ?? {}
      const figures = [users, scripts, open_errors, recent_runs, total_executions, total_sessions]
      return [id, name, ...figures.map(String)]
    }),
    values: found,
    empty: 'This account has no projects yet. Create one with \'scriptward projects add "My game"\'.',
  })
}

type AddFlags = CommonFlags & { readonly supportUrl?: string }

async function add(cli: Cli, { supportUrl }: AddFlags, words: Words): Promise<void> {
  const { client } = await cli.service()
  const body = { name: words.text(0), ...(supportUrl === undefined ? {} : { support_url: supportUrl }) }
  const { project_id } = (await v1ProjectsCreate({ client, body, throwOnError: true })).data
  cli.out.json({ project_id })
  cli.out.line(project_id)
}

async function pathOf(cli: Cli, words: Words) {
  return { project_id: words.text(0) || (await cli.projectId()) }
}

async function show(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  printDetails(cli.out, (await v1ProjectsGet({ client, path, throwOnError: true })).data.project)
}

type EditFlags = AddFlags & {
  readonly name?: string
  readonly keyFormat?: string
  readonly resetCooldown?: string
}

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const { name, supportUrl, keyFormat, resetCooldown } = flags
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(supportUrl === undefined ? {} : { support_url: supportUrl }),
    ...(keyFormat === undefined ? {} : { key_format: keyFormat }),
    ...(resetCooldown === undefined ? {} : { fingerprint_reset_cooldown: durationOf(resetCooldown) }),
    ...switchesOf(SWITCHES, flags),
  }
  if (Object.keys(body).length === 0)
    throw usage("Nothing to change. See 'scriptward help projects edit' for the settings.")
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  const { project } = (await v1ProjectsEdit({ client, path, body, throwOnError: true })).data
  cli.out.json(project)
  cli.out.line(`updated ${project.id}`)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { project_id: words.text(0) }
  const { client } = await cli.service()
  const { change_id } = (await v1ProjectsRemove({ client, path, throwOnError: true })).data
  cli.out.json({ ...path, change_id: change_id ?? null, done: true })
  cli.out.line(`removed ${path.project_id}`)
  if (change_id) cli.out.note(`To undo: scriptward changes undo ${change_id}`)
}
