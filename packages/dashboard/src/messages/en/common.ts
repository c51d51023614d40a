/** Messages shared by many pages. */
import { number } from '../../lib/format.ts'

export const product = 'Scriptward'
export const signIn = 'Sign in'
export const signOut = 'Sign out'
export const projects = 'Projects'
export const name = 'Name'
export const remove = 'Remove'
export const typeName = (name: string) => `Type ${name} to confirm`
export const executions = 'Runs'
export const loaders = {
  label: 'Run it',
  onlyHere: (address: string) =>
    `${address} only works on this machine. Open the dashboard at its public URL before you copy this code.`,
  executor: 'Executor',
  lua: 'Lua',
  luajit: 'LuaJIT',
  file: 'Loader file',
  fileHint:
    "A standalone loader with this server's keys pinned. Works for every version, even behind an untrusted proxy. Add the line below at the top of the file, or set SCRIPT_KEY.",
  runtime: 'Target',
  anyRuntime: 'Any host',
  saveFile: 'Download loader',
} as const
export const never = 'never'
export const clocks = {
  never: 'Never expires',
  fromCreation: (duration: string) => `${duration} from creation`,
  fromFirstRun: (duration: string) => `${duration} from first run`,
} as const
export const noKey = 'No key'
export const discordName = (id: string) => `Discord ${id}`
export const copy = 'Copy'
export const copied = 'Copied'
export const tooLong = (most: number) => `Use at most ${number(most)} characters.`
export const more = 'Show more'
export const loading = 'Loading…'
export const retry = 'Try again'
export const unreachable = "Can't reach the server. Check your connection and try again."
export const accountUsage = 'Runs across all projects'
export const accountUsageHint = 'Last 30 days.'
export const accountScripts = 'Top scripts'
export const accountScriptsHint = 'Granted runs in the last 30 days.'
export const accountNoScripts = 'No scripts ran in the last 30 days.'
export const tierList = 'Service tiers'
export const durations = {
  unit: 'Unit',
  units: { minute: 'Minutes', hour: 'Hours', day: 'Days' },
} as const
export const requestLimits = {
  title: 'API limits',
  hint: 'Rate limits and maximum sizes for API requests.',
  perSecond: 'Requests per second',
  atOnce: 'Concurrent requests',
  script: 'Script size',
  body: 'Request size',
  importBody: 'Import size',
  users: 'Users per import',
  keys: 'Keys per batch',
} as const
