/**
 * Copies the SQLite database of a data folder into an empty PostgreSQL database. The folder is not modified,
 * and any failure leaves the target empty.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  type Ask,
  type Contents,
  NEWEST_SCHEMA,
  readContents,
  readSamples,
} from '../../../database/engine/contents.ts'
import {
  type Filled,
  fillPostgres,
  NotEmpty,
  NotEqual,
  type Step,
} from '../../../database/engine/postgres/fill.ts'
import { holdWrites, lastNumbers, readSqlite, sqliteTables } from '../../../database/engine/sqlite/copy.ts'
import { migrations } from '../../../database/migrations/list.ts'
import { type KeyringPlace, readKeyring } from '../../../platform/secrets/keyring.ts'
import { tryKeyring } from './make.ts'
import { BackupFault } from './manifest.ts'

export type Moving = {
  /** The keyring stays in this location. */
  readonly from: KeyringPlace
  /** `postgres://…` */
  readonly to: string
  readonly signal: AbortSignal
  /** `share` is the completed fraction of the step, from 0 to 1. */
  readonly report: (step: Step, share: number) => void
}

/** Thrown if PostgreSQL is unreachable or returned an error, which is the `cause`. */
export class TargetFault extends Error {}

/**
 * Resolves to a summary of the move. Throws a {@link BackupFault} whose message explains the fix, a {@link
 * TargetFault}, an AbortError or a SQLite error. The caller must ensure that no server is running.
 */
export async function moveToPostgres({ from, to, signal, report }: Moving): Promise<Filled> {
  const file = databaseIn(from)
  const release = holdWrites(file)
  try {
    return await readSqlite(file, async (read, ask) => {
      const { counts } = await examine(from, ask)
      const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const last = await lastNumbers(ask)
      return await fillPostgres({ url: to, read, rows, lastNumbers: last, signal, report }).catch(
        (error: unknown) => {
          throw faultOf(error)
        },
      )
    })
  } finally {
    release()
  }
}

/** Throws if there is no database. */
export function databaseIn({ dataDir }: Pick<KeyringPlace, 'dataDir'>): string {
  const file = path.join(dataDir, 'scriptward.db')
  if (!existsSync(file)) throw new BackupFault(`no SQLite database in ${dataDir}: check SCRIPTWARD_DATA_DIR`)
  return file
}

/** Checks that the database has this version's schema and that the keyring decrypts its content. */
async function examine(from: KeyringPlace, ask: Ask): Promise<Contents> {
  const contents = await readContents(ask, sqliteTables)
  const { schema } = contents
  if (schema !== NEWEST_SCHEMA)
    throw new BackupFault(
      schema === '' || schema in migrations
        ? `the database has schema ${schema || '(none)'}, but this version needs ${NEWEST_SCHEMA}: start this version once with ${from.dataDir}, stop it, and run the command again`
        : `the database was changed by a newer version of Scriptward (${schema}): move it with that version`,
    )
  tryKeyring(await readKeyring(from), await readSamples(ask, contents))
  return contents
}

function faultOf(error: unknown): unknown {
  if (error instanceof NotEmpty)
    return new BackupFault(
      'the PostgreSQL database already contains tables: create an empty one with createdb, and use its URL',
    )
  if (error instanceof NotEqual)
    return new BackupFault(
      `not every row was copied correctly (${error.message}), so the copy was discarded: please report this as a bug`,
    )
  return (error as Error).name === 'AbortError' ? error : new TargetFault('', { cause: error })
}
