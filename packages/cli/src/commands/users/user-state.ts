/**
 * `scriptward users pause`, `resume`, `devices`, `name-device` and `release`: pause keys and manage their
 * devices.
 */

import {
  v1UserDevicesList,
  v1UserDevicesName,
  v1UserDevicesRemove,
  v1UsersPause,
  v1UsersResume,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'

const DEVICE = ['<device>', "Device ID, from 'users devices'"] as const

export function addState(users: Command, around: Surroundings): void {
  const sub = (name: string, words: string) =>
    users.command(name).description(words).argument('<key>', 'User key')
  sub('pause', 'Pause a key; its remaining time is kept').action(acting(around, pause))
  sub('resume', 'Resume a paused key with its remaining time').action(acting(around, resume))
  sub('devices', "List a key's devices").action(acting(around, devices))
  sub('name-device', "Name a key's device")
    .argument(...DEVICE)
    .argument('<name>', "Device name; '' to remove it")
    .action(acting(around, nameDevice))
  sub('release', "Unbind one device from a key ('reset' unbinds all)")
    .argument(...DEVICE)
    .option('--force', "Also end the key's current runs")
    .action(acting(around, release))
}

async function pause(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0) }
  const { client } = await cli.service()
  await v1UsersPause({ client, path, throwOnError: true })
  say(cli, path, `paused ${path.user_key}`)
}

async function resume(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0) }
  const { client } = await cli.service()
  await v1UsersResume({ client, path, throwOnError: true })
  say(cli, path, `resumed ${path.user_key}`)
}

async function devices(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0) }
  const { client } = await cli.service()
  const found = (await v1UserDevicesList({ client, path, throwOnError: true })).data.devices
  cli.out.rows({
    head: ['DEVICE', 'NAME', 'EXECUTOR', 'BOUND', 'LAST USED'],
    rows: found.map((one) => [
      one.id,
      one.name ?? '-',
      one.executor ?? '-',
      cli.out.when(one.bound_at),
      cli.out.when(one.last_used_at),
    ]),
    values: found,
    empty: 'This key has no devices yet. Its next run binds one.',
  })
}

async function nameDevice(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0), device_id: words.text(1) }
  const { client } = await cli.service()
  const name = words.text(2)
  await v1UserDevicesName({ client, path, body: { name }, throwOnError: true })
  cli.out.json({ ...path, name, done: true })
  cli.out.line(name === '' ? `removed the name of ${path.device_id}` : `named ${path.device_id} '${name}'`)
}

async function release(
  cli: Cli,
  flags: CommonFlags & { readonly force?: true },
  words: Words,
): Promise<void> {
  const path = { user_key: words.text(0), device_id: words.text(1) }
  const { client } = await cli.service()
  const body = { force: flags.force === true }
  await v1UserDevicesRemove({ client, path, body, throwOnError: true })
  say(cli, path, `unbound ${path.device_id} from ${path.user_key}`)
}

function say(cli: Cli, path: { readonly user_key: string }, done: string): void {
  cli.out.json({ ...path, done: true })
  cli.out.line(done)
}
