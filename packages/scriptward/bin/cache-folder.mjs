/**
 * Returns the folder for data that an installed package can recreate: a downloaded Node.js and compiled code.
 */
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Returns `scriptward` in the user's cache folder: `XDG_CACHE_HOME` or `~/.cache`, or `%LOCALAPPDATA%` on
 * Windows. Returns undefined if the user has no home folder. Relative paths are ignored, as the XDG Base
 * Directory Specification requires.
 */
export function cacheFolder({ platform, env }, home = homedir) {
  const places = platform === 'win32' ? path.win32 : path.posix
  const given = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME
  if (given && places.isAbsolute(given)) return places.join(given, 'scriptward')
  try {
    return places.join(home(), '.cache', 'scriptward')
  } catch {
    // In a container, the current user may have no entry in the system's user database.
    return undefined
  }
}
