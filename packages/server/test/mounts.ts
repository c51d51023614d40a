/** Disks of their own for a test: mounts that only a process and its children see. */
import { execFileSync } from 'node:child_process'

/** Arguments of `unshare`; without root in a user namespace. */
export const UNSHARE = process.getuid?.() === 0 ? ['-m'] : ['-rm']

/** Containers often may not. */
export function mayMount(): boolean {
  try {
    execFileSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
