/** Messages about executors: their capabilities, and which of them may run a script. */
import { number } from '../../lib/format.ts'

type Counts = { readonly runs: number; readonly customers: number }

const runs = (count: number) => `${number(count)} ${count === 1 ? 'run' : 'runs'}`
const customers = (count: number) => `${number(count)} ${count === 1 ? 'customer' : 'customers'}`

export const executorsText = {
  tab: 'Executors',
  results: 'Results by executor',
  resultsHint: 'The newest five versions. Runs are counted 90 seconds after they start.',
  noResults: 'No runs yet.',
  version: 'Version',
  crashFree: 'Crash-free runs',
  lacks: 'What these executors can do',
  lacksHint:
    'Loaders of all accounts report which of 100 functions their executor has, about once a day. A version is listed once clients in three networks have answered.',
  nothingKnown: 'Nothing is known about these executors yet.',
  functions: 'Functions',
  missing: 'Missing',
  nothingMissing: 'None',
  countMissing: (count: number) => `${number(count)} missing`,
  rules: 'Executor rules',
  rulesHint:
    'A deny rule keeps an executor out. Once there is an allow rule, only allowed executors may run the script. Executors report their own names, so rules do not stop someone who patches the loader.',
  add: 'Add a rule',
  action: 'Rule',
  allow: 'Allow',
  deny: 'Deny',
  versions: 'Versions',
  versionsHint: 'Such as 2.1, 2.*. Leave empty for all.',
  removeRule: (executor: string) => `Remove the rule about ${executor}`,
  noName: 'Enter the name of an executor',
  mode: 'When a rule denies a run',
  modes: { enforce: 'Deny the run', watch: 'Only count it' },
  modeHints: {
    enforce: 'Customers get a message to use another executor. Runs in progress continue.',
    watch: 'Nobody is denied. The counts start again when you change the rules.',
  },
  save: 'Save rules',
  saved: 'Executor rules saved',
  hits: 'Would be denied',
  hitsOf: (all: Counts & { readonly days: number }) =>
    `${runs(all.runs)} by ${customers(all.customers)} in ${number(all.days)} days.`,
  counts: (one: Counts) => `${runs(one.runs)}, ${customers(one.customers)}`,
} as const
