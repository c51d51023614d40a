/**
 * The rules for `goto`. A label is visible in its block and in nested blocks, but not in nested functions. A
 * jump must not enter the scope of a local. Label names are unique per block. In Lua 5.4, a label must also
 * not have the name of another visible label. Luau has a similar rule for `continue`. This module only
 * reports violations.
 */

import type { Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Chunk, Goto, Offset, Repeat, Statement } from '../syntax/ast.ts'
import { type Dialect, isLua54 } from '../syntax/dialect.ts'
import { ownLoopLevel, rewrite } from '../syntax/walk.ts'

/** Reports every `goto` and every label that a compiler would reject. */
export function checkLabels(chunk: Chunk, dialect: Dialect, diagnostics: Diagnostics): void {
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
        if (isLua54(dialect)) refuseNested(top().blocks, diagnostics)
      },
      leave: () => void top().blocks.pop(),
    },
    Goto: (node) => checkGoto(node, top(), diagnostics),
  })
}

/**
 * One function. `blocks` contains its open blocks, outermost first. `repeated` contains the blocks whose
 * locals the condition of a `repeat` can use.
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

/**
 * Reports labels in the innermost block that have the same name as a visible label in an enclosing block. Lua
 * 5.4 rejects them.
 */
function refuseNested(blocks: readonly Block[], diagnostics: Diagnostics): void {
  const inner = labelsOf(blocks.at(-1))
  if (inner.length === 0) return
  const outer = blocks.slice(0, -1).flatMap(labelsOf)
  for (const { at, label } of inner) {
    const isVisible = outer.some((each) => each.label === label && each.at < at)
    if (isVisible) diagnostics.report(at, 'nestedLabel', label)
  }
}

function labelsOf(block: Block | undefined) {
  return block?.statements.filter((each) => each.kind === 'Label') ?? []
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
 * A label at the end of its block is outside the scope of the block's locals. The exception is the body of a
 * `repeat`, because the condition of the `repeat` can use those locals.
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
  return allDeclared(statement)[0]
}

/**
 * Reports every local that the condition of a `repeat` uses although a `continue` may skip its declaration.
 * Luau rejects such code. Other hosts get code without `continue`, in which the local is nil.
 */
export function checkContinues(chunk: Chunk, diagnostics: Diagnostics): void {
  rewrite(chunk, {
    Repeat: {
      enter(node) {
        const first = firstContinue(node.body)
        if (first !== null) checkSkipped(node, first, diagnostics)
      },
    },
  })
}

function firstContinue(body: Block): Offset | null {
  let first: Offset | null = null
  rewrite(body, {
    ...ownLoopLevel,
    Continue({ at }) {
      first ??= at
    },
  })
  return first
}

function checkSkipped({ body, condition }: Repeat, first: Offset, diagnostics: Diagnostics): void {
  const skipped = body.statements.filter(({ at }) => at > first).flatMap(allDeclared)
  if (skipped.length === 0) return
  rewrite(condition, {
    LocalName({ symbol }) {
      const local = skipped.find((each) => each.symbol === symbol)
      if (local) diagnostics.report(first, 'continueSkipsLocal', local.name)
    },
  })
}

function allDeclared(statement: Statement): readonly Binding[] {
  if (statement.kind === 'Local') return statement.bindings
  return statement.kind === 'LocalFunction' ? [statement.binding] : []
}
