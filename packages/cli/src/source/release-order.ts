/** Options that choose who gets a version and when, shared by `push` and `releases`. */

import { type Command, Option } from 'commander'
import { durationOf } from '../durations.ts'
import { usage } from '../faults.ts'

const GUARDS = ['roll_back', 'hold', 'off'] as const

export type ReleaseOrder = {
  readonly channel?: string
  readonly percent?: number
  /** Duration in milliseconds. */
  readonly over?: number
  readonly guard?: (typeof GUARDS)[number]
}

export type RampFlags = {
  readonly percent?: string
  readonly over?: string
  readonly guard?: (typeof GUARDS)[number]
}
export type ReleaseFlags = RampFlags & { readonly channel?: string; readonly now?: true }

/** The guard is off, because without a gradual rollout, it could do nothing but roll the version back. */
const EVERYONE = { percent: 100, guard: 'off' } as const

export function addRampOptions(command: Command): Command {
  return command
    .option('--percent <number>', 'Percentage of customers who get the version initially, from 1 to 100')
    .option('--over <duration>', "Time until the release reaches 100%, such as '6h'")
    .addOption(
      new Option(
        '--guard <action>',
        'Action if the version fails more often than the previous one: roll back, pause or none',
      ).choices(GUARDS),
    )
}

export function addReleaseOptions(command: Command): Command {
  return addRampOptions(command)
    .option('--channel <name>', 'Channel (default: stable)')
    .addOption(
      new Option('--now', 'Release to everyone immediately, without the guard').conflicts([
        'percent',
        'over',
        'guard',
      ]),
    )
}

export function rampOf({ percent, over, guard }: RampFlags): ReleaseOrder {
  return {
    ...(percent !== undefined && { percent: percentIn(percent) }),
    ...(over !== undefined && { over: durationOf(over) }),
    ...(guard !== undefined && { guard }),
  }
}

/** Undefined if no option was given. */
export function releaseOrderOf({ channel, now, ...ramp }: ReleaseFlags): ReleaseOrder | undefined {
  const order = { ...(channel !== undefined && { channel }), ...(now ? EVERYONE : rampOf(ramp)) }
  return Object.keys(order).length === 0 ? undefined : order
}

function percentIn(text: string): number {
  const percent = Number(text.replace(/%$/, ''))
  if (Number.isSafeInteger(percent) && percent >= 1 && percent <= 100) return percent
  throw usage(`--percent must be a whole number from 1 to 100, not '${text}'.`)
}
