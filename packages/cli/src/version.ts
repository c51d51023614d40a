/** Version, commit and Node.js version of this installation. */

import { execFileSync } from 'node:child_process'
import manifest from '../package.json' with { type: 'json' }

export type Version = { readonly version: string; readonly commit: string | null; readonly node: string }

export function readVersion(): Version {
  return { version: manifest.version, commit: commitOfClone(), node: process.versions.node }
}

export function describeVersion({ version, commit, node }: Version): string {
  return `scriptward ${version}${commit === null ? '' : ` (${commit})`}, Node ${node}`
}

/** Finds no commit in a published package, because the source folder doesn't exist there. */
function commitOfClone(): string | null {
  try {
    const words = ['-C', import.meta.dirname, 'rev-parse', '--short=10', 'HEAD']
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}
