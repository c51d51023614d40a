/** `scriptward users bulk`: applies one action to many users, after a preview. */

import { confirm, isCancel } from '@clack/prompts'
import {
  type V1ProjectUsersBulkData,
  type V1ProjectUsersBulkResponse,
  v1ProjectUsersBulk,
} from '@scriptward/sdk'
import { Argument, type Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { dateOf, durationOf } from '../../durations.ts'
import { Fault, INTERRUPTED, REFUSED, usage } from '../../faults.ts'
import { canAsk } from '../../output/progress.ts'
import { addFilter, type FilterFlags, filterOf } from './user-filter.ts'

type Body = V1ProjectUsersBulkData['body']
type Action = Body['action']
type Answer = V1ProjectUsersBulkResponse

/** Maps each action to the phrases that precede the number of users, for a result and for a preview. */
const ACTIONS: Readonly<Record<Action, readonly [done: string, would: string]>> = {
  extend: ['extended', 'extend'],
  pause: ['paused', 'pause'],
  resume: ['resumed', 'resume'],
  blacklist: ['blocked', 'block'],
  unblacklist: ['unblocked', 'unblock'],
  reset: ['reset the devices of', 'reset the devices of'],
  tag: ['tagged', 'tag'],
  untag: ['untagged', 'untag'],
  plan: ['changed the plan of', 'change the plan of'],
  remove: ['removed', 'remove'],
}

export function addBulk(users: Command, around: Surroundings): void {
  const command = users
    .command('bulk')
    .description('Run one action on many users, selected by key or filter')
    .addArgument(new Argument('<action>', 'Action').choices(Object.keys(ACTIONS)))
    .argument('[keys...]', 'User keys; omit when filtering')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
  addFilter(command)
    .option('--for <duration>', "extend: time to add, such as '7d'; blacklist: duration (default: permanent)")
    .option('--expired', 'extend: include expired keys')
    .option('--reason <text>', 'blacklist: reason shown to customers')
    .option('--tags <tags>', 'tag, untag: tags, comma-separated')
    .option('--to <plan>', "plan: new plan ID; '' to remove users from their plan")
    .option('--dry-run', 'Preview: show the number of users and up to ten of them')
    .option('--yes', 'Skip the confirmation')
    .action(acting(around, bulk))
}

type Flags = CommonFlags &
  FilterFlags & {
    readonly for?: string
    readonly expired?: true
    readonly reason?: string
    readonly tags?: string
    readonly to?: string
    readonly dryRun?: true
    readonly yes?: true
  }

async function bulk(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const action = words.text(0) as Action
  const body = { action, ...membersOf(cli, action, flags), ...whom(flags, words.list(1)) }
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const call = async (order: Body) =>
    (await v1ProjectUsersBulk({ client, path, body: order, throwOnError: true })).data
  const would = await call({ ...body, dry_run: true })
  refuseMissing(would)
  if (flags.dryRun) return show(cli, action, would)
  if (would.count > 0 && !flags.yes) await ask(cli, action, would)
  const done = await call(body)
  cli.out.json({ action, count: done.count, change_id: done.change_id ?? null })
  cli.out.line(`${ACTIONS[action][0]} ${usersOf(done.count)}`)
  if (done.change_id) cli.out.note(`To undo: scriptward changes undo ${done.change_id}`)
}

function whom(flags: Flags, keys: readonly string[]): Pick<Body, 'keys' | 'filter'> {
  const filter = filterOf(flags)
  if (keys.length > 0 === Object.keys(filter).length > 0)
    throw usage('Select users either by key or by a filter such as --status or --tag, not both.')
  return keys.length > 0 ? { keys: [...keys] } : { filter }
}

/** Rejects options that the action doesn't use, because ignoring them would hide a mistake in the command. */
function membersOf(cli: Cli, action: Action, flags: Flags): Omit<Body, 'action'> {
  const { for: span, expired, reason, tags, to } = flags
  const given = { '--for': span, '--expired': expired, '--reason': reason, '--tags': tags, '--to': to }
  const takes = TAKES[action] ?? []
  const other = Object.entries(given).find(([name, value]) => value !== undefined && !takes.includes(name))
  if (other) throw usage(`${other[0]} doesn't apply to ${action}. Omit it.`)
  const needed = NEEDS[action]
  if (needed !== undefined && given[needed] === undefined) throw usage(`${action} requires ${needed}.`)
  return {
    ...(action === 'extend' ? { duration: durationOf(span ?? ''), extend_expired: expired === true } : {}),
    ...(action === 'blacklist' && span !== undefined ? { expires: cli.now() + durationOf(span) } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(tags === undefined ? {} : { tags: tags.split(',').map((one) => one.trim()) }),
    ...(to === undefined ? {} : { plan_id: to }),
  }
}

const TAKES: Readonly<Partial<Record<Action, readonly string[]>>> = {
  extend: ['--for', '--expired'],
  blacklist: ['--for', '--reason'],
  tag: ['--tags'],
  untag: ['--tags'],
  plan: ['--to'],
}
const NEEDS: Readonly<Partial<Record<Action, '--for' | '--tags' | '--to'>>> = {
  extend: '--for',
  tag: '--tags',
  untag: '--tags',
  plan: '--to',
}

/** Checks all keys first: if a key has a typo, no user is changed. */
function refuseMissing({ entries = [] }: Answer): void {
  const missing = entries.filter(({ verdict }) => verdict === 'not_found').map(({ user_key }) => user_key)
  if (missing.length > 0)
    throw new Fault(
      REFUSED,
      ...missing.map((key) => `${key}: no such key in this project.`),
      'Nothing was changed.',
    )
}

function show(cli: Cli, action: Action, { count, samples = [], entries }: Answer): void {
  cli.out.json({ action, dry_run: true, count, samples, ...(entries ? { entries } : {}) })
  cli.out.line(`would ${ACTIONS[action][1]} ${usersOf(count)}`)
  for (const { user_key, note, changes } of samples)
    cli.out.line([user_key, note ?? '', ...Object.entries(changes).map(changeText)].join('\t'))
  if (count > samples.length) cli.out.line(`and ${count - samples.length} more`)
}

type Change = NonNullable<Answer['samples']>[number]['changes'][string]

function changeText([member, { before, after }]: [string, Change]): string {
  const text = (value: unknown) => {
    if (/_expires$/.test(member)) return typeof value === 'number' ? dateOf(value) : 'never'
    return value === null || value === undefined ? '-' : JSON.stringify(value)
  }
  return `${member}: ${text(before)} → ${text(after)}`
}

async function ask(cli: Cli, action: Action, { count }: Answer): Promise<void> {
  const what = `${ACTIONS[action][1]} ${usersOf(count)}`
  if (!canAsk(cli)) throw usage(`This would ${what}. Pass --yes to confirm, or --dry-run for a preview.`)
  const answer = await confirm({ message: `This will ${what}. Continue?`, initialValue: false })
  if (isCancel(answer) || !answer) throw new Fault(INTERRUPTED, 'Nothing was changed.')
}

function usersOf(count: number): string {
  return count === 1 ? '1 user' : `${count} users`
}
