/** `scriptward ads …`: ad systems, which give visitors temporary keys. */

import {
  entriesOf,
  type V1AdCheckpointsListResponse,
  type V1AdProvidersListResponse,
  type V1AdSystemsListResponse,
  type V1AdSystemsTestResponse,
  v1AdCheckpointsCreate,
  v1AdCheckpointsCreateLink,
  v1AdCheckpointsList,
  v1AdCheckpointsPrepare,
  v1AdProvidersList,
  v1AdSystemsCreate,
  v1AdSystemsDays,
  v1AdSystemsGet,
  v1AdSystemsList,
  v1AdSystemsRemove,
  v1AdSystemsTest,
  v1AdSystemsUrl,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Service, type Surroundings, type Words } from '../cli.ts'
import { durationOf } from '../durations.ts'
import { Fault, REFUSED, usage } from '../faults.ts'
import { type AdFile, readAdFile, type Step } from './ad-file.ts'

type System = V1AdSystemsListResponse['systems'][number]
type Checkpoint = V1AdCheckpointsListResponse['checkpoints'][number]
type ProviderId = Checkpoint['provider']
type Networks = V1AdProvidersListResponse['networks']

const PROJECT = ['--project <id>', 'Project ID (default: from scriptward.json)'] as const
const ID = ['<system>', "Ad system ID, from 'ads list'"] as const
const FILE_HELP = `
The file has the same fields as the API, with the checkpoints in order. If a checkpoint has no "url", its link is created
by the provider's API:

  {
    "name": "Free keys", "key_duration": "1d", "url": "garden",
    "checkpoints": [
      { "name": "First link", "provider": "LootLabs", "provider_data": { "api_token": "…" }, "value_per_thousand": 450 },
      { "name": "Second link", "provider": "Work.ink", "provider_data": { "link_id": "42" }, "url": "https://work.ink/…" }
    ]
  }

If a checkpoint is rejected, the new ad system is removed.`

export function addAds(program: Command, around: Surroundings): void {
  const ads = program.command('ads').description('Manage ad systems, which give visitors temporary keys')
  const sub = (name: string, words: string, isDefault = false) =>
    ads.command(name, { isDefault }).description(words)
  sub('list', 'List ad systems', true)
    .option(...PROJECT)
    .action(acting(around, list))
  sub('add', 'Create an ad system from a JSON file and print its ID')
    .argument('<file>', "JSON file; '-' for standard input")
    .option(...PROJECT)
    .addHelpText('after', FILE_HELP)
    .action(acting(around, add))
  sub('links', "Show an ad system's links, and the URLs to enter in the providers' panels")
    .argument(...ID)
    .action(acting(around, links))
  sub('days', 'Show visitors, bypass attempts and estimated revenue by day and provider')
    .argument(...ID)
    .option('--since <duration>', "Time range, such as '24h' or '30d'", '7d')
    .action(acting(around, days))
  sub('test', 'Test an ad system with a simulated visitor')
    .argument(...ID)
    .addHelpText('after', '\nExit code 2 means that a check failed.')
    .action(acting(around, test))
  sub('remove', 'Delete an ad system and its checkpoints')
    .argument(...ID)
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, remove))
}

async function list(cli: Cli): Promise<void> {
  const project = await cli.projectId()
  const { client } = await cli.service()
  const read = (after: string | null) => v1AdSystemsList({ client, query: { after }, throwOnError: true })
  const own: System[] = []
  for await (const system of entriesOf('systems', read)) if (system.project_id === project) own.push(system)
  cli.out.rows({
    head: ['SYSTEM', 'NAME', 'CHECKPOINTS', 'KEYS', 'COMPLETIONS', 'PAGE'],
    rows: own.map((one) => [
      one.id,
      one.name,
      ...[one.total_checkpoints, one.total_keys, one.total_completions].map(String),
      one.page_url,
    ]),
    values: own,
    empty: "This project has no ad systems yet. Create one with 'scriptward ads add ads.json'.",
  })
}

async function add(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const file = await readAdFile(cli, words.text(0))
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { networks } = (await v1AdProvidersList({ client, throwOnError: true })).data
  const steps = file.steps.map((step) => ({ ...step, provider: providerOf(networks, step.provider) }))
  const body = { ...file.system, project_id }
  const { system_id } = (await v1AdSystemsCreate({ client, body, throwOnError: true })).data
  try {
    await fill(client, system_id, { ...file, steps })
  } catch (error) {
    await v1AdSystemsRemove({ client, path: { system_id } })
    throw error
  }
  const { system } = (await v1AdSystemsGet({ client, path: { system_id }, throwOnError: true })).data
  cli.out.json({ system_id, page_url: system.page_url })
  cli.out.line(system_id)
  cli.out.note(`Visitors start at ${system.page_url}. Test it with 'scriptward ads test ${system_id}'.`)
}

type Client = Service['client']
type Named = Omit<Step, 'provider'> & { readonly provider: ProviderId }

/** Accepts a provider's ID or its network's name, ignoring case and punctuation. */
function providerOf(networks: Networks, given: string): ProviderId {
  const ids = Object.keys(networks) as ProviderId[]
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const found = ids.find((id) => id === given || plain(networks[id].name) === plain(given))
  if (found !== undefined) return found
  throw usage(`Unknown provider '${given}'. Choose ${ids.map((id) => networks[id].name).join(', ')}.`)
}

async function fill(
  client: Client,
  system_id: string,
  { url, steps }: Pick<AdFile, 'url'> & { readonly steps: readonly Named[] },
): Promise<void> {
  const path = { system_id }
  for (const step of steps) {
    const link = await linkOf(client, system_id, step)
    await v1AdCheckpointsCreate({ client, path, body: { ...step, url: link }, throwOnError: true })
  }
  if (url !== undefined) await v1AdSystemsUrl({ client, path, body: { url }, throwOnError: true })
}

/** Returns the URL of a new checkpoint. Checkpoints can't be created without a URL. */
async function linkOf(client: Client, system_id: string, step: Named): Promise<string> {
  const path = { system_id }
  if (typeof step.url === 'string') {
    await v1AdCheckpointsPrepare({ client, path, throwOnError: true })
    return step.url
  }
  const body = { provider: step.provider, provider_data: step.provider_data ?? {} }
  return (await v1AdCheckpointsCreateLink({ client, path, body, throwOnError: true })).data.url
}

async function links(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { checkpoints, networks } = await readCheckpoints(cli, words.text(0))
  cli.out.rows({
    head: ['CHECKPOINT', 'NAME', 'PROVIDER', 'LINK', 'CALLBACK URL', 'POSTBACK URL'],
    rows: checkpoints.map((one) => [
      ...[one.id, one.name, networks[one.provider].name],
      ...[one.url, one.callback_url, one.postback_url],
    ]),
    values: checkpoints,
    empty: 'This ad system has no checkpoints yet.',
  })
}

async function readCheckpoints(cli: Cli, system_id: string) {
  const { client } = await cli.service()
  const { checkpoints } = (await v1AdCheckpointsList({ client, path: { system_id }, throwOnError: true }))
    .data
  const { networks } = (await v1AdProvidersList({ client, throwOnError: true })).data
  return { checkpoints, networks }
}

async function days(cli: Cli, { since }: CommonFlags & { readonly since: string }, words: Words) {
  const path = { system_id: words.text(0) }
  const query = { from: cli.now() - durationOf(since) }
  const { checkpoints, networks } = await readCheckpoints(cli, path.system_id)
  const { client } = await cli.service()
  const found = (await v1AdSystemsDays({ client, path, query, throwOnError: true })).data.days
  const rows = found.flatMap((day) =>
    day.providers.map((one) => ({
      ...{
        at: day.at,
        ...one,
        name: networks[one.provider].name,
        value: revenueOf(day, one.provider, checkpoints),
      },
      bypass_share: shareOf(one.bypassed, one.completed + one.bypassed),
    })),
  )
  cli.out.rows({
    head: ['DAY', 'PROVIDER', 'STARTED', 'COMPLETED', 'REJECTED', 'BYPASSED', 'VALUE'],
    rows: rows.map((one) => [
      new Date(one.at).toISOString().slice(0, 10),
      one.name,
      ...[one.started, one.completed, one.refused].map(String),
      `${one.bypassed} (${Math.round(one.bypass_share * 1000) / 10}%)`,
      one.value === null ? '-' : (one.value / 100).toFixed(2),
    ]),
    values: rows,
    empty: 'No visitors in this period.',
  })
}

type Day = { readonly checkpoints: readonly { readonly checkpoint_id: string; readonly completed: number }[] }

/**
 * Returns the revenue in hundredths of the author's currency; null if none of the provider's checkpoints has
 * a value.
 */
function revenueOf(day: Day, provider: ProviderId, checkpoints: readonly Checkpoint[]): number | null {
  const paid = checkpoints.filter((one) => one.provider === provider && one.value_per_thousand !== null)
  if (paid.length === 0) return null
  const values = paid.map(({ id, value_per_thousand: value }) => {
    const counted = day.checkpoints.find(({ checkpoint_id }) => checkpoint_id === id)
    return ((counted?.completed ?? 0) * (value ?? 0)) / 1000
  })
  return Math.round(values.reduce((sum, value) => sum + value, 0))
}

function shareOf(part: number, all: number): number {
  return all === 0 ? 0 : part / all
}

async function test(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { system_id: words.text(0) }
  const { client } = await cli.service()
  const { test: tested } = (await v1AdSystemsTest({ client, path, throwOnError: true })).data
  cli.out.rows({
    head: ['CHECKPOINT', 'CHECK', 'RESULT', 'REASON'],
    rows: rowsOf(tested),
    values: [tested],
    empty: '',
  })
  if (!tested.passed) throw new Fault(REFUSED, 'A check failed. Visitors may not get past this checkpoint.')
}

function rowsOf({ steps, key }: V1AdSystemsTestResponse['test']): string[][] {
  return [
    ...steps.flatMap(({ name, checks }) =>
      checks.map(({ check, result, reason }) => [name, check, result, reason ?? '']),
    ),
    ['-', 'key', key.result, key.reason ?? ''],
  ]
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { system_id: words.text(0) }
  const { client } = await cli.service()
  await v1AdSystemsRemove({ client, path, throwOnError: true })
  cli.out.json({ ...path, done: true })
  cli.out.line(`removed ${path.system_id}`)
}
