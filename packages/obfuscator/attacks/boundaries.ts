/**
 * T8: counts the functions of the script. The attack assumes that every function after the startup code is
 * one of the author's. The score is the error of that count, computed like an F-measure.
 */

import type { Chunk, Offset } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import type { Attack } from './attack.ts'
import { findSeam } from './seam.ts'
import { readTree } from './tree.ts'

export const boundaries: Attack = {
  id: 'T8',
  name: 'number of functions',
  async run({ source }, { code }) {
    const tree = readTree(code)
    const { prelude, at } = findSeam(tree)
    const wanted = functionsIn(readTree(source), 0)
    const found = functionsIn(tree, prelude ? at : 0)
    const score = wanted === found ? 0 : 1 - (2 * Math.min(wanted, found)) / (wanted + found)
    return { score, evidence: `${found} functions where there are ${wanted}` }
  },
}

function functionsIn(chunk: Chunk, from: Offset): number {
  let count = 0
  rewrite(chunk, {
    FunctionExpression({ at }) {
      if (at >= from) count += 1
      return undefined
    },
  })
  return count
}
