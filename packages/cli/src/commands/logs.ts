/** `scriptward logs`: recent runs and denials of a project, optionally followed live. */

import { setTimeout as wait } from 'node:timers/promises'
import {
  type V1ProjectDenialsFilterResponse,
  type V1ProjectExecutionsRecentResponse,
  v1ProjectDenialsFilter,
  v1ProjectExecutionsRecent,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Service, type Surroundings } from '../cli.ts'
import { dateOf } from '../durations.ts'
import { explain, UNAVAILABLE } from '../faults.ts'
import { countOf } from '../output/lists.ts'

type Flags = CommonFlags & { readonly follow?: true; readonly limit: string; readonly script?: string }
type Execution = V1ProjectExecutionsRecentResponse['executions'][number]
type Denial = V1ProjectDenialsFilterResponse['denials'][number]

const POLL_MS = 2000
/** Pause after a failed poll. */
const RETRY_MS = 10_000

export function addLogs(program: Command, around: Surroundings): void {
  program
    .command('logs')
    .description('Show recent runs and denials; follow them with -f')
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--script <id>', 'Filter by script ID')
    .option('-f, --follow', 'Keep printing new entries until Ctrl-C')
    .option('--limit <count>', 'Number of past runs, and of past denials, to show first (at most 1000)', '20')
    .action(acting(around, logs))
}

async function logs(cli: Cli, flags: Flags): Promise<void> {
  const limit = Math.min(countOf(flags.limit), MAX_ENTRIES)
  const project_id = await cli.projectId()
  const source = sourceOf(await cli.service(), project_id, flags.script)
  const first = await source.read(limit)
  for (const entry of first) print(cli, entry)
  if (first.length === 0 && !cli.out.isJson) cli.out.note(flags.follow ? WAITING : NOTHING)
  while (flags.follow) {
    await wait(source.isSilent() ? RETRY_MS : POLL_MS, undefined, { signal: cli.signal })
    for (const entry of await source.next((words) => cli.out.note(words))) print(cli, entry)
  }
}

const MAX_ENTRIES = 1000
const WAITING = 'No recent runs. Waiting for new ones; press Ctrl-C to stop.'
const NOTHING = "No recent runs. Wait for new ones with 'scriptward logs -f'."

type Entry =
  | { readonly at: number; readonly outcome: 'granted'; readonly of: Execution }
  | { readonly at: number; readonly outcome: 'denied'; readonly of: Denial }

function print({ out }: Cli, entry: Entry): void {
  const { at, outcome } = entry
  out.json({ at, outcome, ...entry.of })
  const [what, executor] =
    entry.outcome === 'granted'
      ? ['granted', entry.of.executor]
      : [`denied ${entry.of.reason}${timesOf(entry.of)}`, entry.of.client.executor]
  const { script_id, script_version, user_key } = entry.of
  out.rows({
    head: [],
    rows: [[dateOf(at), what, `${script_id} v${script_version}`, user_key ?? 'no key', executor]],
    values: [],
    empty: '',
  })
}

const timesOf = ({ count }: Denial) => (count > 1 ? ` (${count} times)` : '')

/** Tracks the read position and returns each entry only once. */
function sourceOf({ client, url }: Service, project_id: string, script: string | undefined) {
  const seen = new Set<string>()
  const path = { project_id }
  let cursor: string | undefined
  let from: number | undefined
  let isSilent = false
  const unseen = (key: string) => seen.size < seen.add(key).size
  const ofScript = ({ script_id }: { readonly script_id: string }) =>
    script === undefined || script === script_id

  const read = async (limit: number): Promise<Entry[]> => {
    const after = cursor === undefined ? {} : { after: cursor }
    const granted = await v1ProjectExecutionsRecent({
      client,
      path,
      query: { ...after, limit },
      throwOnError: true,
    })
    const query = { limit, ...(from === undefined ? {} : { from }) }
    const denied = await v1ProjectDenialsFilter({ client, path, query, throwOnError: true })
    cursor = granted.data.next
    const { denials } = denied.data
    from = Math.max(from ?? 0, ...denials.map(({ last_at }) => last_at))
    const entries: Entry[] = [
      ...granted.data.executions
        .filter((one) => ofScript(one) && unseen(one.id))
        .map((of) => ({ at: of.granted_at, outcome: 'granted' as const, of })),
      ...denials
        .filter((one) => ofScript(one) && unseen(keyOf(one)))
        .map((of) => ({ at: of.last_at, outcome: 'denied' as const, of })),
    ]
    forget(seen)
    return entries.sort((a, b) => a.at - b.at)
  }

  return {
    read,
    isSilent: () => isSilent,
    /** Keeps polling while the server is unavailable. */
    next: async (say: (words: string) => void): Promise<Entry[]> => {
      try {
        const entries = await read(MAX_ENTRIES)
        isSilent = false
        return entries
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

/** The count is part of the key because a repeated denial is the same row with a higher count. */
const keyOf = ({ first_at, user_key, reason, script_id, count }: Denial) =>
  [first_at, user_key, reason, script_id, count].join(' ')

const REMEMBERED = 20_000

/** Drops the oldest half. Only entries from the last few seconds can be returned again. */
function forget(seen: Set<string>): void {
  if (seen.size < REMEMBERED) return
  for (const key of [...seen].slice(0, REMEMBERED / 2)) seen.delete(key)
}
