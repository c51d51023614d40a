/** Messages for executors: their capabilities, and which of them may run a script. */
import { number } from '../../lib/format.ts'

type Counts = { readonly runs: number; readonly customers: number }

const runs = (count: number) => `${number(count)} ${count === 1 ? 'run' : 'runs'}`
const customers = (count: number) => `${number(count)} ${count === 1 ? 'customer' : 'customers'}`

export const executorsText = {
  tab: 'Executors',
  results: 'Results by executor',
  resultsHint: 'The five latest versions. Runs are counted 90 seconds after they start.',
  noResults: 'No runs yet.',
  version: 'Version',
  crashFree: 'Crash-free runs',
  lacks: 'Executor capabilities',
  lacksHint:
    'About once a day, loaders in all accounts report which of 100 functions their executor supports. An executor version is listed once clients on three networks have reported it.',
  nothingKnown: 'No reports from these executors yet.',
  functions: 'Functions',
  missing: 'Missing',
  nothingMissing: 'None',
  countMissing: (count: number) => `${number(count)} missing`,
  rules: 'Executor rules',
  rulesHint:
    "A deny rule blocks an executor. Once you add an allow rule, only allowed executors can run the script. Executors report their own names, so rules don't stop someone who patches the loader.",
  add: 'Add a rule',
  action: 'Rule',
  allow: 'Allow',
  deny: 'Deny',
  versions: 'Versions',
  versionsHint: 'For example, 2.1 or 2.*. Leave empty for all.',
  removeRule: (executor: string) => `Remove the rule for ${executor}`,
  noName: 'Enter an executor name.',
  mode: 'When a run breaks a rule',
  modes: { enforce: 'Deny the run', watch: 'Only count it' },
  modeHints: {
    enforce: 'Customers are asked to use another executor. Current runs continue.',
    watch: 'Nobody is denied. Counts restart when you change the rules.',
  },
  save: 'Save rules',
  saved: 'Executor rules saved',
  hits: 'Would be denied',
  hitsOf: (all: Counts & { readonly days: number }) =>
    `${runs(all.runs)} by ${customers(all.customers)} in ${number(all.days)} days.`,
  counts: (one: Counts) => `${runs(one.runs)}, ${customers(one.customers)}`,
} as const
