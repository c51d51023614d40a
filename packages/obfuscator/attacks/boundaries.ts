/**
 * T8: finds the functions of the script. Every function of the output is taken for one of the author's,
 * recognised by its parameters. The score is the error of that list, by the F-measure.
 */

import type { Chunk } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import type { Attack } from './attack.ts'
import { readTree } from './tree.ts'

export const boundaries: Attack = {
  id: 'T8',
  name: 'function boundaries',
  async run({ source }, { code }) {
    const [wanted, found] = [functionsOf(readTree(source)), functionsOf(readTree(code))]
    const rest = new Map<string, number>()
    for (const each of wanted) rest.set(each, (rest.get(each) ?? 0) + 1)
    let right = 0
    for (const each of found) {
      const left = rest.get(each) ?? 0
      if (left > 0) right += 1
      rest.set(each, left - 1)
    }
    const score = 1 - (2 * right) / (wanted.length + found.length)
    return { score, evidence: `${right} of ${wanted.length} functions among ${found.length}` }
  },
}

function functionsOf(chunk: Chunk): string[] {
  const found: string[] = []
  rewrite(chunk, {
    FunctionExpression: (node) => void found.push(`${node.parameters.length}${node.isVararg ? '...' : ''}`),
  })
  return found
}
