/** Provides separate disks for a test, as mounts that only one process and its children can see. */
import { execFileSync } from 'node:child_process'

/** Arguments for `unshare`. Without root, `unshare` needs a user namespace. */
export const UNSHARE = process.getuid?.() === 0 ? ['-m'] : ['-rm']

/** Returns whether the process may mount file systems, which many containers forbid. */
export function mayMount(): boolean {
  try {
    execFileSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
