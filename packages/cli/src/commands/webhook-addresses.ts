/**
 * `scriptward webhooks add`, `edit`, `rotate`, `remove` and `recover`: manages webhook endpoints other than
 * the three built-in ones.
 */

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

const EVENTS = ['--events <types>', "Event types, such as 'user.expiring,user.expired', or 'all'"] as const
const SCRIPTS = ['--scripts <ids>', "Script IDs, comma-separated, or 'all'"] as const
const ID = ['<webhook>', "Endpoint ID, from 'webhooks list'"] as const

/** Adds a subcommand with the `--project` option. */
export type Sub = (name: string, words: string, isDefault?: boolean) => Command

export function addAddresses(sub: Sub, around: Surroundings): void {
  sub('add', 'Add an endpoint and print its secret')
    .argument('<url>', 'Endpoint URL, such as https://shop.example.com/hook')
    .requiredOption('--name <text>', 'Endpoint name')
    .option(...EVENTS)
    .option(...SCRIPTS)
    .action(acting(around, add))
  sub('edit', 'Edit an endpoint')
    .argument(...ID)
    .option('--name <text>', 'Endpoint name')
    .option('--address <url>', 'New URL')
    .option(...EVENTS)
    .option(...SCRIPTS)
    .option('--on', 'Enable the endpoint')
    .option('--off', 'Disable the endpoint and drop its pending deliveries')
    .action(acting(around, edit))
  sub('rotate', "Rotate an endpoint's secret and print the new one")
    .argument('<webhook>', "Endpoint ID, or 'execution', 'information' or 'blacklist'")
    .option('--overlap <duration>', "Grace period for the old secret, such as '1h'; at most 1d")
    .action(acting(around, rotate))
  sub('remove', 'Delete an endpoint and its pending deliveries')
    .argument(...ID)
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, remove))
  sub('recover', 'Replay events to an endpoint')
    .argument('<webhook>', "Endpoint ID, or 'execution', 'information' or 'blacklist'")
    .requiredOption('--since <time>', "Start time: a date, or a duration before now such as '12h'")
    .option('--undelivered', 'Replay only events that were not delivered')
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

/** Event types are not checked here: the API rejects unknown ones by name. */
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
  if (on && off) throw usage('Pass either --on or --off, not both.')
  const body: Members = {
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
    ...filtersOf(flags),
    ...(on || off ? { enabled: on === true } : {}),
  }
  if (Object.keys(body).length === 0)
    throw usage('Nothing to change. Pass --name, --address, --events, --scripts, --on or --off.')
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  await v1WebhooksEdit({ client, path, body, throwOnError: true })
  cli.out.json({ webhook_id: path.webhook_id, done: true })
  cli.out.line(`updated ${path.webhook_id}`)
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
  cli.out.line(`removed ${path.webhook_id}`)
}

type RecoverFlags = CommonFlags & { readonly since: string; readonly undelivered?: true }

async function recover(cli: Cli, { since: text, undelivered }: RecoverFlags, words: Words): Promise<void> {
  const time = timeOf(text, cli.now())
  if (time === null) throw usage("--since must be a duration such as '12h', or a date.")
  // `timeOf` adds a duration to the current time, but this option specifies a time in the past.
  const since = time > cli.now() ? cli.now() - durationOf(text) : time
  const path = await pathOf(cli, words)
  const { client } = await cli.service()
  const body = { since, undelivered_only: undelivered === true }
  const { recovered, left_out } = (await v1WebhooksRecover({ client, path, body, throwOnError: true })).data
  cli.out.json({ webhook_id: path.webhook_id, since, recovered, left_out })
  const older = left_out > 0 ? `; skipped ${left_out} older events` : ''
  cli.out.line(
    `replaying ${recovered} ${recovered === 1 ? 'event' : 'events'} since ${dateOf(since)}${older}`,
  )
}

async function pathOf(cli: Cli, words: Words) {
  return { project_id: await cli.projectId(), webhook_id: words.text(0) }
}

/** Prints only the secret to standard output, so that a shell script can capture it. */
function printSecret(
  cli: Cli,
  { id, secret }: { readonly id: string; readonly secret: string | null },
): void {
  cli.out.json({ webhook_id: id, secret })
  cli.out.note(`Signing secret of ${id}:`)
  cli.out.line(secret ?? '-')
}
