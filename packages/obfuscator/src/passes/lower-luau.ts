/**
 * Lowers Luau and FiveM syntax to the Lua that the target runs. Each construct has its own file in `lower/`.
 * `lower/runtime-support.ts` contains the functions that lowered code calls.
 */

import { lowerClasses } from '../lower/classes.ts'
import { lowerCompoundAssign } from '../lower/compound-assignment.ts'
import { type Loop, lowerContinue } from '../lower/continue.ts'
import { Exports } from '../lower/exports.ts'
import { lowerFloat } from '../lower/floats.ts'
import { lowerGeneralizedFor } from '../lower/generic-for.ts'
import { lowerGoto } from '../lower/goto.ts'
import { lowerIfExpression, lowerIfLocal, lowerIfReturn } from '../lower/if-expressions.ts'
import { lowerInterpolation } from '../lower/interpolated-strings.ts'
import { createSupport, type Support } from '../lower/runtime-support.ts'
import { lowerSafe } from '../lower/safe-navigation.ts'
import { lowerUnpackedLocal, lowerUnpacking } from '../lower/unpacking.ts'
import { keepZeros } from '../lower/zeros.ts'
import type { PassContext, SourceFacts } from '../pass-context.ts'
import { MARK_NATIVE } from '../semantics/function-marks.ts'
import type { Target as Host } from '../semantics/target.ts'
import type { Chunk, Node } from '../syntax/ast.ts'
import { dialectWords, type Feature, featureWords } from '../syntax/dialect.ts'
import { nodesAt, oneValue, withPrologue } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { varyGeneratedForms } from '../vary/statement-forms.ts'
import { definePass } from './pass.ts'

export const lowerLuau = definePass({
  name: 'lower-luau',
  summary: 'Converts Luau syntax to Lua that the target can run.',
  settings: [],
  reads: [],
  writes: [],
  run(written, context) {
    const { target } = context
    const support = createSupport(context.symbols)
    const settled = lowerDeclarations(written, context, support)
    const chunk = target === 'luajit' || !mayHaveLabels(context.source) ? settled : lowerGoto(settled)
    const signed = target === 'lua51' || target === 'any' ? keepZeros(chunk, context) : chunk
    const lowered = rewrite(signed, { ...foreign(context), ...visitorsFor(context, support) })
    const prologue = varyGeneratedForms(support.prologue(chunk.at), context.random)
    return { chunk: withPrologue(withDirectives(lowered, target), prologue) }
  },
})

/** Labels must be handled even if no `goto` uses them. */
const mayHaveLabels = ({ mentions }: SourceFacts) => mentions('goto') || mentions('::')

/**
 * Classes and exports are lowered for Luau too, because most Luau hosts don't support them, and `_VERSION`
 * does not reveal which hosts do.
 */
function lowerDeclarations(chunk: Chunk, { symbols, source }: PassContext, support: Support): Chunk {
  const exports = source.mentions('export') ? new Exports(chunk, symbols) : null
  const whole = exports ? exports.lower(chunk, support) : chunk
  if (!source.mentions('class')) return whole
  return lowerClasses(whole, support, (binding) => exports?.targetOf(binding))
}

/**
 * Hosts other than Luau treat directives as comments, so directives are kept only if the output may run on
 * Luau.
 */
function withDirectives(chunk: Chunk, host: Host): Chunk {
  return host === 'any' || host === 'luau' ? chunk : { ...chunk, directives: [] }
}

function visitorsFor(context: PassContext, support: Support): Visitors {
  const { target } = context
  // The target is `luau` for code that a FiveM script moves to the server, so FiveM syntax is lowered here
  // too.
  if (target === 'luau') return visitorsOfFivem(context, support)
  return target === 'lua54' ? visitorsFor54(context, support) : visitors(context, support)
}

/**
 * On Lua 5.4, Lua's own syntax doesn't need lowering. The only constructs that are lowered are `continue`,
 * which becomes `goto`, FiveM's additions, and nodes that later passes don't handle.
 */
function visitorsFor54(context: PassContext, support: Support): Visitors {
  const { symbols, source } = context
  const hasLabels = mayHaveLabels(source)
  const loop = (node: Loop): Loop => lowerContinue(node, symbols, hasLabels)
  return {
    Binding: ({ attribute, ...node }) =>
      node.isConst ? { ...node, isConst: false, ...(attribute === 'close' ? { attribute } : {}) } : undefined,
    NumberLiteral: (node) => (node.isFloat ? lowerFloat(node) : undefined),
    CompoundAssign: (node) => lowerCompoundAssign(node, symbols),
    ...visitorsOfFivem(context, support),
    GenericFor: loop,
    NumericFor: loop,
    While: loop,
    Repeat: loop,
  }
}

function visitorsOfFivem({ symbols }: PassContext, support: Support): Visitors {
  return {
    Safe: (node) => lowerSafe(node, symbols, support),
    Local: (node) => lowerUnpackedLocal(node, symbols),
    Assign: (node) => lowerUnpacking(node, symbols),
  }
}

/** Reports syntax from LuaJIT and Lua 5.4 that the target doesn't support and that can't be lowered. */
function foreign({ target: host, diagnostics }: PassContext): Visitors {
  if (host === 'luajit' || host === 'lua54') return {}
  const words = host === 'any' ? 'every target (Lua 5.1 and Luau lack it)' : dialectWords[host]
  const refuse = (feature: Feature) => ({
    enter(node: Node): undefined {
      diagnostics.report(node.at, 'notInTarget', featureWords(feature), words)
    },
  })
  return {
    Goto: refuse('goto'),
    Label: refuse('goto'),
    Int64Literal: refuse('int64'),
    ImaginaryLiteral: {
      enter({ at, integer }) {
        if (host === 'luau' && integer !== null) return
        const feature = integer === null ? 'imaginary' : 'integer'
        diagnostics.report(at, 'notInTarget', featureWords(feature), words)
      },
    },
  }
}

function visitors({ symbols, source, target }: PassContext, support: Support): Visitors {
  // Checking a loop for `continue` takes an additional traversal, so it is skipped if possible.
  const canContinue = source.mentions('continue') || source.mentions('goto')
  const hasLabels = target === 'luajit' && mayHaveLabels(source)
  const loop = (node: Loop): Loop => (canContinue ? lowerContinue(node, symbols, hasLabels) : node)
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

/**
 * A function that Luau would compile to machine code should also be fast on other hosts, so it stays native.
 */
function lowerAttributes(attributes: readonly string[]): string[] {
  const own = attributes.filter((each) => each.startsWith(' '))
  return attributes.includes('native') ? [...own, MARK_NATIVE] : own
}
