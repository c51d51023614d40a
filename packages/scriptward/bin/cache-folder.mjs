/** Where an installed package keeps what it can make again: a downloaded Node.js and compiled code. */
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Returns `scriptward` in the user's cache folder: `XDG_CACHE_HOME` or `~/.cache`, `%LOCALAPPDATA%` on Windows; undefined
 * for a user without a home folder. The XDG Base Directory Specification ignores relative paths, and so does this
 * function.
 */
export function cacheFolder({ platform, env }, home = homedir) {
  const places = platform === 'win32' ? path.win32 : path.posix
  const given = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME
  if (given && places.isAbsolute(given)) return places.join(given, 'scriptward')
  try {
    return places.join(home(), '.cache', 'scriptward')
  } catch {
    // Containers may run as a user that the system doesn't know.
    return undefined
  }
}
