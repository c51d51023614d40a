/**
 * Writes Luau syntax as the Lua 5.1 that every target runs. Each construct has a file in `lower/`;
 * `lower/runtime-support.ts` holds the functions that lowered code calls.
 */

import { lowerCompoundAssign } from '../lower/compound-assignment.ts'
import { type Loop, lowerContinue } from '../lower/continue.ts'
import { lowerGeneralizedFor } from '../lower/generic-for.ts'
import { lowerGoto } from '../lower/goto.ts'
import { lowerIfExpression, lowerIfLocal, lowerIfReturn } from '../lower/if-expressions.ts'
import { lowerInterpolation } from '../lower/interpolated-strings.ts'
import { createSupport, type Support } from '../lower/runtime-support.ts'
import type { PassContext } from '../pass-context.ts'
import { HOT } from '../semantics/function-marks.ts'
import type { Target as Host } from '../semantics/target.ts'
import type { Chunk, Node } from '../syntax/ast.ts'
import { dialectWords, type Feature, featureWords } from '../syntax/dialect.ts'
import { nodesAt, oneValue, withPrologue } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { varyGeneratedForms } from '../vary/statement-forms.ts'
import { definePass } from './pass.ts'

export const lowerLuau = definePass({
  name: 'lower-luau',
  summary: 'Writes Luau syntax in the Lua that the target runs.',
  settings: [],
  reads: [],
  writes: [],
  run(written, context) {
    const { target } = context
    const { mentions } = context.source
    // An unused label must be lowered too.
    const hasLabels = mentions('goto') || mentions('::')
    const chunk = target === 'luajit' || !hasLabels ? written : lowerGoto(written)
    if (target === 'luau') return { chunk: rewrite(chunk, foreign(context)) }
    const support = createSupport(context.symbols)
    const lowered = rewrite(chunk, { ...foreign(context), ...visitors(context, support) })
    const prologue = varyGeneratedForms(support.prologue(chunk.at), context.random)
    return { chunk: withPrologue(withDirectives(lowered, target), prologue) }
  },
})

/** Directives are comments to all other hosts, and only `any` may run on a Luau that reads them. */
function withDirectives(chunk: Chunk, host: Host): Chunk {
  return host === 'any' ? chunk : { ...chunk, directives: [] }
}

/** Reports syntax that only LuaJIT has: it cannot be lowered. */
function foreign({ target: host, diagnostics }: PassContext): Visitors {
  if (host === 'luajit') return {}
  const words = host === 'any' ? 'every target (Lua 5.1 and Luau do not have it)' : dialectWords[host]
  const refuse = (feature: Feature) => ({
    enter(node: Node): undefined {
      diagnostics.report(node.at, 'notInTarget', featureWords(feature), words)
    },
  })
  return {
    Goto: refuse('goto'),
    Label: refuse('goto'),
    Int64Literal: refuse('int64'),
    ImaginaryLiteral: refuse('imaginary'),
  }
}

function visitors({ symbols, source }: PassContext, support: Support): Visitors {
  // Looking for `continue` reads every loop once more.
  const canContinue = source.mentions('continue') || source.mentions('goto')
  const loop = (node: Loop): Loop => (canContinue ? lowerContinue(node, symbols) : node)
  return {
    Binding: (node) => (node.isConst ? { ...node, isConst: false } : undefined),
    FunctionExpression: (node) =>
      node.attributes.length > 0 ? { ...node, attributes: lowerAttributes(node.attributes) } : undefined,
    CompoundAssign: (node) => lowerCompoundAssign(node, symbols, support),
    Binary: (node) =>
      node.operator === '//'
        ? nodesAt(node.at).call(support.use('floorDivide', node.at), node.left, oneValue(node.right))
        : undefined,
    InterpolatedString: (node) => lowerInterpolation(node, support),
    IfExpression: lowerIfExpression,
    Local: lowerIfLocal,
    Return: lowerIfReturn,
    GenericFor: (node) => loop(lowerGeneralizedFor(node, support)),
    NumericFor: loop,
    While: loop,
    Repeat: loop,
  }
}

/** A function that Luau would compile to machine code should be fast on other hosts too. */
function lowerAttributes(attributes: readonly string[]): string[] {
  const own = attributes.filter((each) => each.startsWith(' '))
  return attributes.includes('native') ? [...own, HOT] : own
}
