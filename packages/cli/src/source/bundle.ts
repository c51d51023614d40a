/** Reads a script and the files it requires from disk. */

import { readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type FileStore, type Problem, reachedFiles, type Source } from '@scriptward/obfuscator'
import { SourceFault, usage } from '../faults.ts'
import { decodeSource } from './source-file.ts'

export type Bundle = {
  /** Input for the local obfuscator: the bytes of one file, or the files of a source tree. */
  readonly source: Source
  /** File paths, starting with the entry. */
  readonly files: readonly string[]
  /** Prefixes a diagnostic with the path of its file. */
  locate(problem: Problem): string
  /** Request fields for an upload. Throws a usage error for files that are not UTF-8. */
  members(): UploadedFiles
}

export type UploadedFiles = {
  readonly script: string
  readonly script_path?: string
  readonly files?: Record<string, string>
}

/**
 * @param root the source root, which contains all files.
 * @param looked collects the paths that were looked up, including missing files.
 */
export async function bundle(entry: string, root: string, looked = new Set<string>()): Promise<Bundle> {
  const bytes = await readFile(entry)
  const main = path.relative(root, entry).replaceAll(path.sep, '/')
  if (main.startsWith('../') || path.isAbsolute(main))
    throw usage(
      `${entry} is not in ${root}. Pass --root with a folder that contains the file and everything it requires.`,
    )
  const onDisk = (file: string) => (file === main ? entry : path.join(root, file))
  const locate = ({ param, message }: Problem) => `${onDisk(fileOf(param) ?? main)}: ${message}`
  const { files, errors } = reachedFiles(main, diskBelow(root, { main, bytes }, looked))
  if (errors.length > 0) throw new SourceFault(...errors.map(locate))
  const others = Object.entries(files).filter(([file]) => file !== main)
  const text = (file: string, content: string | Uint8Array) => decodeSource(onDisk(file), content)
  return {
    source: others.length === 0 ? bytes : { main, files },
    files: [entry, ...others.map(([file]) => onDisk(file))],
    locate,
    members: () => ({
      script: text(main, bytes),
      ...(others.length > 0 && {
        script_path: main,
        files: Object.fromEntries(others.map(([file, content]) => [file, text(file, content)])),
      }),
    }),
  }
}

/** Extracts the path from a parameter name such as `files["lib/a.lua"]`. */
function fileOf(param: string): string | undefined {
  const quoted = /^files\[(".*")\]$/.exec(param)?.[1]
  return quoted && String(JSON.parse(quoted))
}

type Main = { readonly main: string; readonly bytes: Uint8Array }

function diskBelow(root: string, { main, bytes }: Main, looked: Set<string>): FileStore {
  const read = new Map<string, Uint8Array | null>([[main, bytes]])
  return {
    read(file) {
      const known = read.get(file)
      if (known !== undefined) return known
      looked.add(path.join(root, file))
      const found = readIfFile(path.join(root, file))
      read.set(file, found)
      return found
    },
    isFolder: (folder) =>
      statSync(path.join(root, folder), { throwIfNoEntry: false })?.isDirectory() === true,
  }
}

function readIfFile(file: string): Uint8Array | null {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : null
}
