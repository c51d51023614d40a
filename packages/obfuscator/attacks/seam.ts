/**
 * Finds the end of the startup code in an output by its shape: the last long `do … end` in the outermost
 * function that has one. The startup results that the script needs are in locals declared before that block.
 */

import type { Binding, Bytes, Chunk, Do, FunctionExpression, Offset, Statement } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import { readTree } from './tree.ts'

export type Seam = {
  /** Offset of the first statement of the script. */
  readonly at: Offset
  /** The locals that hold the results of the startup code. */
  readonly locals: readonly Binding[]
  readonly prelude: Do | null
  readonly script: readonly Statement[]
}

/** Minimum size of the startup code in bytes. Shorter blocks belong to the author's code. */
const MIN_BYTES = 1500

/** If there is no startup code, the seam is after the first statement of the script. */
export function findSeam(chunk: Chunk): Seam {
  const bodies: (readonly Statement[])[] = [chunk.body.statements]
  const enter = ({ body }: FunctionExpression): undefined => void bodies.push(body.statements)
  rewrite(chunk, { FunctionExpression: { enter } })
  for (const statements of bodies) {
    const i = statements.findLastIndex((each, at) => isPrelude(each, statements[at + 1]))
    const [prelude, next] = [statements[i], statements[i + 1]]
    if (prelude?.kind !== 'Do' || !next) continue
    return { at: next.at, locals: localsOf(statements.slice(0, i)), prelude, script: statements.slice(i + 1) }
  }
  const script = chunk.body.statements
  return { at: script[1]?.at ?? 0, locals: [], prelude: null, script }
}

function isPrelude(statement: Statement, next: Statement | undefined): boolean {
  return statement.kind === 'Do' && next !== undefined && next.at - statement.at >= MIN_BYTES
}

function localsOf(statements: readonly Statement[]): Binding[] {
  return statements.flatMap((each) => (each.kind === 'Local' ? each.bindings : []))
}

/**
 * Inserts a call to the attacker's global function after the startup code, on the same line. The function
 * receives a table of the startup code's locals by name.
 */
export function callAtSeam(code: Bytes, global: Bytes): Bytes {
  const { at, locals } = findSeam(readTree(code))
  const fields = locals.map(({ name }) => `${name}=${name}`).join(',')
  return `${code.slice(0, at)}${global}({${fields}}) ${code.slice(at)}`
}
