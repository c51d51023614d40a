/**
 * LuaJIT's rules for `goto`: a label is visible in its block and nested blocks, but not in nested
 * functions. Label names are unique per block, and a jump must not enter the scope of a local. This module
 * only reports violations.
 */

import type { Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Chunk, Goto, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/** Reports every `goto` and label that LuaJIT's compiler would reject. */
export function checkLabels(chunk: Chunk, diagnostics: Diagnostics): void {
  const frames: Frame[] = [{ blocks: [], repeated: new Set() }]
  const top = () => frames[frames.length - 1] as Frame
  rewrite(chunk, {
    FunctionExpression: {
      enter: () => void frames.push({ blocks: [], repeated: new Set() }),
      leave: () => void frames.pop(),
    },
    Repeat: { enter: (node) => void top().repeated.add(node.body) },
    Block: {
      enter(node) {
        top().blocks.push(node)
        refuseTwins(node, diagnostics)
      },
      leave: () => void top().blocks.pop(),
    },
    Goto: (node) => checkGoto(node, top(), diagnostics),
  })
}

/**
 * One function: its open blocks, outermost first, and the blocks whose locals are visible to a `repeat`
 * condition.
 */
type Frame = { readonly blocks: Block[]; readonly repeated: Set<Block> }

function refuseTwins(block: Block, diagnostics: Diagnostics): void {
  const met = new Set<string>()
  for (const each of block.statements) {
    if (each.kind !== 'Label') continue
    if (met.has(each.label)) diagnostics.report(each.at, 'repeatedLabel', each.label)
    met.add(each.label)
  }
}

function checkGoto(node: Goto, frame: Frame, diagnostics: Diagnostics): undefined {
  for (const block of frame.blocks.toReversed()) {
    const target = block.statements.findIndex((each) => each.kind === 'Label' && each.label === node.label)
    if (target < 0) continue
    const entered = entersScope(node, block.statements, target, frame.repeated.has(block))
    if (entered) diagnostics.report(node.at, 'jumpIntoLocal', node.label, entered.name)
    return
  }
  diagnostics.report(node.at, 'unknownLabel', node.label)
}

/**
 * A label at the end of its block is outside the scope of the block's locals, except in a `repeat`, whose
 * condition can use them.
 */
function entersScope(
  node: Goto,
  statements: readonly Statement[],
  target: number,
  isRepeated: boolean,
): Binding | undefined {
  const endsBlock = statements.slice(target).every((each) => each.kind === 'Label')
  if (endsBlock && !isRepeated) return undefined
  const entered = statements.slice(0, target).find((each) => each.at > node.at && declared(each))
  return entered && declared(entered)
}

function declared(statement: Statement): Binding | undefined {
  if (statement.kind === 'Local') return statement.bindings[0]
  return statement.kind === 'LocalFunction' ? statement.binding : undefined
}
