/** Version, commit and Node.js version of this installation. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.dirname(import.meta.dirname)

export type Version = { readonly version: string; readonly commit: string | null; readonly node: string }

export function readVersion(): Version {
  const { version, commit } = JSON.parse(readFileSync(path.join(FOLDER, 'package.json'), 'utf8')) as {
    readonly version: string
    /** Only in a published package. A clone asks git. */
    readonly commit?: string
  }
  return { version, commit: commit ?? commitOfClone(), node: process.versions.node }
}

export function describeVersion({ version, commit, node }: Version): string {
  return `scriptward ${version}${commit === null ? '' : ` (${commit})`}, Node ${node}`
}

function commitOfClone(): string | null {
  try {
    const words = ['-C', FOLDER, 'rev-parse', '--short=10', 'HEAD']
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}
