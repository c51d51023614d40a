/** `scriptward webhooks …`: a project's webhook endpoints and their deliveries. */

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
  const webhooks = program.command('webhooks').description('Manage webhook endpoints and deliveries')
  const sub: Sub = (name, words, isDefault = false) =>
    webhooks
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('list', 'List endpoints and delivery health', true).action(acting(around, list))
  sub('deliveries', 'List deliveries, newest first')
    .addOption(new Option('--state <state>', 'Filter by state').choices(STATES))
    .option('--type <event>', 'Filter by event type, such as execution.granted')
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, deliveries))
  sub('resend', 'Resend deliveries').argument('<ids...>', 'Delivery IDs').action(acting(around, resend))
  sub('test', 'Send a test event to an endpoint')
    .argument('<webhook>', "Endpoint ID, or 'execution', 'information' or 'blacklist'")
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
    // Signing secrets must not end up in logs.
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
    head: ['DELIVERY', 'CREATED', 'EVENT', 'KIND', 'STATE', 'ATTEMPTS', 'LAST RESPONSE'],
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
        ? 'No matching deliveries.'
        : "No deliveries yet. Send a test event with 'scriptward webhooks test execution'.",
  })
}

async function resend(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  for (const delivery_id of words.list(0)) {
    await v1WebhooksRedeliver({ client, path: { project_id, delivery_id }, throwOnError: true })
    cli.out.json({ delivery_id, done: true })
    cli.out.line(`resent ${delivery_id}`)
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
  cli.out.line(`queued ${data.delivery_id}; check the response with 'scriptward webhooks deliveries'`)
}
