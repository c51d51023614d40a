/** All migrations, in execution order. Databases store their names, so the names never change. */
import type { Kysely } from 'kysely'
import { initial } from './0001-initial.ts'

export type Migration = {
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /**
   * Set when a migration removes something that older versions use: the first version that works without it,
   * which is not later than the last release, and what was removed. See
   * `docs/decisions/0060-old-code-on-a-newer-schema.md`.
   */
  readonly narrows?: { readonly oldest: string; readonly because: string }
}

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
}

/**
 * Present in every database created before the first release. The many migrations from that time have since
 * been merged into one.
 */
export const UNRELEASED = '0002-access'
