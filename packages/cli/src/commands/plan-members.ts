/** Options of `scriptward plans add` and `plans edit` that set plan fields. */

import type { V1PlansEditData } from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { durationOf } from '../durations.ts'
import { usage } from '../faults.ts'
import { countOf } from '../output/lists.ts'

type Members = NonNullable<V1PlansEditData['body']>
type Features = NonNullable<Members['features']>
export type Clock = NonNullable<Members['clock']>

export type MemberFlags = {
  readonly clock?: string
  readonly grace?: string
  readonly afterExpiry?: NonNullable<Members['after_expiry']>
  readonly maxInstances?: string
  readonly maxExecutions?: string
  readonly quota?: string
  readonly scripts?: string
  readonly maxDevices?: string
  readonly match?: NonNullable<Members['match']>
  readonly maxResets?: string
  readonly resellable?: 'on' | 'off'
  readonly chatRole?: string
  readonly feature?: readonly string[]
}

const CLOCK = /^(creation|first_use):(.+)$/
const QUOTA = /^(\d+)\/(day|week|month)$/
const RESETS = /^(\d+)\/(.+)$/
const NUMBER = /^-?\d+(\.\d+)?$/
const QUOTED = /^"(.*)"$/s

export function addMembers(command: Command): Command {
  const gather = (one: string, before: readonly string[] = []) => [...before, one]
  return command
    .option('--clock <clock>', "Key validity: 'first_use:30d', 'creation:30d', or 'never' for no expiry")
    .option('--grace <duration>', "Grace period after a key expires, such as '1d', or 'none'")
    .addOption(
      new Option('--after-expiry <behavior>', 'Behavior after the grace period').choices([
        'deny',
        'keep_version',
      ]),
    )
    .option('--max-instances <count>', "Maximum concurrent runs per key, or 'none' for no limit")
    .option('--max-executions <count>', "Maximum total runs per key, or 'none' for no limit")
    .option(
      '--quota <quota>',
      "Maximum runs per key and period (day, week or month), such as '100/day', or 'none' for no limit",
    )
    .option('--scripts <ids>', "Script IDs, comma-separated, or 'all'")
    .option('--max-devices <count>', 'Maximum devices per key')
    .addOption(new Option('--match <rule>', 'Device matching rule').choices(['strict', 'tolerant']))
    .option(
      '--max-resets <resets>',
      "Maximum device resets by customers, such as '2/30d', or 'none' for no limit",
    )
    .addOption(
      new Option('--resellable <on|off>', 'Allow resellers to issue keys on this plan').choices([
        'on',
        'off',
      ]),
    )
    .option('--chat-role <id>', "Discord role ID for customers with a valid key, or 'none'")
    .option(
      '--feature <name[=value]>',
      "Feature exposed to scripts as ward.features: 'turbo', 'slots=3', 'skin=\"red\"'; repeatable",
      gather,
    )
}

/** Excludes features, because an edit has to merge them with the plan's features. */
export function membersOf(flags: MemberFlags): Omit<Members, 'features' | 'name'> {
  const { clock, grace, afterExpiry, quota, scripts, match, maxResets, resellable, chatRole } = flags
  return {
    ...(clock === undefined ? {} : { clock: clockOf(clock) }),
    ...(grace === undefined ? {} : { grace: grace === 'none' ? 0 : durationOf(grace) }),
    ...(afterExpiry === undefined ? {} : { after_expiry: afterExpiry }),
    ...limitsOf(flags),
    ...(quota === undefined ? {} : { quota: quotaOf(quota) }),
    ...(scripts === undefined ? {} : { scripts: listOf(scripts) }),
    ...(match === undefined ? {} : { match }),
    ...(maxResets === undefined ? {} : { max_resets: resetsOf(maxResets) }),
    ...(resellable === undefined ? {} : { resellable: resellable === 'on' }),
    ...(chatRole === undefined ? {} : { chat_role_id: chatRole === 'none' ? null : chatRole }),
  }
}

/** `never` means a clock that starts at creation and has no duration. */
export function clockOf(text: string): Clock {
  if (text === 'never') return { basis: 'creation', duration: null }
  const [, basis, duration = ''] = CLOCK.exec(text) ?? []
  if (basis === undefined)
    throw usage(`'${text}' is not a valid --clock. Use 'first_use:30d', 'creation:30d' or 'never'.`)
  return {
    basis: basis as Clock['basis'],
    duration: duration === 'never' ? null : durationOf(duration),
  }
}

/**
 * Parses feature values: `slots=3` is a number, `turbo` and `turbo=true` are true, and any other value is a
 * string. Quotes force a string.
 */
export function featuresIn(given: readonly string[] = []): Features {
  return Object.fromEntries(given.map(featureOf))
}

function featureOf(text: string): [string, Features[string]] {
  const at = text.indexOf('=')
  if (at === -1) return [text, true]
  const [name, value] = [text.slice(0, at), text.slice(at + 1)]
  if (value === 'true') return [name, true]
  if (value === 'false')
    throw usage(`A feature can't be false. Omit ${name}, or remove it with --without-feature ${name}.`)
  return [name, NUMBER.test(value) ? Number(value) : (QUOTED.exec(value)?.[1] ?? value)]
}

function limitsOf({ maxInstances, maxExecutions, maxDevices }: MemberFlags) {
  const limit = (text: string, name: string) => (text === 'none' ? null : countOf(text, name))
  return {
    ...(maxInstances === undefined ? {} : { max_instances: limit(maxInstances, '--max-instances') }),
    ...(maxExecutions === undefined ? {} : { max_executions: limit(maxExecutions, '--max-executions') }),
    ...(maxDevices === undefined ? {} : { max_devices: countOf(maxDevices, '--max-devices') }),
  }
}

function quotaOf(text: string): NonNullable<Members['quota']> | null {
  if (text === 'none') return null
  const [, count, period] = QUOTA.exec(text) ?? []
  if (count === undefined)
    throw usage(`'${text}' is not a valid --quota. Use '100/day', '100/week', '100/month' or 'none'.`)
  return { count: Number(count), period: period as NonNullable<Members['quota']>['period'] }
}

function resetsOf(text: string): NonNullable<Members['max_resets']> | null {
  if (text === 'none') return null
  const [, count, period = ''] = RESETS.exec(text) ?? []
  if (count === undefined)
    throw usage(`'${text}' is not a valid --max-resets. Use '2/30d' for two resets in 30 days, or 'none'.`)
  return { count: Number(count), period: durationOf(period) }
}

function listOf(text: string): string[] | null {
  return text === 'all' ? null : text.split(',').map((one) => one.trim())
}
