/**
 * T16: lifts an entire output. The attacker lets the startup code run, takes the values it leaves behind,
 * follows every dispatch loop with them, and makes the output decrypt its own strings, including those of
 * code that never runs.
 */

import type { Bytes, Statement, SymbolId } from '../../src/syntax/ast.ts'
import { rewrite } from '../../src/syntax/walk.ts'
import type { Attack, Host } from '../attack.ts'
import { within } from '../host.ts'
import { findSeam } from '../seam.ts'
import { readTree } from '../tree.ts'
import { explore, type Lifted } from './explore.ts'
import { Oracle } from './oracle.ts'

/** Decrypted strings lead to more code, and therefore to more strings. */
const MAX_ROUNDS = 8

export const lifter: Attack = {
  id: 'T16',
  name: 'lifted: cold strings, numbers, functions',
  async run({ source, secrets }, { code }, host) {
    const [wanted, found] = [await lift(source, host), await lift(code, host)]
    const numbers = [...secrets.numbers].filter((each) => found.numbers.has(each) || found.numbers.has(-each))
    const parts: { what: string; count: number; of: number }[] = [
      { what: 'cold strings', count: within([...found.strings], secrets.cold).length, of: secrets.cold.size },
      { what: 'numbers', count: numbers.length, of: secrets.numbers.size },
      {
        what: 'functions',
        count: likenessOf(wanted.functions, found.functions),
        of: wanted.functions.length,
      },
    ].filter(({ of }) => of > 0)
    const share = parts.reduce((sum, { count, of }) => sum + count / of, 0) / parts.length
    const evidence = parts.map(({ what, count, of }) => `${Number(count.toFixed(1))} of ${of} ${what}`)
    return { score: Math.max(0, 1 - share), evidence: evidence.join(', ') }
  },
}

export async function lift(code: Bytes, host: Host): Promise<Lifted> {
  const seam = findSeam(readTree(code))
  const oracle = new Oracle(code, seam.prelude ? namesIn(seam.script) : new Map(), host)
  if (seam.prelude) await oracle.round()
  let lifted = explore(seam, oracle)
  for (let i = 0; i < MAX_ROUNDS && oracle.hasQuestions; i++) {
    oracle.words = lifted.strings
    await oracle.round()
    lifted = explore(seam, oracle)
  }
  return lifted
}

/** The locals of a script outside of its functions. */
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
 * The number of recovered functions, each weighted by the similarity of its decisions, return values and
 * constants.
 */
function likenessOf(wanted: Lifted['functions'], found: Lifted['functions']): number {
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

/** The F-measure of two sets. */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((each) => b.has(each)).length
  return a.size + b.size === 0 ? 1 : (2 * shared) / (a.size + b.size)
}
