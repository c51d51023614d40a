/** `scriptward webhooks …`: what was sent to the addresses of a project, and sending it again. */

import {
  entriesOf,
  v1WebhooksDeliveries,
  v1WebhooksList,
  v1WebhooksRedeliver,
  v1WebhooksTest,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { takeNewest } from '../output/lists.ts'
import { addAddresses, type Sub } from './webhook-addresses.ts'

const STATES = ['pending', 'delivered', 'failed', 'dropped'] as const

export function addWebhooks(program: Command, around: Surroundings): void {
  const webhooks = program
    .command('webhooks')
    .description('manage addresses, look at deliveries, send them again')
  const sub: Sub = (name, words, isDefault = false) =>
    webhooks
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'the project; the one of scriptward.json if left out')
  sub('list', 'list the addresses and how they do', true).action(acting(around, list))
  sub('deliveries', 'list what was sent, newest first')
    .addOption(new Option('--state <state>', 'only these').choices(STATES))
    .option('--type <event>', 'only this event, such as execution.granted')
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, deliveries))
  sub('resend', 'send deliveries again').argument('<ids...>').action(acting(around, resend))
  sub('test', 'send a test event to an address')
    .argument('<webhook>', 'execution, information, blacklist, or the id of another')
    .action(acting(around, test))
  addAddresses(sub, around)
}

async function list(cli: Cli): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { webhooks } = (await v1WebhooksList({ client, path: { project_id }, throwOnError: true })).data
  cli.out.rows({
    head: ['WEBHOOK', 'NAME', 'STATE', 'WAITING', 'FAILURES', 'ADDRESS'],
    rows: webhooks.map((one) => [
      one.id,
      one.name ?? '-',
      one.state,
      String(one.waiting),
      String(one.failures),
      one.address,
    ]),
    // Their secrets are for receivers, not for logs.
    values: webhooks.map(({ secret: _, ...one }) => one),
    empty: "This project has no webhooks yet. Add one with 'scriptward webhooks add https://… --name Shop'.",
  })
}

type ListFlags = CommonFlags & {
  readonly state?: (typeof STATES)[number]
  readonly type?: string
  readonly limit: string
}

async function deliveries(cli: Cli, { state, type, limit: count }: ListFlags): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const filter = { ...(state ? { state } : {}), ...(type ? { type } : {}) }
  const found = await takeNewest(count, (limit) =>
    entriesOf('deliveries', (after) =>
      v1WebhooksDeliveries({
        client,
        path: { project_id },
        query: { ...filter, after, limit },
        throwOnError: true,
      }),
    ),
  )
  cli.out.rows({
    head: ['DELIVERY', 'WHEN', 'EVENT', 'KIND', 'STATE', 'TRIES', 'LAST ANSWER'],
    rows: found.map((one) => {
      const last = one.attempts.at(-1)
      const answer = last?.error ?? last?.status?.toString() ?? '-'
      return [
        one.id,
        cli.out.when(one.created_at),
        one.type,
        one.kind,
        one.state,
        String(one.attempts.length),
        answer,
      ]
    }),
    values: found,
    empty:
      Object.keys(filter).length > 0
        ? 'No delivery matches.'
        : "Nothing was sent yet. 'scriptward webhooks test' sends a test event to an address.",
  })
}

async function resend(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  for (const delivery_id of words.list(0)) {
    await v1WebhooksRedeliver({ client, path: { project_id, delivery_id }, throwOnError: true })
    cli.out.json({ delivery_id, done: true })
    cli.out.line(`${delivery_id} is sent again`)
  }
}

async function test(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { data } = await v1WebhooksTest({
    client,
    path: { project_id },
    body: { webhook_id: words.text(0) },
    throwOnError: true,
  })
  cli.out.json({ delivery_id: data.delivery_id })
  cli.out.line(`${data.delivery_id} is on its way: 'scriptward webhooks deliveries' shows the answer`)
}
