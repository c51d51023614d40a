/** The health of a script's versions. */
import { number } from '../../lib/format.ts'

export const healthText = {
  customers: 'Customers',
  crashFree: 'Crash-free customers',
  crashed: 'Crashed runs',
  vanished: 'Never responded',
  denied: 'Denied',
  runs: 'Runs',
  executor: 'Executor',
  none: 'No runs',
  byExecutor: (version: number) => `Version ${number(version)} by executor`,
  byExecutorHint:
    'A run crashed if it reported an error that the script did not catch. Runs are counted 90 seconds after they start.',
} as const
