/** Determines the commit of the running sources. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import manifest from '../package.json' with { type: 'json' }

export const { version } = manifest

const CLONE = path.resolve(import.meta.dirname, '../../..')

/** Returns a clone's commit, or undefined for any other installation. */
export function commitIn(folder = CLONE): string | undefined {
  const git = path.join(folder, '.git')
  const head = textIn(path.join(git, 'HEAD'))
  const ref = /^ref: (\S+)/.exec(head)?.[1]
  if (ref === undefined) return commitOf(head)
  // A reference has its own file, or a line in the file of packed references.
  const packed = textIn(path.join(git, 'packed-refs')).split('\n')
  return commitOf(textIn(path.join(git, ref)) || (packed.find((line) => line.endsWith(` ${ref}`)) ?? ''))
}

function commitOf(text: string): string | undefined {
  return /^[0-9a-f]{40,64}/.exec(text)?.[0]
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
