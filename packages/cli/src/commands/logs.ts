/** `scriptward logs`: lists a project's runs, and can follow them live. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  type V1ProjectExecutionsRecentData,
  type V1ProjectExecutionsRecentResponse,
  v1ProjectExecutionsRecent,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Service, type Surroundings } from '../cli.ts'
import { dateOf } from '../durations.ts'
import { explain, UNAVAILABLE } from '../faults.ts'
import { countOf } from '../output/lists.ts'
import { versionIn } from './scripts/versions.ts'

type Query = NonNullable<V1ProjectExecutionsRecentData['query']>
type Execution = V1ProjectExecutionsRecentResponse['executions'][number]
type Flags = CommonFlags & {
  readonly follow?: true
  readonly limit: string
  readonly script?: string
  readonly scriptVersion?: string
  readonly outcome?: Execution['outcome']
  readonly reason?: string
  readonly executor?: string
  readonly user?: string
}

const POLL_MS = 2000
/** Pause after a failed poll. */
const RETRY_MS = 10_000
const OUTCOMES: readonly Execution['outcome'][] = ['granted', 'denied', 'crashed']

export function addLogs(program: Command, around: Surroundings): void {
  program
    .command('logs')
    .description('Show granted, denied and crashed runs; follow new ones with -f')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--script <id>', 'Filter by script ID')
    .option('--script-version <number>', 'Filter by version; needs --script')
    .addOption(new Option('--outcome <outcome>', 'Filter by outcome').choices(OUTCOMES))
    .option('--reason <reason>', 'Filter by denial reason, such as key_expired')
    .option('--executor <name>', 'Filter by executor')
    .option('--user <key>', 'Filter by license key')
    .option('-f, --follow', 'Keep printing new runs until Ctrl-C')
    .option('--limit <count>', 'Number of past runs to show (at most 1000)', '20')
    .action(acting(around, logs))
}

async function logs(cli: Cli, flags: Flags): Promise<void> {
  const limit = Math.min(countOf(flags.limit), MAX_ENTRIES)
  const project_id = await cli.projectId()
  const source = sourceOf(await cli.service(), project_id, filterOf(flags))
  const first = await source.read(limit)
  for (const execution of first) print(cli, execution)
  if (first.length === 0 && !cli.out.isJson) cli.out.note(flags.follow ? WAITING : NOTHING)
  while (flags.follow) {
    await wait(source.isSilent() ? RETRY_MS : POLL_MS, undefined, { signal: cli.signal })
    for (const execution of await source.next((words) => cli.out.note(words))) print(cli, execution)
  }
}

const MAX_ENTRIES = 1000
const WAITING = 'No runs. Waiting for new ones; press Ctrl-C to stop.'
const NOTHING = "No runs. Wait for new ones with 'scriptward logs -f'."

function filterOf({ script, scriptVersion, outcome, reason, executor, user }: Flags): Query {
  return {
    ...(script !== undefined && { script_id: script }),
    ...(scriptVersion !== undefined && { version: versionIn(scriptVersion) }),
    ...(outcome !== undefined && { outcome }),
    ...(reason !== undefined && { reason: reason as NonNullable<Query['reason']> }),
    ...(executor !== undefined && { executor }),
    ...(user !== undefined && { user_key: user }),
  }
}

function print({ out }: Cli, execution: Execution): void {
  const { at, script_id, script_version, user_key, executor } = execution
  out.json(execution)
  out.rows({
    head: [],
    rows: [
      [dateOf(at), describe(execution), `${script_id} v${script_version}`, user_key ?? 'no key', executor],
    ],
    values: [],
    empty: '',
  })
}

function describe({ outcome, reason, left_out }: Execution): string {
  if (outcome !== 'denied') return outcome
  return `denied ${reason}${left_out > 0 ? ` (and ${left_out} more)` : ''}`
}

/** Tracks the read position and returns each run only once. */
function sourceOf({ client, url }: Service, project_id: string, filter: Query) {
  const seen = new Set<string>()
  let cursor: string | undefined
  let isSilent = false

  const read = async (limit: number): Promise<Execution[]> => {
    const query = { ...filter, limit, ...(cursor === undefined ? {} : { after: cursor }) }
    const { data } = await v1ProjectExecutionsRecent({
      client,
      path: { project_id },
      query,
      throwOnError: true,
    })
    cursor = data.next
    const unseen = data.executions.filter(({ id }) => seen.size < seen.add(id).size)
    forget(seen)
    return unseen
  }

  return {
    read,
    isSilent: () => isSilent,
    /** Keeps polling while the server is unavailable. */
    next: async (say: (words: string) => void): Promise<Execution[]> => {
      try {
        const executions = await read(MAX_ENTRIES)
        isSilent = false
        return executions
      } catch (error) {
        const { code, lines } = explain(error, url)
        if (code !== UNAVAILABLE) throw error
        if (!isSilent) say(lines.join(' '))
        isSilent = true
        return []
      }
    },
  }
}

const REMEMBERED = 20_000

/**
 * Drops the oldest half of the remembered IDs. This is safe, because the server repeats only runs from the
 * last few seconds.
 */
function forget(seen: Set<string>): void {
  if (seen.size < REMEMBERED) return
  for (const id of [...seen].slice(0, REMEMBERED / 2)) seen.delete(id)
}
