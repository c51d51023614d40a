/** Scripts that consist of several files, and the rules for the paths of those files. */

import type { Problem } from '../options.ts'

/**
 * The files of a script by path, and the path of its main file. Paths are relative to one folder and use `/`
 * as the separator. Files that are never required are ignored.
 */
export type SourceTree = {
  readonly main: string
  readonly files: Readonly<Record<string, string | Uint8Array>>
}

/** Maximum number of files in a source tree. */
const MAX_FILES = 2000
const MAX_PATH = 200
const MAX_SEGMENTS = 20
const MAX_PROBLEMS = 20

/** Returns the `param` of errors about a file. */
export function paramOf(path: string): string {
  return `files[${JSON.stringify(path)}]`
}

/** Validates the paths. Returns at most 20 errors, or none if the source tree can be read. */
export function checkTree({ main, files }: SourceTree): readonly Problem[] {
  const paths = Object.keys(files)
  if (paths.length > MAX_FILES) {
    const message = `there are ${paths.length} files: send at most ${MAX_FILES}, only those that the script requires`
    return [{ param: 'files', message }]
  }
  const problems: Problem[] = paths.flatMap((path) => {
    const problem = problemOfPath(path)
    return problem === null ? [] : [{ param: paramOf(path.slice(0, MAX_PATH)), message: problem }]
  })
  if (!Object.hasOwn(files, main)) {
    problems.push({ param: 'files', message: `the main file ${JSON.stringify(main)} is not among the files` })
  }
  return problems.slice(0, MAX_PROBLEMS)
}

/** Returns the error in a path, with its fix; null if the path is valid. */
function problemOfPath(path: string): string | null {
  if (/\p{Cc}/u.test(path)) return 'has a control character in its path: rename the file'
  if (path.length > MAX_PATH) return `has a path of more than ${MAX_PATH} characters: shorten it`
  if (path.includes('\\')) return "has a '\\' in its path: separate folders with '/'"
  if (/^([/~]|[A-Za-z]:)/.test(path))
    return 'has an absolute path: write it relative to the folder of the files'
  const segments = path.split('/')
  if (segments.includes('..')) return "has '..' in its path: write it relative to the folder of the files"
  if (segments.some((each) => each === '' || each === '.'))
    return "has an empty or '.' segment in its path: remove it"
  if (segments.length > MAX_SEGMENTS) return `is more than ${MAX_SEGMENTS - 1} folders deep: move it up`
  return null
}

/** Where files are read from: a source tree in memory, or a disk. */
export type FileStore = {
  /** Returns the contents of a file; null if the file does not exist. */
  read(path: string): string | Uint8Array | null
  /** Whether this folder contains any files. */
  isFolder(path: string): boolean
}

export function storeOf(files: SourceTree['files']): FileStore {
  const folders = new Set<string>()
  for (const path of Object.keys(files)) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      folders.add(path.slice(0, at))
    }
  }
  return {
    read: (path) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null),
    isFolder: (path) => folders.has(path),
  }
}
