/** `scriptward webhooks add` and what is done with an address: the ten that a project may have beside its three. */

import type { V1WebhooksEditData } from '@scriptward/sdk'
import {
  v1WebhooksCreate,
  v1WebhooksEdit,
  v1WebhooksRecover,
  v1WebhooksRemove,
  v1WebhooksRotate,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { dateOf, durationOf, timeOf } from '../durations.ts'
import { usage } from '../faults.ts'

type Members = NonNullable<V1WebhooksEditData['body']>

const EVENTS = [
  '--events <types>',
  "only these, such as 'user.expiring,user.expired'; 'all' for all",
] as const
const SCRIPTS = [
  '--scripts <ids>',
  "only events of these scripts, with commas between; 'all' for all",
] as const
const ID = ['<webhook>', "id of the address, as 'webhooks list' shows it"] as const

/** A command with the option that names the project. */
export type Sub = (name: string, words: string, isDefault?: boolean) => Command

export function addAddresses(sub: Sub, around: Surroundings): void {
  sub('add', 'add an address beside the three of the project, and print its secret')
    .argument('<address>', 'such as https://shop.example.com/hook')
    .requiredOption('--name <text>', 'whose it is')
    .option(...EVENTS)
    .option(...SCRIPTS)
    .action(acting(around, add))
  sub('edit', 'change an address that was added')
    .argument(...ID)
    .option('--name <text>', 'whose it is')
    .option('--address <address>', 'where it sends to')
    .option(...EVENTS)
    .option(...SCRIPTS)
    .option('--on', 'send to it again')
    .option('--off', 'drop what waits, and send nothing')
    .action(acting(around, edit))
  sub('rotate', 'make a new secret for an address, and print it')
    .argument('<webhook>', 'id of an address, or execution, information or blacklist')
    .option('--overlap <duration>', "how long the old one signs too, such as '1h'; at most 1d")
    .action(acting(around, rotate))
  sub('remove', 'remove an address that was added, with what waits for it')
    .argument(...ID)
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(acting(around, remove))
  sub('recover', 'send an address again what happened since a time')
    .argument('<webhook>', 'id of an address, or execution, information or blacklist')
    .requiredOption('--since <time>', "how long ago, such as '12h', or a date")
    .option('--undelivered', 'only what it did not take')
    .action(acting(around, recover))
}

type EditFlags = CommonFlags & {
  readonly name?: string
  readonly address?: string
  readonly events?: string
  readonly scripts?: string
  readonly on?: true
  readonly off?: true
}

/** The service refuses types that it does not know, and names them. */
function filtersOf({ events, scripts }: EditFlags): Pick<Members, 'events' | 'scripts'> {
  return {
    ...(events === undefined ? {} : { events: listOf(events) as Members['events'] & {} }),
    ...(scripts === undefined ? {} : { scripts: listOf(scripts) }),
  }
}

function listOf(text: string): string[] | null {
  return text === 'all' ? null : text.split(',').map((one) => one.trim())
}

async function add(cli: Cli, flags: EditFlags & { readonly name: string }, words: Words): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const body = { name: flags.name, address: words.text(0), ...filtersOf(flags) }
  const { webhook } = (await v1WebhooksCreate({ client, path: { project_id }, body, throwOnError: true }))
    .data
  printSecret(cli, webhook)
}

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const { name, address, on, off } = flags
  if (on && off) throw usage('Give --on or --off, not both.')
  const body: Members = {
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
    ...filtersOf(flags),
    ...(on || off ? { enabled: on === true } : {}),
  }
  if (Object.keys(body).length === 0)
    throw usage('Nothing to change: give --name, --address, --events, --scripts, --on or --off.')
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  await v1WebhooksEdit({ client, path, body, throwOnError: true })
  cli.out.json({ webhook_id: path.webhook_id, done: true })
  cli.out.line(`${path.webhook_id} is changed`)
}

async function rotate(cli: Cli, { overlap }: CommonFlags & { readonly overlap?: string }, words: Words) {
  const body = overlap === undefined ? {} : { overlap_ms: durationOf(overlap) }
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  printSecret(cli, (await v1WebhooksRotate({ client, path, body, throwOnError: true })).data.webhook)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  await v1WebhooksRemove({ client, path, throwOnError: true })
  cli.out.json({ webhook_id: path.webhook_id, done: true })
  cli.out.line(`${path.webhook_id} is removed`)
}

type RecoverFlags = CommonFlags & { readonly since: string; readonly undelivered?: true }

async function recover(cli: Cli, { since: text, undelivered }: RecoverFlags, words: Words): Promise<void> {
  const time = timeOf(text, cli.now())
  if (time === null) throw usage("--since must be a time: how long ago, such as '12h', or a date.")
  // A duration is one into the past here.
  const since = time > cli.now() ? cli.now() - durationOf(text) : time
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  const body = { since, undelivered_only: undelivered === true }
  const { recovered, left_out } = (await v1WebhooksRecover({ client, path, body, throwOnError: true })).data
  cli.out.json({ webhook_id: path.webhook_id, since, recovered, left_out })
  const older = left_out > 0 ? `; ${left_out} older ones are not` : ''
  cli.out.line(`${recovered} events since ${dateOf(since)} are sent again${older}`)
}

async function pathOf(cli: Cli, words: Words) {
  return { project_id: await cli.projectId(), webhook_id: words.text(0) }
}

/** Alone on the line: receivers are set up with it. */
function printSecret(
  cli: Cli,
  { id, secret }: { readonly id: string; readonly secret: string | null },
): void {
  cli.out.json({ webhook_id: id, secret })
  cli.out.note(`${id} signs with this secret:`)
  cli.out.line(secret ?? '-')
}
