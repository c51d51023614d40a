/** `scriptward bans …`: devices, networks and chat accounts that a project keeps out, whatever their key. */

import { entriesOf, v1BansCreate, v1BansEdit, v1BansList, v1BansRemove } from '@scriptward/sdk'
import { Argument, type Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { dateOf, durationOf, timeOf } from '../../durations.ts'
import { usage } from '../../faults.ts'
import { takeNewest } from '../../output/lists.ts'

/** As the service writes that a ban has no end. */
const NEVER = 0
const KINDS = ['device', 'network', 'chat'] as const

export function addBans(program: Command, around: Surroundings): void {
  const bans = program
    .command('bans')
    .description('keep devices, networks and chat accounts out of a project')
  const sub = (name: string, words: string, isDefault = false) =>
    bans
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'the project; the one of scriptward.json if left out')
  sub('list', 'list bans, newest first', true)
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, list))
  sub('add', 'ban, and end what runs with it')
    .addArgument(new Argument('<kind>').choices(KINDS))
    .argument('[value]', 'the network or the chat id; left out with --user')
    .option('--user <key>', 'take the devices, the last network or the chat account of this key')
    .option('--for <duration>', "how long, such as '7d'; for ever if left out")
    .option('--reason <text>', 'what the user is shown')
    .action(acting(around, add))
  sub('edit', 'change the end or the reason of a ban')
    .argument('<ban>')
    .option('--for <duration>', "how long from now on, such as '7d'; never for no end")
    .option('--reason <text>', "what the user is shown; '' for nothing")
    .action(acting(around, edit))
  sub('remove', 'remove a ban').argument('<ban>').action(acting(around, remove))
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
    head: ['BAN', 'KIND', 'WHAT', 'UNTIL', 'REASON'],
    rows: found.map((one) => [one.id, one.kind, one.value, cli.out.when(one.expires), one.reason ?? '']),
    values: found,
    empty: "This project has no bans. Add one with 'scriptward bans add network 203.0.113.0/24'.",
  })
}

type AddFlags = CommonFlags & { readonly user?: string; readonly for?: string; readonly reason?: string }

async function add(cli: Cli, { user, for: span, reason }: AddFlags, words: Words): Promise<void> {
  const kind = words.text(0) as (typeof KINDS)[number]
  const value = words.text(1)
  if ((user === undefined) === (value === ''))
    throw usage('Ban what? Give a network or a chat id, or --user with a key.')
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
  cli.out.line(`${ban.id} keeps out ${ban.kind} ${ban.value}`)
}

async function edit(cli: Cli, { for: span, reason }: AddFlags, words: Words): Promise<void> {
  const body = {
    ...(span === undefined ? {} : { expires: timeOf(span, cli.now()) ?? NEVER }),
    ...(reason === undefined ? {} : { reason }),
  }
  if (Object.keys(body).length === 0) throw usage('Nothing to change: give --for or --reason.')
  const path = { project_id: await cli.projectId(), ban_id: words.text(0) }
  const { client } = await cli.service()
  const { ban } = (await v1BansEdit({ client, path, body, throwOnError: true })).data
  cli.out.json(ban)
  const end = ban.expires === null ? 'for ever' : `until ${dateOf(ban.expires)}`
  cli.out.line(`${ban.id} keeps out ${ban.kind} ${ban.value} ${end}`)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { project_id: await cli.projectId(), ban_id: words.text(0) }
  const { client } = await cli.service()
  await v1BansRemove({ client, path, throwOnError: true })
  cli.out.json({ ban_id: path.ban_id, done: true })
  cli.out.line(`${path.ban_id} is removed`)
}
