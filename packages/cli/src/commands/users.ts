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
  v1UsersGet,
  v1UsersRemove,
  v1UsersReset,
  v1UsersUnblacklist,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { dateOf, durationOf, timeOf } from '../durations.ts'
import { Fault, REFUSED, usage } from '../faults.ts'
import { countOf, takeNewest } from '../lists.ts'
import { addTransfer } from './user-transfer.ts'

const PROJECT = ['--project <id>', 'the project; the one of scriptward.json if left out'] as const
const EXPIRES = "when the key ends: '30d', '12h', a date, or 'never'"
const STATUSES = ['active', 'unused', 'expired', 'blacklisted', 'locked'] as const

export function addUsers(program: Command, around: Surroundings): void {
  const users = program.command('users').description('list, make and change the keys of a project')
  const sub = (name: string, words: string) => users.command(name).description(words)
  sub('list', 'list users, newest first')
    .option(...PROJECT)
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .option('--search <text>', 'only those with this in key, note or chat account')
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, list))
  sub('add', 'make a key for a user, and print it')
    .option(...PROJECT)
    .option('--note <text>', 'whose it is')
    .option('--expires <time>', EXPIRES)
    .option('--chat <id>', 'chat account of the user')
    .action(acting(around, add))
  sub('generate', 'make many keys at once, and print them')
    .argument('<amount>')
    .option(...PROJECT)
    .option('--note <text>', 'of all of them')
    .option('--expires <time>', EXPIRES)
    .action(acting(around, generate))
  sub('edit', 'change a key')
    .argument('<key>')
    .option('--note <text>', "'' clears it")
    .option('--expires <time>', EXPIRES)
    .option('--chat <id>', "chat account of the user; '' clears it")
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
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(acting(around, (cli, _, words) => change(cli, words, 'is removed', v1UsersRemove)))
  addTransfer(users, around)
}

type ListFlags = CommonFlags & {
  readonly status?: (typeof STATUSES)[number]
  readonly search?: string
  readonly limit: string
}

async function list(cli: Cli, { status, search, limit: count }: ListFlags): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const filter = { ...(status ? { status } : {}), ...(search ? { search } : {}) }
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
      expiryOf(one.key_expires),
      String(one.executions),
      one.executor ?? '-',
      one.chat_id ?? '-',
      one.note ?? '',
    ]),
    values: users,
  })
}

const expiryOf = (time: number | null) => (time === null || time < 0 ? 'never' : dateOf(time))

type NewFlags = CommonFlags & { readonly note?: string; readonly expires?: string; readonly chat?: string }

async function add(cli: Cli, flags: NewFlags): Promise<void> {
  const project_id = await cli.projectId()
  const { note, chat, expires } = flags
  const body = {
    ...(note === undefined ? {} : { note }),
    ...(chat === undefined ? {} : { chat_id: chat }),
    ...(expires === undefined ? {} : { key_expires: timeOf(expires, cli.now()) }),
  }
  const { client } = await cli.service()
  const { data } = await v1ProjectUsersCreate({ client, path: { project_id }, body, throwOnError: true })
  cli.out.json({ user_key: data.user_key })
  cli.out.line(data.user_key)
}

async function generate(cli: Cli, { note, expires }: NewFlags, words: Words): Promise<void> {
  const amount = countOf(words.text(0), 'The amount')
  const project_id = await cli.projectId()
  const body = {
    amount,
    ...(note === undefined ? {} : { note }),
    ...(expires === undefined ? {} : { keys_expire: timeOf(expires, cli.now()) }),
  }
  const { client } = await cli.service()
  const { data } = await v1ProjectUsersGenerate({ client, path: { project_id }, body, throwOnError: true })
  for (const user_key of data.user_keys) {
    cli.out.json({ user_key })
    cli.out.line(user_key)
  }
}

type EditFlags = NewFlags & { readonly maxInstances?: string; readonly maxExecutions?: string }

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const { note, chat, expires, maxInstances, maxExecutions } = flags
  const body = {
    ...(note === undefined ? {} : { note }),
    ...(chat === undefined ? {} : { chat_id: chat }),
    ...(expires === undefined ? {} : { key_expires: timeOf(expires, cli.now()) ?? NEVER }),
    ...(maxInstances === undefined ? {} : { max_instances: limitOf(maxInstances, '--max-instances') }),
    ...(maxExecutions === undefined ? {} : { max_executions: limitOf(maxExecutions, '--max-executions') }),
  }
  if (Object.keys(body).length === 0)
    throw usage('Nothing to change: give --note, --expires, --chat or a limit.')
  await change(cli, words, 'is changed', (options) => v1UsersEdit({ ...options, body }))
}

/** As the service writes that a key has no end, and that a limit is taken away. */
const NEVER = 0
const NO_LIMIT = -1

function limitOf(text: string, name: string): number {
  return text === 'none' ? NO_LIMIT : countOf(text, name)
}

type ExtendFlags = CommonFlags & { readonly all?: true; readonly expired?: true }

async function extend(cli: Cli, flags: ExtendFlags, words: Words): Promise<void> {
  const added = durationOf(words.text(0))
  const keys = words.list(1)
  if ((flags.all === true) === keys.length > 0) throw usage('Which keys? Name them, or give --all.')
  if (flags.all) return extendAll(cli, flags, words.text(0))
  const { client } = await cli.service()
  for (const user_key of keys) {
    const path = { user_key }
    const { user } = (await v1UsersGet({ client, path, throwOnError: true })).data
    if (user.key_expires === null || user.key_expires < 0)
      throw new Fault(REFUSED, `${user_key} never expires, so there is nothing to extend.`)
    const key_expires = Math.max(user.key_expires, cli.now()) + added
    await v1UsersEdit({ client, path, body: { key_expires }, throwOnError: true })
    cli.out.json({ user_key, key_expires })
    cli.out.line(`${user_key} expires at ${dateOf(key_expires)}`)
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
