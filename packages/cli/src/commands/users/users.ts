/** `scriptward users …`: the keys of a project's users. Import and export are in `user-transfer.ts`. */

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
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { dateOf, durationOf, timeOf } from '../../durations.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { countOf, takeNewest } from '../../output/lists.ts'
import { clockOf } from '../plan-members.ts'
import { addBulk } from './user-bulk.ts'
import { addFilter, type FilterFlags, filterOf } from './user-filter.ts'
import { addState } from './user-state.ts'
import { addTransfer } from './user-transfer.ts'

const PROJECT = ['--project <id>', 'the project; the one of scriptward.json if left out'] as const
const EXPIRES = "when the key ends: '30d', '12h', a date, or 'never'"
const ALLOW_EXPIRED = ['--allow-expired', 'also with an end in the past'] as const
const PLAN = ['--plan <id>', "the plan that it follows, as 'plans' shows it"] as const
const PRIVATE_NOTE = ['--private-note <text>', 'a note that scripts never get'] as const
const FORMAT = [
  '--format <format>',
  "how it looks: 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'; as the project says if left out",
] as const

export function addUsers(program: Command, around: Surroundings): void {
  const users = program.command('users').description('list, make and change the keys of a project')
  const sub = (name: string, words: string, isDefault = false) =>
    users.command(name, { isDefault }).description(words)
  addFilter(sub('list', 'list users, newest first', true).option(...PROJECT))
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, list))
  addNew(sub, around)
  sub('edit', 'change a key')
    .argument('<key>')
    .option('--note <text>', "'' clears it; scripts can read it")
    .option('--private-note <text>', "'' clears it; scripts never get it")
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option('--chat <id>', "chat account of the user; '' clears it")
    .option('--plan <id>', "the plan that it follows; '' for none")
    .option('--clock <clock>', "a clock of its own: 'first_use:7d'; 'plan' for that of its plan")
    .option('--tags <tags>', "with commas between; '' for none")
    .option('--max-instances <count>', 'how many may run at once; none for no limit')
    .option('--max-executions <count>', 'how often it may run in all; none for no limit')
    .action(acting(around, edit))
  sub('extend', 'add time to keys; to one that has expired, from now on')
    .argument('<duration>', "such as '30d'")
    .argument('[keys...]', 'left out with --all')
    .option(...PROJECT)
    .option('--all', 'every key of the project that expires')
    .option('--expired', 'with --all: those that have expired, too')
    .action(acting(around, extend))
  sub('ban', 'blacklist a key')
    .argument('<key>')
    .option('--for <duration>', "how long, such as '7d'; for ever if left out")
    .option('--reason <text>', 'what the user is shown')
    .action(acting(around, ban))
  sub('unban', 'take a key off the blacklist')
    .argument('<key>')
    .action(acting(around, (cli, _, words) => change(cli, words, 'is off the blacklist', v1UsersUnblacklist)))
  sub('reset', 'unbind a key from its device, so that the next one is bound')
    .argument('<key>')
    .option('--force', 'also while the project allows no reset')
    .action(acting(around, reset))
  sub('remove', 'delete a key; its user cannot run anything any more')
    .argument('<key>')
    .requiredOption('--yes', "confirm; 'changes undo' brings it back for some days")
    .action(acting(around, (cli, _, words) => change(cli, words, 'is removed', v1UsersRemove)))
  addBulk(users, around)
  addState(users, around)
  addTransfer(users, around)
}

function addNew(sub: (name: string, words: string) => Command, around: Surroundings): void {
  sub('add', 'make a key for a user, and print it')
    .option(...PROJECT)
    .option('--note <text>', 'whose it is; scripts can read it')
    .option(...PRIVATE_NOTE)
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option('--chat <id>', 'chat account of the user')
    .option(...PLAN)
    .option(...FORMAT)
    .action(acting(around, add))
  sub('generate', 'make many keys at once, and print them')
    .argument('<amount>')
    .option(...PROJECT)
    .option('--note <text>', 'of all of them')
    .option(...PRIVATE_NOTE)
    .option('--expires <time>', EXPIRES)
    .option(...ALLOW_EXPIRED)
    .option(...PLAN)
    .option(...FORMAT)
    .action(acting(around, generate))
}

type ListFlags = CommonFlags & FilterFlags & { readonly limit: string }

async function list(cli: Cli, { limit: count, ...flags }: ListFlags): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const filter = filterOf(flags)
  const call = Object.keys(filter).length > 0 ? v1ProjectUsersFilter : v1ProjectUsersList
  const users = await takeNewest(count, (limit) =>
    entriesOf('users', (after) =>
      call({
        client,
        path: { project_id },
        query: { ...filter, after, limit, order: 'newest' },
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
        ? 'No user matches.'
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

/** A date in the past is more often a typing error than a wish. */
function endOf(cli: Cli, { expires, allowExpired }: NewFlags): number | null | undefined {
  const end = expires === undefined ? undefined : timeOf(expires, cli.now())
  if (typeof end === 'number' && end <= cli.now() && !allowExpired)
    throw usage(
      `--expires ${expires} is in the past: give a later time, or --allow-expired for an expired key.`,
    )
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
    throw usage("Nothing to change: 'scriptward help users edit' lists what can be.")
  await change(cli, words, 'is changed', (options) => v1UsersEdit({ ...options, body }))
}

/** As the service writes that a key has no end, and that a limit is taken away. */
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
  if ((flags.all === true) === keys.length > 0) throw usage('Which keys? Name them, or give --all.')
  if (flags.all) return extendAll(cli, flags, words.text(0))
  const { client } = await cli.service()
  // All are looked at first, so that a typing error in the last one leaves no half of them extended.
  const read = async (user_key: string) =>
    (await v1UsersGet({ client, path: { user_key }, throwOnError: true })).data.user
  for (const user_key of keys) {
    const { key_expires, status } = await read(user_key)
    if (key_expires === null && status !== 'not_started')
      throw new Fault(REFUSED, `${user_key} never expires, so there is nothing to extend.`)
  }
  for (const user_key of keys) {
    await v1UsersExtend({ client, path: { user_key }, body: { duration }, throwOnError: true })
    const { key_expires } = await read(user_key)
    cli.out.json({ user_key, key_expires })
    const end = key_expires === null ? `lasts ${words.text(0)} longer` : `expires at ${dateOf(key_expires)}`
    cli.out.line(`${user_key} ${end}`)
  }
}

async function extendAll(cli: Cli, { expired }: ExtendFlags, text: string): Promise<void> {
  const duration = durationOf(text)
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const body = { duration, compensate_expired: expired === true }
  await v1ProjectUsersCompensate({ client, path: { project_id }, body, throwOnError: true })
  cli.out.json({ project_id, duration })
  cli.out.line(`every key of ${project_id} that expires lasts ${text} longer`)
}

type BanFlags = CommonFlags & { readonly for?: string; readonly reason?: string }

async function ban(cli: Cli, { for: span, reason }: BanFlags, words: Words): Promise<void> {
  const expires = span === undefined ? null : cli.now() + durationOf(span)
  const body = { expires, ...(reason === undefined ? {} : { reason }) }
  const end = expires === null ? 'for ever' : `until ${dateOf(expires)}`
  await change(cli, words, `is blacklisted ${end}`, (options) => v1UsersBlacklist({ ...options, body }))
}

async function reset(cli: Cli, flags: CommonFlags & { readonly force?: true }, words: Words): Promise<void> {
  const body = { force: flags.force === true }
  await change(cli, words, 'takes the next device', (options) => v1UsersReset({ ...options, body }))
}

type ChangeOptions = {
  readonly client: Awaited<ReturnType<Cli['service']>>['client']
  readonly path: { readonly user_key: string }
  readonly throwOnError: true
}

async function change(
  cli: Cli,
  words: Words,
  done: string,
  call: (options: ChangeOptions) => Promise<unknown>,
): Promise<void> {
  const user_key = words.text(0)
  const { client } = await cli.service()
  await call({ client, path: { user_key }, throwOnError: true })
  cli.out.json({ user_key, done: true })
  cli.out.line(`${user_key} ${done}`)
}
