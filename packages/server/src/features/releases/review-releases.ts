/**
 * Reviews open releases: the guard compares their customers, and due releases grow, complete or roll back.
 * Each release is locked during its review, so that no two processes decide about it at the same time.
 */
import { Refused } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { findReleasedScript } from '../scripts/store/scripts.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { comparedCustomers, type Evidence, type Judgement, judge } from './guard.ts'
import {
  completeRelease,
  isOver,
  type OpenScript,
  openScript,
  report,
  restage,
  serveVersion,
} from './open-releases.ts'
import { nextAt, rollBack } from './releases.ts'
import { countReleaseCustomers, type SideCount } from './store/release-customers.ts'
import {
  listReleasesToReview,
  lockRelease,
  type ReleasedScript,
  type ReleaseRow,
  updateRelease,
} from './store/releases.ts'

const EVERY_MS = 30_000
const BATCH_SIZE = 100

export function reviewReleases(deps: Deps, clock: () => number): Worker {
  return {
    name: 'review-releases',
    everyMs: EVERY_MS,
    async run(signal) {
      let listed: readonly ReleasedScript[] = []
      // One failed review must not prevent the others.
      const failed: unknown[] = []
      do {
        listed = await listReleasesToReview(deps.db.read, listed.at(-1)?.seq ?? 0, BATCH_SIZE)
        for (const release of listed)
          if (!signal.aborted)
            await reviewRelease(deps, release, clock()).catch((error) => failed.push(error))
      } while (listed.length === BATCH_SIZE && !signal.aborted)
      if (failed.length > 0) throw failed[0]
      return false
    },
  }
}

async function reviewRelease(deps: Deps, { id, script_id }: ReleasedScript, now: number): Promise<void> {
  const script = await findReleasedScript(deps.db.read, script_id)
  if (!script) return
  const isChanged = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, script)
    const release = open && (await lockRelease(tx, script_id, id))
    if (!open || !release || release.ended_at !== null) return false
    return decide(tx, deps, open, { release, now })
  })
  if (isChanged) await reviewSessions(deps, { script_id })
}

type Reviewed = { readonly release: ReleaseRow; readonly now: number }

/** Returns whether any customers now get a different version. */
async function decide(
  tx: Queries,
  deps: Deps,
  open: OpenScript,
  { release, now }: Reviewed,
): Promise<boolean> {
  const looked = await look(tx, release)
  if (looked?.verdict === 'worse') return stop(tx, deps, open, looked.release)
  if (looked && isNews(release, looked.changes)) await updateRelease(tx, release.id, looked.changes)
  const { state, held, next_at } = { ...release, ...looked?.changes }
  if (state !== 'running' || held === 1 || next_at === null || next_at > now) return false
  return advance(tx, deps, open, { release: { ...release, ...looked?.changes }, now })
}

type Looked = Pick<ReleaseRow, 'looked_at' | 'held' | 'evidence'>

function isNews(release: ReleaseRow, { looked_at, held, evidence }: Looked): boolean {
  return looked_at !== release.looked_at || held !== release.held || evidence !== release.evidence
}

/** Compares the two versions, unless the guard is off. */
async function look(tx: Queries, release: ReleaseRow) {
  if (release.guard === 'off') return undefined
  const evidence = evidenceOf(await countReleaseCustomers(tx, release.id))
  const judgement = judge(evidence, release.looked_at)
  const changes = {
    looked_at: Math.max(release.looked_at, comparedCustomers(evidence)),
    held: isHolding(release, judgement) ? (1 as const) : (0 as const),
    evidence: JSON.stringify({ judgement }),
  }
  return { verdict: judgement.verdict, changes, release: { ...release, ...changes } }
}

/** A release that has reached all customers can't grow, so it can't be put on hold. */
function isHolding({ percent }: ReleaseRow, { verdict }: Judgement): boolean {
  return verdict === 'suspicious' && percent < 100
}

function evidenceOf(counts: readonly SideCount[]): Evidence {
  const side = (fresh: 0 | 1) => counts.filter((count) => count.fresh === fresh)
  return { fresh: side(1), former: side(0) }
}

/**
 * Rolls the release back. If the guard is not allowed to, or the previous version is no longer usable, only
 * pauses the release.
 */
async function stop(tx: Queries, deps: Deps, open: OpenScript, release: ReleaseRow): Promise<boolean> {
  if (release.guard === 'roll_back') {
    const closed = await rollBack(tx, deps, open, release, release.evidence)
    if (!(closed instanceof Refused)) return true
  }
  const { looked_at, evidence } = release
  const isFirst = release.state === 'running'
  await updateRelease(tx, release.id, { looked_at, evidence, state: 'paused', held: 1 })
  if (isFirst) await report(tx, deps, open.script, { type: 'release.held', release })
  return false
}

/**
 * Advances to the next percentage, or completes a release whose version all customers have had for long
 * enough.
 */
async function advance(
  tx: Queries,
  deps: Deps,
  { script }: OpenScript,
  { release, now }: Reviewed,
): Promise<boolean> {
  const [percent, ...steps] = JSON.parse(release.steps) as readonly number[]
  if (percent === undefined) {
    await completeRelease(tx, deps, script, release)
    await restage(tx, script)
    return false
  }
  if (percent === 100) await serveVersion(tx, deps, script, release)
  const next_at = nextAt(percent, { steps, step_ms: release.step_ms }, now)
  await updateRelease(tx, release.id, { percent, steps: JSON.stringify(steps), next_at })
  const grown = { ...release, percent, steps: '[]', next_at }
  if (isOver(grown)) await completeRelease(tx, deps, script, grown)
  await restage(tx, script)
  return true
}
