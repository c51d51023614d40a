/** `scriptward channels …`: serves some customers a different version than the live one. */

import { v1ChannelsList, v1ChannelsRemove, v1ChannelsSet } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

const NAME = ['<channel>', 'Channel name'] as const

export function addChannels(program: Command, around: Surroundings): void {
  const channels = program
    .command('channels')
    .description('Serve different versions to customers by tag or plan')
  const sub = (name: string, words: string, isDefault = false) =>
    channels.command(name, { isDefault }).description(words).option('--script <id>', SCRIPT)
  sub('list', "List a script's channels", true).action(acting(around, list))
  sub('set', 'Create or update a channel')
    .argument(...NAME)
    .option('--script-version <number>', 'Version number (default: the live version, or unchanged)')
    .option('--tags <tags>', "Tags whose keys use the channel, comma-separated; '' for none")
    .option('--plans <plans>', "IDs of plans whose keys use the channel, comma-separated; '' for none")
    .action(acting(around, set))
  sub('remove', 'Delete a channel; its keys switch to the live version')
    .argument(...NAME)
    .action(acting(around, remove))
}

async function list(cli: Cli, flags: ScriptFlags): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const { channels } = (await v1ChannelsList({ client, path, throwOnError: true })).data
  cli.out.rows({
    head: ['CHANNEL', 'VERSION', 'TAGS', 'PLANS'],
    rows: channels.map((one) => [
      one.name,
      String(one.version),
      one.tags.join(', ') || '-',
      one.plans.join(', ') || '-',
    ]),
    values: channels,
    empty: 'This script has no channels.',
  })
}

type SetFlags = ScriptFlags & {
  readonly scriptVersion?: string
  readonly tags?: string
  readonly plans?: string
}

async function set(cli: Cli, flags: SetFlags, words: Words): Promise<void> {
  const { scriptVersion, tags, plans } = flags
  const body = {
    ...(scriptVersion !== undefined && { version: versionIn(scriptVersion) }),
    ...(tags !== undefined && { tags: listOf(tags) }),
    ...(plans !== undefined && { plans: listOf(plans) }),
  }
  const path = { script_id: await scriptOf(cli, flags), channel: words.text(0) }
  const { client } = await cli.service()
  await v1ChannelsSet({ client, path, body, throwOnError: true })
  tell(cli, path, 'set')
}

async function remove(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags), channel: words.text(0) }
  const { client } = await cli.service()
  await v1ChannelsRemove({ client, path, throwOnError: true })
  tell(cli, path, 'removed')
}

function tell(
  { out }: Cli,
  members: { readonly script_id: string; readonly channel: string },
  done: string,
): void {
  out.json({ ...members, done: true })
  out.line(`${done} ${members.channel}`)
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
