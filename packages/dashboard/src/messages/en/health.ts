/** Messages for the health of a script's versions. */
import { number } from '../../lib/format.ts'

const customers = (count: number) => (count === 1 ? '1 customer' : `${number(count)} customers`)

export const healthText = {
  regression: 'Crashes after a version',
  crashedAfter: (count: number, executor: string | null, version: number) =>
    `${customers(count)}${executor === null ? '' : ` on ${executor}`} crashed after version ${number(version)}`,
  crashFreeFell: (before: string, now: string) => `crash-free customers fell from ${before} to ${now}.`,
  viewCrashes: 'View crashes',
  customers: 'Customers',
  crashFree: 'Crash-free customers',
  crashed: 'Crashed runs',
  crashedRuns: (count: number) => (count === 1 ? '1 crashed run' : `${number(count)} crashed runs`),
  vanished: 'Never responded',
  denied: 'Denied',
  runs: 'Runs',
  executor: 'Executor',
  none: 'No runs',
  stability: { stable: 'stable', fair: 'fair', unstable: 'unstable' },
  rated: (share: string, stability: string) => `${share} ${stability}`,
  ratedRuns: (stability: string, runs: string) => `${stability}, ${runs}`,
  byExecutor: (version: number) => `Version ${number(version)} by executor`,
  byExecutorHint:
    'A run counts as crashed if it reported an error that the script did not catch. Runs are counted 90 seconds after they start.',
} as const
