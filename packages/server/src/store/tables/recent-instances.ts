/** The newest rows of `instances`, followed by their number. Only so many rows are looked at, whatever the project has. */
import type { Selectable } from 'kysely'
import type { Queries } from '../engine/db.ts'
import type { InstancesTable } from '../schema/tables.ts'

type Instance = Selectable<InstancesTable>

/** Of all projects, in one call. */
const STRETCH = 5000

export type RecentInstance = {
  readonly seq: number
  readonly id: string
} & Pick<Instance, 'script_id' | 'script_version' | 'user_key' | 'executor' | 'runtime' | 'granted_at'>

/** The rows after a number, or the newest ones without it. */
function stretch(db: Queries, after: number | undefined) {
  const all = db.selectFrom('instances').selectAll().limit(STRETCH)
  return after === undefined ? all.orderBy('seq', 'desc') : all.where('seq', '>', after).orderBy('seq')
}

/** In the order of the stretch. */
export const listRecentInstances = (
  db: Queries,
  projectId: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
): Promise<RecentInstance[]> =>
  db
    .selectFrom(stretch(db, after).as('i'))
    .select([
      'i.seq',
      'i.exec as id',
      'i.script_id',
      'i.script_version',
      'i.user_key',
      'i.executor',
      'i.runtime',
      'i.granted_at',
    ])
    .where('i.project_id', '=', projectId)
    .orderBy('i.seq', after === undefined ? 'desc' : 'asc')
    .limit(limit)
    .execute()

/** The number of the last row of the stretch that was granted before a time; undefined when it has none. */
export const findSettledEnd = async (
  db: Queries,
  after: number | undefined,
  before: number,
): Promise<number | undefined> => {
  const found = await db
    .selectFrom(stretch(db, after).as('i'))
    .select((e) => e.fn.max('i.seq').as('seq'))
    .where('i.granted_at', '<=', before)
    .executeTakeFirst()
  return found?.seq ?? undefined
}
