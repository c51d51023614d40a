/** `scriptward logs`: executions and denials of a project as they come. */

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
/** After an answer that did not come. */
const RETRY_MS = 10_000

export function addLogs(program: Command, around: Surroundings): void {
  program
    .command('logs')
    .description('show executions of the last minutes and denials; with -f go on as they come')
    .option('--project <id>', 'the project; the one of scriptward.json if left out')
    .option('--script <id>', 'only of this script')
    .option('-f, --follow', 'go on, until Ctrl-C')
    .option('--limit <count>', 'how many of each to begin with, at most 1000', '20')
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
const WAITING = 'Nothing ran in the last minutes. Waiting for runs; Ctrl-C ends it.'
const NOTHING = "Nothing ran in the last minutes. 'scriptward logs -f' waits for runs."

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

/** Where reading goes on; entries that were given are not given again. */
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
    /** A service that is away for a while is asked again. */
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

/** A denial that is repeated comes again with another count. */
const keyOf = ({ first_at, user_key, reason, script_id, count }: Denial) =>
  [first_at, user_key, reason, script_id, count].join(' ')

const REMEMBERED = 20_000

/** The oldest half goes: what may be repeated is seconds old. */
function forget(seen: Set<string>): void {
  if (seen.size < REMEMBERED) return
  for (const key of [...seen].slice(0, REMEMBERED / 2)) seen.delete(key)
}
