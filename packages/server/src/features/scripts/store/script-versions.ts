/** All queries on the `script_versions` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ScriptVersionsTable } from '../../../database/schema/version-tables.ts'

export type ScriptVersionRow = Selectable<ScriptVersionsTable>
export type NewScriptVersion = Insertable<ScriptVersionsTable>

export const insertScriptVersion = async (tx: Queries, row: NewScriptVersion): Promise<void> => {
  await tx.insertInto('script_versions').values(row).execute()
}

export const findScriptVersion = (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<ScriptVersionRow | undefined> =>
  db
    .selectFrom('script_versions')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirst()

/** Columns that can change after the upload. */
export type VersionChanges = Pick<Updateable<ScriptVersionsTable>, 'notes' | 'notes_public' | 'yanked_at'>

/** Returns false if the version doesn't exist. */
export const updateScriptVersion = async (
  tx: Queries,
  scriptId: string,
  version: number,
  changes: VersionChanges,
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('script_versions')
    .set(changes)
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Returns when a version was yanked, or undefined if the version doesn't exist. */
export const findYanked = (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<Pick<ScriptVersionRow, 'yanked_at'> | undefined> =>
  db
    .selectFrom('script_versions')
    .select('yanked_at')
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirst()

/** Returns the encrypted source of any one stored version. */
export const findAnySource = (
  db: Queries,
): Promise<Pick<ScriptVersionRow, 'script_id' | 'source'> | undefined> =>
  db.selectFrom('script_versions').select(['script_id', 'source']).limit(1).executeTakeFirst()

/** Returns the number of the script's latest version, or 0 if it has none. */
export const findNewestVersion = async (db: Queries, scriptId: string): Promise<number> => {
  const { newest } = await db
    .selectFrom('script_versions')
    .select((e) => e.fn.max('version').as('newest'))
    .where('script_id', '=', scriptId)
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** Returns the latest version before the given one that can be activated, or undefined if there is none. */
export const findUsableBefore = async (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<number | undefined> => {
  const { newest } = await db
    .selectFrom('script_versions')
    .select((e) => e.fn.max('version').as('newest'))
    .where('script_id', '=', scriptId)
    .where('version', '<', version)
    .where('yanked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return newest ?? undefined
}

const SENT = [
  'payload',
  'payload_size',
  'slots',
  'locks',
  'data',
  'data_size',
  'data_at',
  'interpreter',
  'service_key',
  'messages',
] as const satisfies readonly (keyof ScriptVersionRow)[]
export type PayloadRow = Pick<ScriptVersionRow, (typeof SENT)[number]> & {
  /**
   * The number of any one of the functions or tables that the version calls on the server. Null if there are
   * none.
   */
  readonly calls_server: number | null
}

const payload = prepared((db, p: { script_id: string; version: number }) =>
  db
    .selectFrom('script_versions')
    .select(SENT)
    .select((e) =>
      e
        .selectFrom('server_functions as f')
        .select('f.number')
        .where('f.script_id', '=', p.script_id)
        .where('f.version', '=', p.version)
        .limit(1)
        .as('calls_server'),
    )
    .where('script_id', '=', p.script_id)
    .where('version', '=', p.version),
)
/** Returns the version's columns that executions need. */
export const findPayload = (db: Queries, scriptId: string, version: number) =>
  payload.first(db, { script_id: scriptId, version })

/** Lists versions with watermarked payloads, newest first. */
export const listMarkedVersions = async (db: Queries, scriptId: string, limit: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('script_versions')
    .select('version')
    .where('script_id', '=', scriptId)
    .where('slots', '<>', '[]')
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ version }) => version)
}

/** Returns the test that a version had to pass, or undefined if the version does not exist. */
export const findTestScript = (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<Pick<ScriptVersionRow, 'test_script'> | undefined> =>
  db
    .selectFrom('script_versions')
    .select('test_script')
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirst()

/** These columns are small. Large columns are read one version at a time. */
const SUMMARY = [
  'version',
  'options',
  'preset',
  'created_at',
  'source_bytes',
  'payload_size',
  'duration_ms',
  'notes',
  'notes_public',
  'author',
  'yanked_at',
] as const satisfies readonly (keyof ScriptVersionRow)[]
export type VersionSummary = Pick<ScriptVersionRow, (typeof SUMMARY)[number]>

/** Lists versions in order of creation. */
export const listScriptVersions = (
  db: Queries,
  scriptId: string,
  { from, limit, ...place }: KeysetRange,
): Promise<VersionSummary[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return db
    .selectFrom('script_versions')
    .select(SUMMARY)
    .where('script_id', '=', scriptId)
    .where('version', beyond, Math.min(start, 2_147_483_647))
    .orderBy('version', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export const countScriptVersions = async (db: Queries, scriptId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('script_versions')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('script_id', '=', scriptId)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns a version with its report and the messages that it sends to Discord channels. */
export const findVersionReport = (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<(VersionSummary & Pick<ScriptVersionRow, 'report' | 'messages'>) | undefined> =>
  db
    .selectFrom('script_versions')
    .select([...SUMMARY, 'report', 'messages'])
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirst()

export type PublicNotes = {
  readonly script_id: string
  readonly script_name: string
  readonly version: number
  readonly created_at: number
  readonly notes: string
}

/**
 * Lists published release notes, newest first. Omits versions after the active one, because customers don't
 * get them, and yanked versions.
 */
export const listPublicNotes = async (
  db: Queries,
  scriptIds: readonly string[],
  limit: number,
): Promise<PublicNotes[]> => {
  if (scriptIds.length === 0) return []
  return db
    .selectFrom('script_versions as v')
    .innerJoin('scripts as s', 's.id', 'v.script_id')
    .select(['v.script_id', 's.name as script_name', 'v.version', 'v.created_at'])
    .select((e) => e.fn.coalesce('v.notes', e.val('')).as('notes'))
    .where('v.script_id', 'in', scriptIds)
    .where('v.notes_public', '=', 1)
    .where('v.notes', 'is not', null)
    .where('v.yanked_at', 'is', null)
    .whereRef('v.version', '<=', 's.version')
    .orderBy('v.created_at', 'desc')
    .orderBy('v.seq', 'desc')
    .limit(limit)
    .execute()
}
