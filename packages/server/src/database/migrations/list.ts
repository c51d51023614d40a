/** Every migration in the order in which they run. Databases remember the names, so they never change. */
import type { Kysely } from 'kysely'
import { initial } from './0001-initial.ts'

export type Migration = {
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /**
   * For one that takes away what an older version of the service uses: the first version that does without it, which is not
   * later than the last release, and what it is. `docs/decisions/0060-old-code-on-a-newer-schema.md` says why.
   */
  readonly narrows?: { readonly oldest: string; readonly because: string }
}

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
}

/** In every database that was made before the first release, when the schema had many migrations; they are one now. */
export const UNRELEASED = '0002-access'
