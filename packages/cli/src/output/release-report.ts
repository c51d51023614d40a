/** Formats releases as sentences and table cells. */

import type { Release } from '@scriptward/sdk'
import { type Output, plain } from './output.ts'
import { percentBelow } from './shares.ts'

const WATCHED = {
  roll_back: 'the guard rolls it back if it fails more often',
  hold: 'the guard pauses it if it fails more often',
  off: 'the guard is off',
} as const

/**
 * Returns a sentence, such as `5% of customers get version 4; 25 and 100% follow; the guard rolls it back if
 * it fails more often`.
 */
export function describeStart(release: Release): string {
  const { channel, version, percent, steps, guard } = release
  const where = channel === 'stable' ? '' : ` on the ${channel} channel`
  if (release.state === 'completed') return describeEveryone(version, channel)
  const share = percent === 100 ? 'all customers' : `${percent}% of customers`
  const rest = steps.length === 0 ? [] : [`${listOf(steps)}% follow`]
  return [`${share}${where} get version ${version}`, ...rest, WATCHED[guard]].join('; ')
}

export function describeEveryone(version: number, channel = 'stable'): string {
  const where = channel === 'stable' ? '' : ` on the ${channel} channel`
  return `everyone${where} gets version ${version} on their next run`
}

type State = Pick<Release, 'state' | 'held' | 'rolled_back_by'>

export function describeState({ state, held, rolled_back_by }: State): string {
  if (held) return `${state}, held by the guard`
  return rolled_back_by === 'guard' ? 'rolled back by the guard' : state.replace('_', ' ')
}

/** A percentage such as `98.8%`, or a dash if nobody has started the version. */
export function shareOf({ healthy }: Release['health']): string {
  return healthy === null ? '-' : healthyIn(healthy)
}

/** For example, `worse: 40 of 48 failed on Garden, 2 of 9 on Meadow`. */
export function describeFinding(finding: Release['finding']): string {
  if (finding === null) return ''
  const [first, ...others] = finding.executors.map(
    ({ executor, customers, failed }) => [`${failed} of ${customers}`, plain(executor)] as const,
  )
  if (first === undefined) return finding.verdict
  const rest = others.map(([counts, executor]) => `, ${counts} on ${executor}`)
  return `${finding.verdict}: ${first[0]} failed on ${first[1]}${rest.join('')}`
}

export function releaseLines(out: Output, release: Release): string[] {
  const { finding, health, health_before, version, version_before } = release
  return [
    out.strong(`${release.id}: version ${version} on ${release.channel}, ${describeState(release)}`),
    `started    ${out.when(release.started_at)}`,
    ...(release.ended_at === null
      ? [describeShare(out, release)]
      : [`ended      ${out.when(release.ended_at)}, at ${release.percent}%`]),
    `guard      ${release.guard.replace('_', ' ')}`,
    `version ${version}: ${describeHealth(health)}`,
    `version ${version_before}: ${describeHealth(health_before)}`,
    ...(finding === null
      ? []
      : [
          `finding    ${describeFinding(finding)}`,
          `           ${percentOf(finding.failed)} failed, ${percentOf(finding.failed_before)} on version ${version_before}`,
        ]),
  ]
}

/** Returns a line, such as `share      5%, 25% in 3 hours, then 100%`. */
function describeShare(out: Output, { percent, steps, next_at, state }: Release): string {
  const [next, ...later] = steps
  if (state !== 'running' || next_at === null) return `share      ${percent}%`
  if (next === undefined) return `share      ${percent}%, completed ${out.when(next_at)}`
  const then = later.length === 0 ? '' : `, then ${listOf(later)}%`
  return `share      ${percent}%, ${next}% ${out.when(next_at)}${then}`
}

function describeHealth({ customers, failed, healthy }: Release['health']): string {
  if (healthy === null) return 'no customers yet'
  return `${customers} customers, ${failed} failed, ${healthyIn(healthy)} healthy`
}

function healthyIn(share: number): string {
  return `${percentBelow(share).toFixed(1)}%`
}

function percentOf(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

function listOf(steps: readonly number[]): string {
  return steps.length < 2 ? steps.join('') : `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}`
}
