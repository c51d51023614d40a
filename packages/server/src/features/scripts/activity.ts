/** Script activity for lists: each script's active version, runs and open release. */
import { setImmediate } from 'node:timers/promises'
import type { Page, PageQuery } from '../../api/pagination.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { STABLE } from '../releases/customer-version.ts'
import { listOpenReleasesOfScripts, type ReleaseRow } from '../releases/store/releases.ts'
import { listScripts } from './scripts.ts'
import { countRunning, listActiveVersions, listScriptDays, type ScriptDay } from './store/script-activity.ts'
import type { ScriptRow } from './store/scripts.ts'

/** The period is two weeks, so that the last week can be compared with the week before. */
export const DAYS = 14
/**
 * Number of scripts per query. SQLite can count the runs of this many scripts with 20 versions each in a few
 * milliseconds.
 */
const SCRIPTS_AT_ONCE = 25
const DAY_MS = 86_400_000

export type ScriptActivity = Awaited<ReturnType<typeof describeAll>>[number]

export async function listActivity(
  deps: Deps,
  project: ProjectRow,
  query: PageQuery,
): Promise<Page<ScriptActivity> | Refused<'invalid_request'>> {
  const found = await listScripts(deps, project, query)
  if (found instanceof Refused) return found
  return { rows: await describeInParts(deps, found.rows), next: found.next }
}

/** Lets other requests run between the parts, because a project can have thousands of scripts. */
async function describeInParts(deps: Deps, scripts: readonly ScriptRow[]): Promise<ScriptActivity[]> {
  const described: ScriptActivity[] = []
  for (let start = 0; start < scripts.length; start += SCRIPTS_AT_ONCE) {
    if (start > 0) await setImmediate()
    described.push(...(await describeAll(deps, scripts.slice(start, start + SCRIPTS_AT_ONCE))))
  }
  return described
}

async function describeAll({ db: { read }, now }: Deps, scripts: readonly ScriptRow[]) {
  const ids = scripts.map(({ id }) => id)
  const today = Math.floor(now() / DAY_MS)
  const days = Map.groupBy(await listScriptDays(read, ids, today - DAYS + 1), ({ script_id }) => script_id)
  const running = await countRunning(read, ids, now())
  const active = new Map((await listActiveVersions(read, ids)).map((one) => [one.script_id, one]))
  const releases = new Map(
    (await listOpenReleasesOfScripts(read, ids, STABLE)).map((one) => [one.script_id, one]),
  )
  return scripts.map(({ id, version }) => ({
    id,
    version,
    preset: active.get(id)?.preset ?? null,
    uploaded_at: active.get(id)?.created_at ?? null,
    source_bytes: active.get(id)?.source_bytes ?? null,
    running: running.get(id) ?? 0,
    days: fillDays(days.get(id) ?? [], today),
    release: describeOpen(releases.get(id)),
  }))
}

/** Days without runs have no row. */
function fillDays(rows: readonly ScriptDay[], today: number) {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: DAYS }, (_, index) => {
    const day = today - DAYS + 1 + index
    const { runs = 0, crashed = 0, denied = 0 } = byDay.get(day) ?? {}
    return { at: day * DAY_MS, runs, crashed, denied }
  })
}

function describeOpen(row: ReleaseRow | undefined) {
  if (row === undefined) return null
  const { id, version, version_before, percent, state, next_at } = row
  return { id, version, version_before, percent, state, next_at, held: row.held === 1 }
}
