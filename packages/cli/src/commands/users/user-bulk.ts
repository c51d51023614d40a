/** `scriptward users bulk`: one thing done to many users, after a look at what it would do. */

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

/** What is done, and what would be. */
const ACTIONS: Readonly<Record<Action, readonly [done: string, would: string]>> = {
  extend: ['extended', 'extend'],
  pause: ['paused', 'pause'],
  resume: ['resumed', 'resume'],
  blacklist: ['blacklisted', 'blacklist'],
  unblacklist: ['took off the blacklist', 'take off the blacklist'],
  reset: ['unbound from their devices', 'unbind from their devices'],
  tag: ['tagged', 'tag'],
  untag: ['untagged', 'untag'],
  plan: ['moved to the plan', 'move to the plan'],
  remove: ['removed', 'remove'],
}

export function addBulk(users: Command, around: Surroundings): void {
  const command = users
    .command('bulk')
    .description('do one thing to many users: those with some keys, or those of a filter')
    .addArgument(new Argument('<action>').choices(Object.keys(ACTIONS)))
    .argument('[keys...]', 'of whom; left out with a filter')
    .option('--project <id>', 'the project; the one of scriptward.json if left out')
  addFilter(command)
    .option(
      '--for <duration>',
      "extend: how much time, such as '7d'; blacklist: how long, for ever if left out",
    )
    .option('--expired', 'extend: keys that have expired, too')
    .option('--reason <text>', 'blacklist: what the users are shown')
    .option('--tags <tags>', 'tag and untag: with commas between')
    .option('--to <plan>', "plan: the one that they follow then; '' for none")
    .option('--dry-run', 'only tell how many it would change, with ten of them')
    .option('--yes', 'do it without asking')
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
  cli.out.line(`${ACTIONS[action][0]}: ${usersOf(done.count)}`)
  if (done.change_id) cli.out.note(`To undo it: scriptward changes undo ${done.change_id}`)
}

function whom(flags: Flags, keys: readonly string[]): Pick<Body, 'keys' | 'filter'> {
  const filter = filterOf(flags)
  if (keys.length > 0 === Object.keys(filter).length > 0)
    throw usage('Which users? Name their keys, or give a filter such as --status or --tag; not both.')
  return keys.length > 0 ? { keys: [...keys] } : { filter }
}

/** Those that the action takes; another one that was given is refused, since it would not be done. */
function membersOf(cli: Cli, action: Action, flags: Flags): Omit<Body, 'action'> {
  const { for: span, expired, reason, tags, to } = flags
  const given = { '--for': span, '--expired': expired, '--reason': reason, '--tags': tags, '--to': to }
  const takes = TAKES[action] ?? []
  const other = Object.entries(given).find(([name, value]) => value !== undefined && !takes.includes(name))
  if (other) throw usage(`${other[0]} is not for ${action}: leave it out.`)
  const needed = NEEDS[action]
  if (needed !== undefined && given[needed] === undefined) throw usage(`${action} needs ${needed}.`)
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

/** A typing error in one key leaves the others as they are, too. */
function refuseMissing({ entries = [] }: Answer): void {
  const missing = entries.filter(({ verdict }) => verdict === 'not_found').map(({ user_key }) => user_key)
  if (missing.length > 0)
    throw new Fault(
      REFUSED,
      ...missing.map((key) => `${key}: the project has no such key.`),
      'Nothing was changed.',
    )
}

function show(cli: Cli, action: Action, { count, samples = [], entries }: Answer): void {
  cli.out.json({ action, dry_run: true, count, samples, ...(entries ? { entries } : {}) })
  cli.out.line(`would ${ACTIONS[action][1]}: ${usersOf(count)}`)
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
  const what = `${ACTIONS[action][1]}: ${usersOf(count)}`
  if (!canAsk(cli)) throw usage(`This would ${what}. Give --yes to do it, or --dry-run to see some of them.`)
  const answer = await confirm({ message: `Really ${what}?`, initialValue: false })
  if (isCancel(answer) || !answer) throw new Fault(INTERRUPTED, 'Nothing was changed.')
}

function usersOf(count: number): string {
  return count === 1 ? '1 user' : `${count} users`
}
