/** Looks for a regression in one script, or in all scripts of a project. */
import type { Deps } from '../../deps.ts'
import { STABLE } from '../releases/customer-version.ts'
import { listOpenReleasesOfScripts, type ReleaseRow } from '../releases/store/releases.ts'
import { readHealth, type VersionHealth } from './health.ts'
import { findRegression, MIN_CRASHED, type Regression } from './regression.ts'
import { listCrashing } from './store/version-health.ts'

/** Maximum number of scripts to check per project. Scripts with the most affected customers come first. */
const MAX_SCRIPTS = 10

/** `release_id` is the ID of the open release that serves the version, or null if the version is live. */
export type Found = Regression & { readonly release_id: string | null }
type Script = { readonly id: string; readonly version: number; readonly staging: string | null }

export async function findScriptRegression(
  deps: Pick<Deps, 'db' | 'now'>,
  script: Script,
  versions: readonly VersionHealth[],
): Promise<Found | null> {
  const releases = await listOpenReleasesOfScripts(deps.db.read, [script.id], STABLE)
  return judge(deps, script, { versions, releases })
}

/** Returns the regression that affects the most customers. */
export async function findProjectRegression(deps: Pick<Deps, 'db' | 'now'>, projectId: string) {
  const crashing = await listCrashing(deps.db.read, {
    project_id: projectId,
    channel: STABLE,
    crashed: MIN_CRASHED,
    limit: MAX_SCRIPTS,
  })
  const found = []
  for (const script of crashing) {
    const regression = await findScriptRegression(deps, script, await readHealth(deps, script))
    if (regression) found.push({ script_id: script.id, script_name: script.name, ...regression })
  }
  return found.toSorted((a, b) => b.customers - a.customers)[0] ?? null
}

type Seen = { readonly versions: readonly VersionHealth[]; readonly releases: readonly ReleaseRow[] }

function judge({ now }: Pick<Deps, 'now'>, script: Script, { versions, releases }: Seen): Found | null {
  const served = [script.version, ...releases.map(({ version }) => version)]
  const found = findRegression(versions, served, now())
  if (found === null) return null
  const release = releases.find(({ version }) => version === found.version && version !== script.version)
  return { ...found, release_id: release?.id ?? null }
}
