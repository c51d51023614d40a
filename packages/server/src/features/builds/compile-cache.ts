import { getCompileCacheDir } from 'node:module'
import path from 'node:path'

/** The environment of a child process or thread that may use the compiled code of this one, and nothing else. */
export function compileCacheOnly(): { readonly NODE_COMPILE_CACHE?: string } {
  // Node.js names a folder of this version, and expects the one above.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) }
}
