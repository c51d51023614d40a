/** All queries on the `releases` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ReleaseState, ReleasesTable } from '../../../database/schema/release-tables.ts'

export type ReleaseRow = Selectable<ReleasesTable>
export type NewRelease = Insertable<ReleasesTable>
export type ReleaseChanges = Updateable<ReleasesTable>

const OPEN_STATES: readonly ReleaseState[] = ['running', 'paused']

export const insertRelease = (tx: Queries, row: NewRelease): Promise<ReleaseRow> =>
  tx.insertInto('releases').values(row).returningAll().executeTakeFirstOrThrow()

export const updateRelease = async (tx: Queries, id: string, changes: ReleaseChanges): Promise<void> => {
  await tx.updateTable('releases').set(changes).where('id', '=', id).execute()
}

/** If `isOpen` is omitted, lists open and ended releases. */
export type ReleaseFilter = {
  readonly of: { readonly scriptId: string } | { readonly projectId: string }
  readonly isOpen?: boolean | undefined
}

const scriptsOf = (db: Queries, projectId: string) =>
  db.selectFrom('scripts').select('id').where('project_id', '=', projectId)

function filteredReleases(db: Queries, { of, isOpen }: ReleaseFilter) {
  const releases = db.selectFrom('releases')
  const all =
    'scriptId' in of
      ? releases.where('script_id', '=', of.scriptId)
      : releases.where('script_id', 'in', scriptsOf(db, of.projectId))
  return isOpen === undefined ? all : all.where('state', isOpen ? 'in' : 'not in', OPEN_STATES)
}

export const listReleases = (
  db: Queries,
  filter: ReleaseFilter,
  { from, limit, ...place }: KeysetRange,
): Promise<ReleaseRow[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return filteredReleases(db, filter)
    .selectAll()
    .where('seq', beyond, start)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

/** Lists these scripts' open releases in one channel, at most one per script. */
export const listOpenReleasesOfScripts = async (
  db: Queries,
  scriptIds: readonly string[],
  channel: string,
): Promise<ReleaseRow[]> => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (scriptIds.length === 0) return []
  return db
    .selectFrom('releases')
    .selectAll()
    .where('script_id', 'in', scriptIds)
    .where('channel', '=', channel)
    .where('state', 'in', OPEN_STATES)
    .execute()
}

export const countReleases = async (db: Queries, filter: ReleaseFilter): Promise<number> => {
  const { count } = await filteredReleases(db, filter)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findRelease = (db: Queries, scriptId: string, id: string): Promise<ReleaseRow | undefined> =>
  db
    .selectFrom('releases')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Finds a release and locks its row, so that each process sees the decisions of the others. */
export const lockRelease = (tx: Queries, scriptId: string, id: string): Promise<ReleaseRow | undefined> => {
  const one = tx.selectFrom('releases').selectAll().where('script_id', '=', scriptId).where('id', '=', id)
  return forUpdate(one, tx).executeTakeFirst()
}

/** Lists the running and paused releases of a script. */
export const listOpenReleases = (db: Queries, scriptId: string): Promise<ReleaseRow[]> =>
  db
    .selectFrom('releases')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('state', 'in', OPEN_STATES)
    .orderBy('seq')
    .execute()

export type ReleasedScript = { readonly id: string; readonly script_id: string; readonly seq: number }

/** Lists open releases of all accounts in order, starting after row `after`. */
export const listReleasesToReview = (db: Queries, after: number, limit: number): Promise<ReleasedScript[]> =>
  db
    .selectFrom('releases')
    .select(['id', 'script_id', 'seq'])
    .where('state', 'in', OPEN_STATES)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()

export const isReleaseOpen = async (db: Queries, id: string): Promise<boolean> => {
  const release = db.selectFrom('releases').select('id').where('id', '=', id).where('ended_at', 'is', null)
  return (await release.executeTakeFirst()) !== undefined
}
