/** The manifest is the first part of a backup. The other parts are checked against it. */
import { type Contents, NEWEST_SCHEMA } from '../../../database/engine/contents.ts'
import { migrations } from '../../../database/migrations/list.ts'

export type FileMark = { readonly bytes: number; readonly sha256: string }

export type Manifest = Contents & {
  readonly format: number
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** Version of the server that made the backup. */
  readonly service: string
  readonly made_at: number
  readonly keyring: FileMark
  readonly database: FileMark
}

/** An error that an operator can fix: a problem with a backup, its location or the database. */
export class BackupFault extends Error {}

export const FORMAT = 1
const MARK = /^[0-9a-f]{64}$/

/** Throws a {@link BackupFault} if this version cannot restore the backup. */
export function parseManifest(text: string): Manifest {
  const found = parsed(text)
  if (typeof found.format !== 'number') throw new BackupFault(FOREIGN)
  if (found.format > FORMAT) throw new BackupFault(newer(found, `format ${found.format}`))
  if (!isWhole(found)) throw new BackupFault('the backup is damaged: its manifest is incomplete')
  if (found.schema !== '' && !(found.schema in migrations))
    throw new BackupFault(newer(found, `schema ${found.schema}, newer than ${NEWEST_SCHEMA}`))
  return found
}

export const FOREIGN = 'this is not a Scriptward backup'

function newer({ service }: Partial<Manifest>, what: string): string {
  return `the backup was made by a newer version of Scriptward (${service ?? 'unknown'}, with ${what}): restore it with that version or a later one`
}

function parsed(text: string): Partial<Manifest> {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found === 'object' && found !== null) return found
  } catch {
    // Invalid JSON gets the same error as a manifest of the wrong shape.
  }
  throw new BackupFault(FOREIGN)
}

function isWhole(found: Partial<Manifest>): found is Manifest {
  const { engine, schema, counts, made_at } = found
  const marks = [found.keyring, found.database]
  return (
    (engine === 'SQLite' || engine === 'PostgreSQL') &&
    typeof schema === 'string' &&
    Number.isSafeInteger(made_at) &&
    typeof counts === 'object' &&
    marks.every((mark) => Number.isSafeInteger(mark?.bytes) && MARK.test(mark?.sha256 ?? ''))
  )
}
