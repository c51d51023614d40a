/** Lists an upload's files, and compares the files of two uploads. */
import type { V1ScriptVersionsSourceResponse } from '@scriptward/sdk'
import { NOTHING } from './upload-form.tsx'

export type Upload = V1ScriptVersionsSourceResponse

/** A changed, added or removed file. */
export type ChangedFile = {
  readonly path: string
  readonly state: 'changed' | 'added' | 'removed'
  readonly before: string
  readonly after: string
}

export function mainPathOf({ script_path: path }: Upload, otherwise = NOTHING.path): string {
  return path ?? otherwise
}

/** Returns the content of the files by path. The main file comes first. */
export function filesOf(upload: Upload, main = mainPathOf(upload)): ReadonlyMap<string, string> {
  const others = Object.entries(upload.files ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map([[main, upload.source], ...others])
}

/**
 * Compares two uploads. If one consists of a single file, that file is compared with the other upload's main
 * file.
 */
export function changedFiles(one: Upload, other: Upload): ChangedFile[] {
  const before = filesOf(one, mainPathOf(one, other.script_path ?? undefined))
  const after = filesOf(other, mainPathOf(other, one.script_path ?? undefined))
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((path) => {
    const [old, now] = [before.get(path), after.get(path)]
    if (old === now) return []
    const state = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
    return { path, state, before: old ?? '', after: now ?? '' }
  })
}
