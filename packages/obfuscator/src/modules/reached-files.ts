/** Collects a script's files, for callers that read the files from disk. */

import type { Problem } from '../options.ts'
import { refused } from '../read-source.ts'
import { type Dialect, isLua54 } from '../syntax/dialect.ts'
import { TreeReader } from './read-tree.ts'
import type { FileStore, SourceTree } from './source-tree.ts'

/**
 * `files` contains the main file, the files that it reaches through `require`, and the `.luaurc` files that
 * apply to them.
 */
export type ReachedFiles = {
  readonly files: SourceTree['files']
  readonly errors: readonly Problem[]
}

/**
 * Dialects in order of preference. The dialect is a build option that the caller may not know, so all of them
 * are tried.
 */
const DIALECTS = ['any', 'lua54', 'gmod', 'fivem'] as const

/** If no dialect can parse the files, returns the errors of the first dialect. */
export function reachedFiles(main: string, store: FileStore): ReachedFiles {
  const first = reachedIn(DIALECTS[0], main, store)
  if (first.errors.length === 0) return first
  const others = DIALECTS.slice(1).map((dialect) => reachedIn(dialect, main, store))
  return others.find(({ errors }) => errors.length === 0) ?? first
}

function reachedIn(dialect: Dialect, main: string, store: FileStore): ReachedFiles {
  const escapes = isLua54(dialect) ? 'lua54' : 'any'
  const reader = new TreeReader({ main, store, target: 'luau', dialect, escapes, parameters: () => [] })
  reader.read()
  const { diagnostics, joined } = reader
  const files = joined.files.map(({ path }) => [path, store.read(path) ?? ''] as const)
  return { files: Object.fromEntries(files), ...refused({ diagnostics, main }) }
}
