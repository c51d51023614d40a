/** `scriptward bans …`: blocks devices, networks and Discord accounts, regardless of the key. */

import { entriesOf, v1BansCreate, v1BansEdit, v1BansList, v1BansRemove } from '@scriptward/sdk'
import { Argument, type Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { dateOf, durationOf, timeOf } from '../../durations.ts'
import { usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'

/** The API's value for a block without an expiry date. */
const NEVER = 0
const KINDS = ['device', 'network', 'chat'] as const

export function addBans(program: Command, around: Surroundings): void {
  const bans = program.command('bans').description('Block devices, networks or Discord accounts')
  const sub = (name: string, words: string, isDefault = false) =>
    bans
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('list', 'List blocks, newest first', true)
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  sub('add', 'Block a device, network or Discord account and end its runs')
    .addArgument(new Argument('<kind>', 'Type of block').choices(KINDS))
    .argument('[value]', 'Network or Discord account ID; omit with --user')
    .option('--user <key>', "User key; blocks that user's devices, last network or Discord account")
    .option('--for <duration>', "Duration, such as '7d' (default: permanent)")
    .option('--reason <text>', 'Reason shown to the customer')
    .action(acting(around, add))
  sub('edit', 'Change the expiry or reason of a block')
    .argument('<ban>', "Block ID, from 'bans list'")
    .option('--for <duration>', "Duration from now, such as '7d', or 'never' for a permanent block")
    .option('--reason <text>', "Reason shown to the customer; '' to remove it")
    .action(acting(around, edit))
  sub('remove', 'Remove a block')
    .argument('<ban>', "Block ID, from 'bans list'")
    .action(acting(around, remove))
}

async function list(cli: Cli, { limit: count }: CommonFlags & { readonly limit: string }): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const found = await takeNewest(count, (limit) =>
    entriesOf('bans', (after) =>
      v1BansList({ client, path: { project_id }, query: { after, limit }, throwOnError: true }),
    ),
  )
  cli.out.rows({
    head: ['BLOCK', 'KIND', 'VALUE', 'EXPIRES', 'REASON'],
    rows: found.map((one) => [one.id, one.kind, one.value, cli.out.when(one.expires), one.reason ?? '']),
    values: found,
    empty: "This project has no blocks. Add one with 'scriptward bans add network 203.0.113.0/24'.",
  })
}

type AddFlags = CommonFlags & { readonly user?: string; readonly for?: string; readonly reason?: string }

async function add(cli: Cli, { user, for: span, reason }: AddFlags, words: Words): Promise<void> {
  const kind = words.text(0) as (typeof KINDS)[number]
  const value = words.text(1)
  if ((user === undefined) === (value === ''))
    throw usage('Nothing to block. Pass a network or Discord account ID, or --user with a key.')
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const body = {
    kind,
    ...(user === undefined ? { value } : { user_key: user }),
    ...(reason === undefined ? {} : { reason }),
    ...(span === undefined ? {} : { expires: cli.now() + durationOf(span) }),
  }
  const { data } = await v1BansCreate({ client, path: { project_id }, body, throwOnError: true })
  const { ban } = data
  cli.out.json(ban)
  cli.out.line(`${ban.id} blocks ${ban.kind} ${ban.value}`)
}

async function edit(cli: Cli, { for: span, reason }: AddFlags, words: Words): Promise<void> {
  const body = {
    ...(span === undefined ? {} : { expires: timeOf(span, cli.now()) ?? NEVER }),
    ...(reason === undefined ? {} : { reason }),
  }
  if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass --for or --reason.')
  const path = { project_id: await cli.projectId(), ban_id: words.text(0) }
  const { client } = await cli.service()
  const { ban } = (await v1BansEdit({ client, path, body, throwOnError: true })).data
  cli.out.json(ban)
  const end = ban.expires === null ? 'permanently' : `until ${dateOf(ban.expires)}`
  cli.out.line(`${ban.id} blocks ${ban.kind} ${ban.value} ${end}`)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { project_id: await cli.projectId(), ban_id: words.text(0) }
  const { client } = await cli.service()
  await v1BansRemove({ client, path, throwOnError: true })
  cli.out.json({ ban_id: path.ban_id, done: true })
  cli.out.line(`removed ${path.ban_id}`)
}
