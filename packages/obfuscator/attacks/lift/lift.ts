/** Lifts an output on any host. Attack T16 scores the result, and the playground shows it. */

import type { Bytes, Statement, SymbolId } from '../../src/syntax/ast.ts'
import { rewrite } from '../../src/syntax/walk.ts'
import type { RunLua } from '../attack.ts'
import { findSeam } from '../seam.ts'
import { readTree } from '../tree.ts'
import { explore, type Lifted } from './explore.ts'
import { Oracle } from './oracle.ts'

/**
 * Maximum number of rounds. Each round may decrypt strings that lead to more code, which contains more
 * strings.
 */
const MAX_ROUNDS = 8

export async function liftWith(code: Bytes, run: RunLua): Promise<Lifted> {
  const seam = findSeam(readTree(code))
  const oracle = new Oracle(code, seam.prelude ? namesIn(seam.script) : new Map(), run)
  if (seam.prelude) await oracle.round()
  let lifted = explore(seam, oracle)
  for (let i = 0; i < MAX_ROUNDS && oracle.hasQuestions; i++) {
    oracle.words = lifted.strings
    await oracle.round()
    lifted = explore(seam, oracle)
  }
  return lifted
}

/** Returns the top-level locals of a script. */
function namesIn(script: readonly Statement[]): ReadonlyMap<SymbolId, Bytes> {
  const names = new Map<SymbolId, Bytes>()
  for (const each of script) {
    rewrite(each, {
      FunctionExpression: { enter: () => false },
      Binding: ({ symbol, name }): undefined => void names.set(symbol, name),
    })
  }
  return names
}

/**
 * Returns the number of recovered functions, each weighted by the similarity of its decisions, return values
 * and constants.
 */
export function likenessOf(wanted: Lifted['functions'], found: Lifted['functions']): number {
  const pairs = wanted.flatMap((a, i) => found.map((b, k) => ({ i, k, likeness: alike(a, b) })))
  const [used, taken] = [new Set<number>(), new Set<number>()]
  let sum = 0
  for (const { i, k, likeness } of pairs.sort((a, b) => b.likeness - a.likeness)) {
    if (used.has(i) || taken.has(k)) continue
    used.add(i)
    taken.add(k)
    sum += likeness
  }
  return sum
}

/** Returns the F-measure of two sets. */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((each) => b.has(each)).length
  return a.size + b.size === 0 ? 1 : (2 * shared) / (a.size + b.size)
}
