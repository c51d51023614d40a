/** The last release before this commit, as the tags of git know it. Without a tag, as in a copy without history, there is none. */
import { spawnSync } from 'node:child_process'
import { ROOT } from './run.ts'

export type Release = { readonly tag: string; readonly version: string }

export function lastRelease(): Release | undefined {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*')?.trim()
  return tag === undefined ? undefined : { tag, version: tag.slice(1) }
}

/** The content of a file of the repository in that release. */
export function releasedFile({ tag }: Release, file: string): string | undefined {
  return git('show', `${tag}:${file}`)
}

/** Files below `folder` that were in that release and are not as they were. */
export function changedSince({ tag }: Release, folder: string): string[] {
  const changed = git('diff', '--name-only', '--diff-filter=a', tag, '--', folder) ?? ''
  return changed.split('\n').filter((line) => line !== '')
}

function git(...words: readonly string[]): string | undefined {
  const done = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 })
  return done.status === 0 ? done.stdout : undefined
}
