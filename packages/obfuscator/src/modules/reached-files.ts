/** Which files a script consists of, for callers that have a disk and not a tree. */

import type { Problem } from '../options.ts'
import { refused } from '../read-source.ts'
import type { Dialect } from '../syntax/dialect.ts'
import { TreeReader } from './read-tree.ts'
import type { FileStore, SourceTree } from './source-tree.ts'

/** `files`: the main file, those that it reaches by `require`, and the `.luaurc` files that count for them. */
export type ReachedFiles = {
  readonly files: SourceTree['files']
  readonly errors: readonly Problem[]
}

/** In the order in which they are tried: which one is meant is an option, and the caller may not know it. */
const DIALECTS = ['any', 'lua54', 'gmod'] as const

/** What no dialect reads is refused with the complaints of the first. */
export function reachedFiles(main: string, store: FileStore): ReachedFiles {
  const first = reachedIn(DIALECTS[0], main, store)
  if (first.errors.length === 0) return first
  const others = DIALECTS.slice(1).map((dialect) => reachedIn(dialect, main, store))
  return others.find(({ errors }) => errors.length === 0) ?? first
}

function reachedIn(dialect: Dialect, main: string, store: FileStore): ReachedFiles {
  const reader = new TreeReader({ main, store, target: 'luau', dialect, parameters: () => [] })
  reader.read()
  const { diagnostics, joined } = reader
  const files = joined.files.map(({ path }) => [path, store.read(path) ?? ''] as const)
  return { files: Object.fromEntries(files), ...refused({ diagnostics, main }) }
}
