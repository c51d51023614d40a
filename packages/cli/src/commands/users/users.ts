/** `scriptward users …`: manages a project's users and their keys. */

import {
  entriesOf,
  v1ProjectUsersCompensate,
  v1ProjectUsersCreate,
  v1ProjectUsersFilter,
  v1ProjectUsersGenerate,
  v1ProjectUsersList,
  v1UsersBlacklist,
  v1UsersEdit,
  v1UsersExtend,
  v1UsersGet,
  v1UsersRemove,
  v1UsersReset,
  v1UsersUnblacklist,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { dateOf, durationOf, timeOf } from '../../durations.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { countOf, takeNewest } from '../../output/lists.ts'
import { clockOf } from '../plan-members.ts'
import { addBulk } from './user-bulk.ts'
import { addFilter, type FilterFlags, filterOf } from './user-filter.ts'
import { addState } from './user-state.ts'
import { addTransfer } from './user-transfer.ts'

const PROJECT = ['--project <id>', 'Project ID (default: from scriptward.json)'] as const
const EXPIRES = "Key expiry: '30d', '12h', a date, or 'never'"
const ALLOW_EXPIRED = ['--allow-expired', 'Allow an expiry in the past'] as const
const PLAN = ['--plan <id>', "Plan ID, from 'plans list'"] as const
const PRIVATE_NOTE = ['--private-note <text>', 'Private note, never visible to scripts'] as const
const SORTS = ['created', 'expires', 'last_used', 'note'] as const
const ORDERS = ['asc', 'desc'] as const
const FORMAT = [
  '--format <format>',
  "Key format, such as 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X' (default: from the project)",
] as const

export function addUsers(program: Command, around: Surroundings): void {
  const users = program.command('users').description('Manage users and their keys')
  const sub = (name: string, words: string, isDefault = false) =>
    users.command(name, { isDefault }).description(words)
  addFilter(sub('list', 'List users, newest first', true).option(...PROJECT))
    .addOption(new Option('--sort <field>', 'Field to sort by').choices(SORTS).default('created'))
    .addOption(
      new Option(
        '--order <order>',
        'Sort order (default: desc for created and last_used, otherwise asc)',
      ).choices(ORDERS),
    )
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  addNew(sub, around)
  sub('edit', 'Edit a user')
    .argument('<key>', 'User key')
    .option('--note <text>', "Note, visible to scripts; '' to clear")
    .option('--private-note <text>', "Private note, never visible to scripts; '' to clear")
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option('--chat <id>', "Discord account ID; '' to clear")
    .option('--plan <id>', "Plan ID; '' to remove the user from their plan")
    .option('--clock <clock>', "Validity of this key, such as 'first_use:7d'; 'plan' to use the plan's")
    .option('--tags <tags>', "Tags, comma-separated; '' to remove all")
    .option('--max-instances <count>', "Maximum concurrent runs, or 'none' for no limit")
    .option('--max-executions <count>', "Maximum total runs, or 'none' for no limit")
    .action(acting(around, edit))
  sub('extend', 'Add time to keys; expired keys are extended from now')
    .argument('<duration>', "Time to add, such as '30d'")
    .argument('[keys...]', 'User keys; omit with --all')
    .option(...PROJECT)
    .option('--all', 'Extend all keys in the project that can expire')
    .option('--expired', 'With --all: include expired keys')
    .action(acting(around, extend))
  sub('ban', 'Block a user')
    .argument('<key>', 'User key')
    .option('--for <duration>', "Duration, such as '7d' (default: permanent)")
    .option('--reason <text>', 'Reason shown to the customer')
    .action(acting(around, ban))
  sub('unban', 'Unblock a user')
    .argument('<key>', 'User key')
    .action(
      acting(around, (cli, _, words) => change(cli, words, (key) => `unblocked ${key}`, v1UsersUnblacklist)),
    )
  sub('reset', 'Unbind all devices from a key; its next run binds a new one')
    .argument('<key>', 'User key')
    .option('--force', "Ignore the project's reset cooldown")
    .action(acting(around, reset))
  sub('remove', 'Delete a user; their key stops working')
    .argument('<key>', 'User key')
    .requiredOption('--yes', "Confirm; you can restore the user with 'changes undo' for a few days")
    .action(acting(around, (cli, _, words) => change(cli, words, (key) => `removed ${key}`, v1UsersRemove)))
  addBulk(users, around)
  addState(users, around)
  addTransfer(users, around)
}

function addNew(sub: (name: string, words: string) => Command, around: Surroundings): void {
  sub('add', 'Create a user and print their key')
    .option(...PROJECT)
    .option('--note <text>', 'Note, visible to scripts')
    .option(...PRIVATE_NOTE)
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option('--chat <id>', 'Discord account ID')
    .option(...PLAN)
    .option(...FORMAT)
    .action(acting(around, add))
  sub('generate', 'Create many keys and print them')
    .argument('<amount>', 'Number of keys')
    .option(...PROJECT)
    .option('--note <text>', 'Note for all keys, visible to scripts')
    .option(...PRIVATE_NOTE)
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option(...PLAN)
    .option(...FORMAT)
    .action(acting(around, generate))
}

type ListFlags = CommonFlags &
  FilterFlags & {
    readonly limit: string
    readonly sort: (typeof SORTS)[number]
    readonly order?: (typeof ORDERS)[number]
  }

async function list(cli: Cli, { limit: count, sort, ...flags }: ListFlags): Promise<void> {
  // Lists sorted by creation or last run show the newest user first by default.
  const { order = sort === 'created' || sort === 'last_used' ? 'desc' : 'asc' } = flags
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const filter = filterOf(flags)
  const call = Object.keys(filter).length > 0 ? v1ProjectUsersFilter : v1ProjectUsersList
  const users = await takeNewest(count, (limit) =>
    entriesOf('users', (after) =>
      call({
        client,
        path: { project_id },
        query: { ...filter, after, limit, sort, order },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['KEY', 'STATUS', 'EXPIRES', 'RUNS', 'EXECUTOR', 'CHAT', 'NOTE'],
    rows: users.map((one) => [
      one.key,
      one.status,
      one.key_expires === null || one.key_expires < 0 ? 'never' : cli.out.when(one.key_expires),
      String(one.executions),
      one.executor ?? '-',
      one.chat_id ?? '-',
      one.note ?? '',
    ]),
    values: users,
    empty:
      Object.keys(filter).length > 0
        ? 'No matching users.'
        : "This project has no users yet. Add one with 'scriptward users add'.",
  })
}

type NewFlags = CommonFlags & {
  readonly note?: string
  readonly privateNote?: string
  readonly expires?: string
  readonly allowExpired?: true
  readonly chat?: string
  readonly plan?: string
  readonly format?: string
}

/** An expiry in the past is usually a typo, so it needs `--allow-expired`. */
function endOf(cli: Cli, { expires, allowExpired }: NewFlags): number | null | undefined {
  const end = expires === undefined ? undefined : timeOf(expires, cli.now())
  if (typeof end === 'number' && end <= cli.now() && !allowExpired)
    throw usage(`--expires ${expires} is in the past. Choose a later time, or pass --allow-expired.`)
  return end
}

async function add(cli: Cli, flags: NewFlags): Promise<void> {
  const end = endOf(cli, flags)
  const project_id = await cli.projectId()
  const { note, privateNote, chat, plan, format } = flags
  const body = {
    ...(note === undefined ? {} : { note }),
    ...(privateNote === undefined ? {} : { private_note: privateNote }),
    ...(chat === undefined ? {} : { chat_id: chat }),
    ...(end === undefined ? {} : { key_expires: end }),
    ...(plan === undefined ? {} : { plan_id: plan }),
    ...(format === undefined ? {} : { format }),
  }
  const { client } = await cli.service()
  const { data } = await v1ProjectUsersCreate({ client, path: { project_id }, body, throwOnError: true })
  cli.out.json({ user_key: data.user_key })
  cli.out.line(data.user_key)
}

async function generate(cli: Cli, flags: NewFlags, words: Words): Promise<void> {
  const end = endOf(cli, flags)
  const { note, privateNote, plan, format } = flags
  const amount = countOf(words.text(0), 'The amount')
  const project_id = await cli.projectId()
  const body = {
    amount,
    ...(note === undefined ? {} : { note }),
    ...(privateNote === undefined ? {} : { private_note: privateNote }),
    ...(end === undefined ? {} : { keys_expire: end }),
    ...(plan === undefined ? {} : { plan_id: plan }),
    ...(format === undefined ? {} : { format }),
  }
  const { client } = await cli.service()
  const { data } = await v1ProjectUsersGenerate({ client, path: { project_id }, body, throwOnError: true })
  for (const user_key of data.user_keys) {
    cli.out.json({ user_key })
    cli.out.line(user_key)
  }
}

type EditFlags = NewFlags & {
  readonly clock?: string
  readonly tags?: string
  readonly maxInstances?: string
  readonly maxExecutions?: string
}

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const end = endOf(cli, flags)
  const { note, privateNote, chat, plan, clock, tags, maxInstances, maxExecutions } = flags
  const body = {
    ...(note === undefined ? {} : { note }),
    ...(privateNote === undefined ? {} : { private_note: privateNote }),
    ...(chat === undefined ? {} : { chat_id: chat }),
    ...(end === undefined ? {} : { key_expires: end ?? NEVER }),
    ...(plan === undefined ? {} : { plan_id: plan }),
    ...(clock === undefined ? {} : { clock: clock === 'plan' ? OF_PLAN : clockOf(clock) }),
    ...(tags === undefined
      ? {}
      : {
          tags: tags
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean),
        }),
    ...(maxInstances === undefined ? {} : { max_instances: limitOf(maxInstances, '--max-instances') }),
    ...(maxExecutions === undefined ? {} : { max_executions: limitOf(maxExecutions, '--max-executions') }),
  }
  if (Object.keys(body).length === 0)
    throw usage("Nothing to change. See 'scriptward help users edit' for the available options.")
  await change(
    cli,
    words,
    (key) => `updated ${key}`,
    (options) => v1UsersEdit({ ...options, body }),
  )
}

/** The API's values for a key without an expiry date and for a removed limit. */
const NEVER = 0
const NO_LIMIT = -1
const OF_PLAN = { basis: 'plan' } as const

function limitOf(text: string, name: string): number {
  return text === 'none' ? NO_LIMIT : countOf(text, name)
}

type ExtendFlags = CommonFlags & { readonly all?: true; readonly expired?: true }

async function extend(cli: Cli, flags: ExtendFlags, words: Words): Promise<void> {
  const duration = durationOf(words.text(0))
  const keys = words.list(1)
  if ((flags.all === true) === keys.length > 0) throw usage('Pass either keys or --all, not both.')
  if (flags.all) return extendAll(cli, flags, words.text(0))
  const { client } = await cli.service()
  // Checks every key before extending any. Otherwise, a typo in one key would leave the command half
  // finished.
  const read = async (user_key: string) =>
    (await v1UsersGet({ client, path: { user_key }, throwOnError: true })).data.user
  for (const user_key of keys) {
    const { key_expires, status } = await read(user_key)
    if (key_expires === null && status !== 'not_started')
      throw new Fault(REFUSED, `${user_key} never expires, so it can't be extended.`)
  }
  for (const user_key of keys) {
    await v1UsersExtend({ client, path: { user_key }, body: { duration }, throwOnError: true })
    const { key_expires } = await read(user_key)
    cli.out.json({ user_key, key_expires })
    const end = key_expires === null ? '' : `; expires ${dateOf(key_expires)}`
    cli.out.line(`extended ${user_key} by ${words.text(0)}${end}`)
  }
}

async function extendAll(cli: Cli, { expired }: ExtendFlags, text: string): Promise<void> {
  const duration = durationOf(text)
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const body = { duration, compensate_expired: expired === true }
  await v1ProjectUsersCompensate({ client, path: { project_id }, body, throwOnError: true })
  cli.out.json({ project_id, duration })
  cli.out.line(`extended all expiring keys of ${project_id} by ${text}`)
}

type BanFlags = CommonFlags & { readonly for?: string; readonly reason?: string }

async function ban(cli: Cli, { for: span, reason }: BanFlags, words: Words): Promise<void> {
  const expires = span === undefined ? null : cli.now() + durationOf(span)
  const body = { expires, ...(reason === undefined ? {} : { reason }) }
  const end = expires === null ? 'permanently' : `until ${dateOf(expires)}`
  await change(
    cli,
    words,
    (key) => `blocked ${key} ${end}`,
    (options) => v1UsersBlacklist({ ...options, body }),
  )
}

async function reset(cli: Cli, flags: CommonFlags & { readonly force?: true }, words: Words): Promise<void> {
  const body = { force: flags.force === true }
  await change(
    cli,
    words,
    (key) => `reset ${key}; its next run binds a new device`,
    (options) => v1UsersReset({ ...options, body }),
  )
}

type ChangeOptions = {
  readonly client: Awaited<ReturnType<Cli['service']>>['client']
  readonly path: { readonly user_key: string }
  readonly throwOnError: true
}

async function change(
  cli: Cli,
  words: Words,
  done: (key: string) => string,
  call: (options: ChangeOptions) => Promise<unknown>,
): Promise<void> {
  const user_key = words.text(0)
  const { client } = await cli.service()
  await call({ client, path: { user_key }, throwOnError: true })
  cli.out.json({ user_key, done: true })
  cli.out.line(done(user_key))
}
