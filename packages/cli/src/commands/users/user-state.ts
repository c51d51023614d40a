/** `scriptward users pause`, `resume`, `devices`, `name-device` and `release`. */

import {
  v1UserDevicesList,
  v1UserDevicesName,
  v1UserDevicesRemove,
  v1UsersPause,
  v1UsersResume,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'

const DEVICE = ['<device>', "its id, as 'users devices' shows it"] as const

export function addState(users: Command, around: Surroundings): void {
  const sub = (name: string, words: string) => users.command(name).description(words).argument('<key>')
  sub('pause', 'stop a key; the time that is left is kept for it').action(acting(around, pause))
  sub('resume', 'let a paused key run again, with the time that was left').action(acting(around, resume))
  sub('devices', 'list the devices that a key is bound to').action(acting(around, devices))
  sub('name-device', 'name a device of a key, as users can on their own page')
    .argument(...DEVICE)
    .argument('<name>', "'' takes the name away")
    .action(acting(around, nameDevice))
  sub('release', 'unbind one device of a key; reset unbinds all of them')
    .argument(...DEVICE)
    .option('--force', 'end what runs with the key, too')
    .action(acting(around, release))
}

async function pause(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0) }
  const { client } = await cli.service()
  await v1UsersPause({ client, path, throwOnError: true })
  say(cli, path, 'is paused')
}

async function resume(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0) }
  const { client } = await cli.service()
  await v1UsersResume({ client, path, throwOnError: true })
  say(cli, path, 'runs again')
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
    empty: 'This key is bound to no device yet. Its next run binds one.',
  })
}

async function nameDevice(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { user_key: words.text(0), device_id: words.text(1) }
  const { client } = await cli.service()
  const name = words.text(2)
  await v1UserDevicesName({ client, path, body: { name }, throwOnError: true })
  cli.out.json({ ...path, name, done: true })
  cli.out.line(name === '' ? `${path.device_id} has no name` : `${path.device_id} is called ${name}`)
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
  say(cli, path, `is free of ${path.device_id}`)
}

function say(cli: Cli, path: { readonly user_key: string }, done: string): void {
  cli.out.json({ ...path, done: true })
  cli.out.line(`${path.user_key} ${done}`)
}
