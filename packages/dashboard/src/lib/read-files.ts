/** Reads a script's files, either from a folder or chosen one by one. */
import { readSource } from './read-source.ts'

/**
 * `files` maps paths relative to the chosen folder to content. `errors` explains which files were rejected.
 */
export type ChosenFiles = {
  readonly files: Readonly<Record<string, string>>
  readonly errors: readonly string[]
}

/** A file with its path relative to the chosen or dropped folder. */
export type FoundFile = { readonly path: string; readonly file: File }

const WANTED = /\.luau?$|(^|\/)\.luaurc$/i
const ALIASES = /(^|\/)\.luaurc$/

/** Silently skips files that are not sources. */
export async function readFiles(found: Iterable<FoundFile>): Promise<ChosenFiles> {
  const files: Record<string, string> = {}
  const errors: string[] = []
  for (const { path, file } of found) {
    if (!WANTED.test(path)) continue
    const read = ALIASES.test(path) ? { source: await file.text() } : await readSource(file)
    if ('error' in read) errors.push(read.error)
    else files[path] = read.source
  }
  return { files, errors }
}

/** Guesses the main file: a top-level `main` or `init` if there is one, otherwise the first file. */
export function likelyMain(paths: readonly string[]): string | undefined {
  const sources = paths.filter((path) => !ALIASES.test(path)).sort(byDepth)
  return sources.find((path) => /(^|\/)(main|init)(\.(client|server))?\.luau?$/.test(path)) ?? sources[0]
}

/** Reads a file input. Paths don't include the name of the chosen folder. */
export function foundFiles(chosen: FileList | null): FoundFile[] {
  return [...(chosen ?? [])].map((file) => {
    const { webkitRelativePath: path, name } = file
    return { path: path === '' ? name : path.slice(path.indexOf('/') + 1), file }
  })
}

function byDepth(left: string, right: string): number {
  return left.split('/').length - right.split('/').length || (left < right ? -1 : 1)
}
