/**
 * Chooses seeds and targets for tests of guarantees that must hold for every seed and target. Daytime runs
 * use one seed, which differs for each commit, and the `any` target. Nightly runs use four seeds, and also
 * each host's target.
 */

import { spawnSync } from 'node:child_process'
import { effort } from '../../client/test/effort.ts'

/**
 * The seed for the builds, printed if a test fails. `SCRIPTWARD_SEED=commit-1a2b3c4d npx vitest run …` builds
 * the same bytes again.
 */
export const SEED: string = process.env.SCRIPTWARD_SEED ?? seedOfCommit()

export const seeds: readonly (number | string)[] = effort({ day: [SEED], night: [SEED, 1, 2, 3] })

/** The targets to build for. `own` lists the targets of the host that runs the output. */
export function targets<Own extends string>(...own: readonly Own[]): readonly (Own | 'any')[] {
  return effort<readonly (Own | 'any')[]>({ day: ['any'], night: [...own, 'any'] })
}

function seedOfCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  // A copy of the files without the Git history has no commit.
  return `commit-${(stdout ?? '').slice(0, 8) || 'unknown'}`
}
