/** Reads the files of a script that an author chose, of a folder or one by one. */
import { readSource } from './read-source.ts'

/** `files`: texts by paths below the folder that was chosen. `errors`: why a file was left out. */
export type ChosenFiles = {
  readonly files: Readonly<Record<string, string>>
  readonly errors: readonly string[]
}

/** A file by its path below the folder that was chosen or dropped. */
export type FoundFile = { readonly path: string; readonly file: File }

const WANTED = /\.luau?$|(^|\/)\.luaurc$/i
const ALIASES = /(^|\/)\.luaurc$/

/** Of a folder, everything that is no source is left out without a word. */
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

/** The file that most likely runs: a `main` or an `init` at the top, or else the first. */
export function likelyMain(paths: readonly string[]): string | undefined {
  const sources = paths.filter((path) => !ALIASES.test(path)).sort(byDepth)
  return sources.find((path) => /(^|\/)(main|init)(\.(client|server))?\.luau?$/.test(path)) ?? sources[0]
}

/** What an input for files gives: paths are without the name of the folder that was chosen. */
export function foundFiles(chosen: FileList | null): FoundFile[] {
  return [...(chosen ?? [])].map((file) => {
    const { webkitRelativePath: path, name } = file
    return { path: path === '' ? name : path.slice(path.indexOf('/') + 1), file }
  })
}

function byDepth(left: string, right: string): number {
  return left.split('/').length - right.split('/').length || (left < right ? -1 : 1)
}
