/** Describes a release for its author. */
import type { Queries } from '../../database/engine/db.ts'
import type { RolledBackBy } from '../../database/schema/release-tables.ts'
import type { Judgement } from './guard.ts'
import { countReleaseCustomers, type SideCount } from './store/release-customers.ts'
import type { ReleaseRow } from './store/releases.ts'

/** The data in the `evidence` column. */
export type StoredEvidence = {
  readonly judgement?: Judgement
  /** The customers of both versions when the release ended. */
  readonly counts?: readonly SideCount[]
  readonly rolledBackBy?: RolledBackBy
}

export type Described = Awaited<ReturnType<typeof describeRelease>>

export async function describeRelease(db: Queries, row: ReleaseRow) {
  const { id, channel, version, version_before, percent, guard, state, next_at, started_at, ended_at } = row
  const { counts, judgement, rolledBackBy } = readEvidence(row)
  const sides = counts ?? (await countReleaseCustomers(db, id))
  return {
    ...{ id, channel, version, version_before, percent, guard, state, next_at, started_at, ended_at },
    steps: JSON.parse(row.steps) as number[],
    held: row.held === 1,
    rolled_back_by: rolledBackBy ?? null,
    health: describeSide(sides, 1),
    health_before: describeSide(sides, 0),
    finding: describeFinding(judgement),
  }
}

function readEvidence({ evidence }: Pick<ReleaseRow, 'evidence'>): StoredEvidence {
  return evidence === null ? {} : (JSON.parse(evidence) as StoredEvidence)
}

function describeSide(sides: readonly SideCount[], fresh: 0 | 1) {
  const own = sides.filter((side) => side.fresh === fresh)
  const customers = own.reduce((sum, side) => sum + side.customers, 0)
  const failed = own.reduce((sum, side) => sum + side.bad, 0)
  return { customers, failed, healthy: customers === 0 ? null : 1 - failed / customers }
}

/** Returns null unless the version looked worse than the previous one. */
function describeFinding(judgement: Judgement | undefined) {
  if (judgement === undefined || !('executors' in judgement)) return null
  const { verdict, share, share_before, chance, executors } = judgement
  return {
    ...{ verdict, failed: share, failed_before: share_before, chance },
    executors: executors.map(({ executor, customers, bad }) => ({ executor, customers, failed: bad })),
  }
}
