/** All queries on the `executors` and `executor_answers` tables. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { ExecutorAnswersTable, ExecutorsTable } from '../../../database/schema/executor-tables.ts'

export type ExecutorRow = Selectable<ExecutorsTable>
export type ExecutorAnswer = Selectable<ExecutorAnswersTable>
type Name = Pick<ExecutorRow, 'name' | 'version'>

/** Counts all executor versions and those of one executor, and returns whether this version exists. */
export const countExecutors = async (
  db: Queries,
  { name, version }: Name,
): Promise<{ readonly all: number; readonly versions: number; readonly isKnown: boolean }> => {
  const rows = db.selectFrom('executors')
  const count = await db
    .selectNoFrom((e) => [
      rows.select(e.fn.countAll<number>().as('count')).as('all'),
      rows.where('name', '=', name).select(e.fn.countAll<number>().as('count')).as('versions'),
      rows
        .where('name', '=', name)
        .where('version', '=', version)
        .select(e.fn.countAll<number>().as('count'))
        .as('known'),
    ])
    .executeTakeFirstOrThrow()
  return { all: Number(count.all), versions: Number(count.versions), isKnown: Number(count.known) > 0 }
}

/**
 * Deletes the version with the fewest answers, of one executor or of all. In case of a tie, deletes the least
 * recent.
 */
export const deleteLeastKnown = async (tx: Queries, name?: string): Promise<void> => {
  const found = tx
    .selectFrom('executors')
    .select(['name', 'version'])
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .orderBy('answers')
    .orderBy('last_at')
    .limit(1)
  const least = await skipLocked(found, tx).executeTakeFirst()
  if (!least) return
  await tx
    .deleteFrom('executors')
    .where('name', '=', least.name)
    .where('version', '=', least.version)
    .execute()
}

export const putExecutor = async (tx: Queries, { name, version }: Name, now: number): Promise<void> => {
  await tx
    .insertInto('executors')
    .values({ name, version, first_at: now, last_at: now })
    .onConflict((on) => on.columns(['name', 'version']).doUpdateSet({ last_at: now }))
    .execute()
}

export const putAnswer = async (tx: Queries, answer: ExecutorAnswer): Promise<void> => {
  const { list, functions, at } = answer
  await tx
    .insertInto('executor_answers')
    .values(answer)
    .onConflict((on) => on.columns(['name', 'version', 'voter']).doUpdateSet({ list, functions, at }))
    .execute()
}

/** Lists the reports for one executor version, newest first. */
export const listAnswers = (db: Queries, { name, version }: Name): Promise<ExecutorAnswer[]> =>
  db
    .selectFrom('executor_answers')
    .selectAll()
    .where('name', '=', name)
    .where('version', '=', version)
    .orderBy('at', 'desc')
    .orderBy('voter')
    .execute()

/** Deletes all but the latest `kept` answers about one version. */
export const deleteOldAnswers = async (tx: Queries, { name, version }: Name, kept: number): Promise<void> => {
  const answers = await listAnswers(tx, { name, version })
  const old = answers.slice(kept).map(({ voter }) => voter)
  if (old.length === 0) return
  await tx
    .deleteFrom('executor_answers')
    .where('name', '=', name)
    .where('version', '=', version)
    .where('voter', 'in', old)
    .execute()
}

export const updateFunctions = async (
  tx: Queries,
  { name, version }: Name,
  known: Pick<ExecutorRow, 'list' | 'functions' | 'answers'>,
): Promise<void> => {
  await tx
    .updateTable('executors')
    .set(known)
    .where('name', '=', name)
    .where('version', '=', version)
    .execute()
}

export type ExecutorPage = {
  readonly answers: number
  readonly name?: string | undefined
  readonly from: number
  readonly limit: number
}
/** Lists versions with at least `answers` answers, newest first. */
export const listExecutors = (
  db: Queries,
  { answers, name, from, limit }: ExecutorPage,
): Promise<ExecutorRow[]> =>
  db
    .selectFrom('executors')
    .selectAll()
    .where('answers', '>=', answers)
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .orderBy('first_at', 'desc')
    .orderBy('name')
    .orderBy('version')
    .limit(limit)
    .offset(from)
    .execute()

/** Returns, for each of these executors, the latest version that has enough answers. */
export const listNewestExecutors = async (
  db: Queries,
  names: readonly string[],
  answers: number,
): Promise<ExecutorRow[]> => {
  // PostgreSQL rejects an empty list after `in`.
  if (names.length === 0) return []
  const rows = await db
    .selectFrom('executors')
    .selectAll()
    .where('name', 'in', names)
    .where('answers', '>=', answers)
    .orderBy('first_at', 'desc')
    .execute()
  return rows.filter((row, i) => rows.findIndex(({ name }) => name === row.name) === i)
}

/** Deletes versions that no client has reported since `before`. */
export const deleteOldExecutors = async (tx: Queries, before: number, limit: number): Promise<number> => {
  const old = tx
    .selectFrom('executors')
    .select(['name', 'version'])
    .where('last_at', '<', before)
    .orderBy('last_at')
    .limit(limit)
  const rows = await skipLocked(old, tx).execute()
  for (const { name, version } of rows)
    await tx.deleteFrom('executors').where('name', '=', name).where('version', '=', version).execute()
  return rows.length
}
