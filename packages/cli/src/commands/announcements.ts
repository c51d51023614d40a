/** `scriptward announcements …`: messages to customers who run a project's scripts. */

import {
  type Announcement,
  v1AnnouncementsCreate,
  v1AnnouncementsList,
  v1AnnouncementsRemove,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { dateOf, timeOf } from '../durations.ts'
import { usage } from '../faults.ts'

const LEVELS = ['info', 'warning', 'critical'] as const

export function addAnnouncements(program: Command, around: Surroundings): void {
  const announcements = program.command('announcements').description('Manage announcements to customers')
  const sub = (name: string, words: string, isDefault = false) =>
    announcements
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('list', 'List active announcements, newest first', true).action(acting(around, list))
  sub('add', 'Create an announcement; running scripts receive it immediately')
    .argument('<text>', 'Message')
    .requiredOption('--until <time>', "End time: '2h', '1d', or a date")
    .addOption(new Option('--level <level>', 'Severity').choices(LEVELS).default('info'))
    .addOption(
      new Option('--error <id>', 'Show only to users whose runs reported this error').conflicts('scripts'),
    )
    .option('--scripts <ids>', 'Script IDs, comma-separated (default: all)')
    .action(acting(around, add))
  sub('remove', 'Remove an announcement before it ends')
    .argument('<announcement>', "Announcement ID, from 'announcements list'")
    .action(acting(around, remove))
}

async function list(cli: Cli): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { announcements } = (await v1AnnouncementsList({ client, path: { project_id }, throwOnError: true }))
    .data
  cli.out.rows({
    head: ['ANNOUNCEMENT', 'LEVEL', 'UNTIL', 'SHOWN TO', 'TEXT'],
    rows: announcements.map((one) => [one.id, one.level, cli.out.when(one.until), targetOf(one), one.text]),
    values: announcements,
    empty: "No active announcements. Create one with 'scriptward announcements add TEXT --until 2h'.",
  })
}

function targetOf({ scripts, users }: Announcement): string {
  if (users !== null) return users === 1 ? '1 key' : `${users} keys`
  return scripts === null ? 'all' : scripts.join(',')
}

type AddFlags = CommonFlags & {
  readonly until: string
  readonly level: (typeof LEVELS)[number]
  readonly scripts?: string
  readonly error?: string
}

async function add(cli: Cli, flags: AddFlags, words: Words): Promise<void> {
  const until = timeOf(flags.until, cli.now())
  if (until === null) throw usage("--until must be a duration such as '2h', or a date.")
  const body = {
    text: words.text(0),
    level: flags.level,
    until,
    ...(flags.scripts === undefined ? {} : { scripts: flags.scripts.split(',').map((one) => one.trim()) }),
    ...(flags.error === undefined ? {} : { error_id: flags.error }),
  }
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { announcement } = (await v1AnnouncementsCreate({ client, path, body, throwOnError: true })).data
  cli.out.json(announcement)
  const shown = announcement.users === null ? 'shown' : `shown to ${targetOf(announcement)}`
  cli.out.line(`created ${announcement.id}, ${shown} until ${dateOf(announcement.until)}`)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const path = { project_id: await cli.projectId(), announcement_id: words.text(0) }
  const { client } = await cli.service()
  await v1AnnouncementsRemove({ client, path, throwOnError: true })
  cli.out.json({ announcement_id: path.announcement_id, done: true })
  cli.out.line(`removed ${path.announcement_id}`)
}
