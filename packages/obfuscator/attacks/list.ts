/** Lists all attacks in the order of docs/obfuscator.md, and the programs that they run on. */

import { readdirSync, readFileSync } from 'node:fs'
import type { Attack, Sample } from './attack.ts'
import { boundaries } from './boundaries.ts'
import { chosenEdits } from './chosen.ts'
import { disguised } from './disguised.ts'
import { edits } from './edits.ts'
import { errors } from './errors.ts'
import { folding } from './folding.ts'
import { forcedBranches } from './forced.ts'
import { hooks } from './hooks.ts'
import { lifter } from './lift/lifter.ts'
import { shingles, subtrees } from './likeness.ts'
import { loading } from './loading.ts'
import { marks } from './marks.ts'
import { replaced } from './replaced.ts'
import { reprint } from './reprint.ts'
import { readSample } from './sample.ts'
import { successors } from './successors.ts'
import { coldSweep, sweep } from './sweep.ts'
import { verbatim } from './verbatim.ts'

/** @param seconds the time limit for forcing branches in each program. */
export function listAttacks(seconds: number): readonly Attack[] {
  return [
    verbatim,
    folding,
    hooks,
    sweep,
    coldSweep,
    forcedBranches(seconds),
    successors,
    boundaries,
    shingles,
    subtrees,
    edits,
    reprint,
    replaced,
    errors,
    loading,
    lifter,
    chosenEdits,
    disguised,
    marks,
  ]
}

const FOLDER = new URL('programs/', import.meta.url)

export function readSamples(): Promise<Sample[]> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.lua'))
  return Promise.all(names.map((name) => readSample(name, readFileSync(new URL(name, FOLDER), 'latin1'))))
}
