/** Checks, stores and opens an upload's files. */
import { checkTree, type Source } from '@scriptward/obfuscator'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'

export type SourceFiles = {
  /** Path of the file that runs. */
  readonly script_path: string
  /** The other files by path. */
  readonly files: Readonly<Record<string, string>>
}

/** The same fields as in an upload. */
export type FileMembers = {
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly script_path?: string | undefined
}

const DEFAULT_PATH = 'main.lua'
const MAX_FIELD = 200

/** Returns null for a single-file script. */
export function filesOf({ files, script_path = DEFAULT_PATH }: FileMembers): SourceFiles | null {
  return files && Object.keys(files).length > 0 ? { script_path, files } : null
}

export function sourceOf(script: string, given: SourceFiles | null): Source {
  return given === null ? script : { main: given.script_path, files: allFiles(script, given) }
}

/** Returns the total size of all files in bytes. */
export function sizeOf(script: string, given: SourceFiles | null): number {
  const others = given === null ? [] : Object.values(given.files)
  return [script, ...others].reduce((size, text) => size + Buffer.byteLength(text), 0)
}

export function checkFiles(
  script: string,
  given: SourceFiles | null,
): Refused<'invalid_request'> | undefined {
  if (given === null) return undefined
  const { script_path: path } = given
  const twice = Object.hasOwn(given.files, path)
    ? [
        {
          param: `files[${JSON.stringify(path)}]`,
          message: 'is the path of `script` itself. Leave it out, or set script_path',
        },
      ]
    : []
  const problems = [...twice, ...checkTree({ main: path, files: allFiles(script, given) })]
  if (problems.length === 0) return undefined
  const failed = problems.map(({ param, message }) => ({
    field: param.slice(0, MAX_FIELD),
    errors: [message],
  }))
  return refuse('invalid_request', { failed })
}

export function sealFiles({ secrets }: Deps, scriptId: string, given: SourceFiles | null): Uint8Array | null {
  return given && secrets.seal('files', scriptId, JSON.stringify(given))
}

export function openFiles(
  { secrets }: Deps,
  scriptId: string,
  sealed: Uint8Array | null,
): SourceFiles | null {
  return sealed && (JSON.parse(secrets.openText('files', scriptId, sealed)) as SourceFiles)
}

/** Uses `Object.fromEntries`, so that a path such as `__proto__` becomes an ordinary property. */
function allFiles(script: string, { script_path, files }: SourceFiles): Record<string, string> {
  return Object.fromEntries([...Object.entries(files), [script_path, script]])
}
