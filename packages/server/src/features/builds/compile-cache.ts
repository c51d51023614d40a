import { getCompileCacheDir } from 'node:module'
import path from 'node:path'

/**
 * Environment for a child process or thread: only the variable that lets it reuse this process's compile
 * cache.
 */
export function compileCacheOnly(): { readonly NODE_COMPILE_CACHE?: string } {
  // Node.js returns the subfolder for its own version, but the variable must contain the parent folder.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) }
}
