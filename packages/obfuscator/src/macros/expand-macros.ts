/**
 * Expands macro calls such as `WARD_JIT(function() … end)`. Each call is replaced with its argument, which is
 * marked for later passes.
 */

import { lowerFloat } from '../lower/floats.ts'
import type { PassContext } from '../pass-context.ts'
import { MARK_BALANCED, MARK_LOCKED, MARK_NATIVE, MARK_STRONG } from '../semantics/function-marks.ts'
import { instantiate } from '../semantics/template.ts'
import type {
  Call,
  CallStatement,
  Chunk,
  Expression,
  FunctionExpression,
  GlobalName,
  Int64Literal,
  Node,
  NumberLiteral,
  Statement,
  StringLiteral,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { spellLiteral } from '../syntax/print/spelling.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { markFunctions, noteWithoutEffect, PRESET_MARKS } from './attributes.ts'
import { macroValue, withoutMacro } from './ignored-macros.ts'
import { guardedBody, guardedValue, type KeyGuard, numberAsText, readGuard } from './key-guards.ts'
import { macroOf } from './macro-names.ts'
import { type Macro, ruleOf } from './macro-table.ts'
import type { Notices } from './notices.ts'
import { varyNumber } from './varied-numbers.ts'

/** Macros that may be called as a statement. */
const STATEMENTS: ReadonlySet<Macro> = new Set(['crash', 'assumed', 'run', 'nothing', 'webhook', 'report'])
/** Macros that take a key and an expression to compare it with. */
const KEYED: ReadonlySet<Macro> = new Set(['string', 'number', 'buffer', 'locked'])
/** Macros that are values and cannot be called. */
const VALUES: ReadonlySet<Macro> = new Set(['obfuscated', 'version'])

export class MacroExpansion {
  /** Literals and functions that the author marked for protection, regardless of the options. */
  readonly insisted = new Set<Node>()
  /** Whether some functions are marked to stay completely or almost unchanged. */
  keepsFunctions = false
  readonly #context: PassContext
  readonly #called = new Set<GlobalName>()
  readonly #notices: Notices
  /** Number of enclosing WARD_SERVER calls. */
  #serverAround = 0
  #bare: SymbolId | null = null

  constructor(context: PassContext, notices: Notices) {
    this.#context = context
    this.#notices = notices
  }

  visitors(): Visitors {
    const targets = (list: readonly Target[]): undefined => {
      for (const each of list) this.#refuseTarget(each)
    }
    return {
      Assign: { enter: (node) => targets(node.targets) },
      CompoundAssign: { enter: (node) => targets([node.target]) },
      CallStatement: {
        enter: (node) => this.#statement(node),
        leave: (node, original) => this.#expandedStatement(node, original),
      },
      Call: {
        enter: (node) => {
          if (node.callee.kind === 'GlobalName') this.#called.add(node.callee)
          if (macroOf(node.callee) === 'server') this.#serverAround += 1
        },
        leave: (node) => this.#call(node),
      },
      GlobalName: (node) => this.#name(node),
    }
  }

  /** Declares the runtime function that makes functions without upvalues. */
  prologue(chunk: Chunk): readonly Statement[] {
    if (this.#bare === null) return []
    const made = instantiate(BARE, {}, this.#context.symbols, chunk.at)
    const freeze = (node: GlobalName): undefined => void this.#context.frozen.add(node)
    const visible: Visitors = {
      GlobalName: freeze,
      FunctionExpression: (node) => (node.isVararg ? { ...node, attributes: [MARK_NATIVE] } : undefined),
    }
    const symbol = this.#bare
    return made.map((each) => {
      const marked = rewrite(each, visible)
      if (marked.kind !== 'LocalFunction') return marked
      return { ...marked, binding: { ...marked.binding, symbol } }
    })
  }

  #refuseTarget(target: Target): void {
    const macro = macroOf(target)
    if (macro === null || target.kind !== 'GlobalName') return
    this.#called.add(target)
    const diagnostic = VALUES.has(macro) ? 'macroIsValue' : 'macroNotCalled'
    this.#context.diagnostics.report(target.at, diagnostic, target.name)
  }

  #name(node: GlobalName): Expression | undefined {
    const macro = macroOf(node)
    if (macro === null || this.#called.has(node)) return undefined
    const value = macroValue(macro, node.at, this.#context.diagnostics.lineOf(node.at))
    if (value === null) this.#context.diagnostics.report(node.at, 'macroNotCalled', node.name)
    else this.#note(macro, node)
    return value ?? undefined
  }

  #statement({ call, at }: CallStatement): boolean | readonly Statement[] | undefined {
    const callee = call.kind === 'Call' ? call.callee : null
    const macro = macroOf(callee)
    if (macro === null || callee?.kind !== 'GlobalName' || VALUES.has(macro)) return undefined
    if (macro === 'attributes') {
      this.#context.diagnostics.report(at, 'attributePlace', callee.name)
      return false
    }
    if (!STATEMENTS.has(macro)) {
      this.#context.diagnostics.report(at, 'macroUnused', callee.name)
      return false
    }
    if (macro !== 'nothing') return undefined
    if (call.args.length > 0) this.#context.diagnostics.report(at, 'macroTakesNothing', callee.name)
    this.#note(macro, callee)
    return []
  }

  /**
   * A statement that calls `LPH_ASSUME` is reduced to the argument of the call. The value of the argument is
   * discarded.
   */
  #expandedStatement(node: CallStatement, { call }: CallStatement): Statement | undefined {
    if (call.kind !== 'Call' || macroOf(call.callee) !== 'assumed') return undefined
    const make = nodesAt(node.at)
    return make.do([make.local([this.#context.symbols.fresh()], [node.call])])
  }

  #call(node: Call): Expression | undefined {
    const macro = macroOf(node.callee)
    if (macro === null || node.callee.kind !== 'GlobalName') return undefined
    const { name, at } = node.callee
    const { diagnostics } = this.#context
    if (macro === 'server') this.#serverAround -= 1
    if (macro === 'server') return undefined
    if (VALUES.has(macro)) diagnostics.report(at, 'macroIsValue', name)
    else if (macro === 'clean')
      diagnostics.report(at, node.args.length === 2 ? 'cleanPlace' : 'cleanArguments', name)
    else if (macro === 'report') return this.#report(node, name)
    else if (ruleOf(macro).arguments === '()') {
      if (node.args.length === 0) return this.#withoutArguments(macro, node.callee)
      diagnostics.report(at, 'macroTakesNothing', name)
    } else {
      const found = this.#withArguments(macro, node)
      if (found) return found
      if (macro === 'attributes') diagnostics.report(at, 'attributePlace', name)
      diagnostics.report(at, 'macroNeeds', name, `${name}${ruleOf(macro).arguments}`)
    }
    return undefined
  }

  #withoutArguments(macro: Macro, { at, name }: GlobalName): Expression | undefined {
    if (macro === 'crash') return this.#crash(at)
    if (macro === 'line') return macroValue(macro, at, this.#context.diagnostics.lineOf(at)) ?? undefined
    if (macro === 'nothing') {
      this.#context.diagnostics.report(at, 'macroIsStatement', name)
      return undefined
    }
    this.#note(macro, { at, name })
    return nodesAt(at).boolean(true)
  }

  #withArguments(macro: Macro, node: Call): Expression | null {
    const [only] = node.args
    if (macro === 'preset') return this.#preset(node)
    if (macro === 'vary') return varyNumber(node, this.#context, this.#notices, this.#serverAround > 0)
    if (node.args.length === 3 && KEYED.has(macro)) return this.#keyed(macro, node)
    const ignored = withoutMacro(macro, node)
    if (ignored && node.callee.kind === 'GlobalName') this.#note(macro, node.callee)
    if (ignored) return ignored
    return node.args.length === 1 && only ? this.#marked(macro, only) : null
  }

  /**
   * Loaders older than build 7 have no `ward.report`. With these loaders, the call only evaluates its
   * arguments.
   */
  #report({ args, at, callee }: Call, name: string): Expression | undefined {
    if (args.length < 1 || args.length > 2) {
      this.#context.diagnostics.report(callee.at, 'reportArguments', name)
      return undefined
    }
    const { ward } = this.#context
    const make = nodesAt(at)
    const nothing = make.function(make.block([]))
    const report = ward && make.index(make.use(ward), make.string('report'))
    return make.call(report ? make.logical(report, 'or', nothing) : nothing, ...args.map(oneValue))
  }

  /** A keyed value that is not a function is replaced with a call that returns the value. */
  #keyed(macro: Macro, node: Call): Expression | null {
    const [value] = node.args
    if (!value || node.callee.kind !== 'GlobalName') return null
    const guard = readGuard(this.#context, node.callee.name, node.args)
    if (!guard) return value
    if (macro === 'locked')
      return value.kind === 'FunctionExpression' ? this.#keyedFunction(value, guard) : null
    const marked = this.#marked(macro, value)
    const digits = macro === 'number' ? digitsOf(value) : null
    if (marked === null) return null
    const given = digits === null ? marked : numberAsText(nodesAt(value.at).string(digits))
    return guardedValue(given, guard, this.#context, this.insisted)
  }

  #keyedFunction(node: FunctionExpression, guard: KeyGuard): FunctionExpression {
    const guarded = { ...node, body: guardedBody(node.body, guard, this.#context, this.insisted) }
    return this.#context.service === null ? guarded : this.#locked(guarded)
  }

  #preset({ callee, args }: Call): Expression | null {
    const [preset, func] = args
    const name = preset?.kind === 'StringLiteral' ? preset.value : ''
    const mark = PRESET_MARKS.get(name)
    if (mark === undefined || func?.kind !== 'FunctionExpression' || args.length !== 2) {
      this.#context.diagnostics.report(callee.at, 'macroPreset', 'WARD_PRESET')
      return null
    }
    if (mark !== MARK_STRONG) this.keepsFunctions = true
    noteWithoutEffect(mark, { at: callee.at, name: `WARD_PRESET('${name}')` }, this.#context, this.#notices)
    return markFunctions(func, mark)
  }

  #note(macro: Macro, { at, name }: Pick<GlobalName, 'at' | 'name'>): void {
    const { kind, becomes, note } = ruleOf(macro)
    if (kind === 'ignored') this.#notices.add(at, `${name} becomes ${becomes}. ${note}`)
  }

  /** Builds an endless loop, because `pcall` can't interrupt it. */
  #crash(at: number): Expression {
    const make = nodesAt(at)
    const loop: Statement = { kind: 'While', at, condition: make.boolean(true), body: make.block([]) }
    return make.call(make.function(make.block([loop])))
  }

  #marked(macro: Macro, only: Expression): Expression | null {
    if (macro === 'buffer') return only.kind === 'StringLiteral' ? this.#buffer(only) : null
    if (macro === 'string') return only.kind === 'StringLiteral' ? this.#insisted(only, only) : null
    if (macro === 'number') {
      const literal = only.kind === 'Unary' && only.operator === '-' ? only.operand : only
      if (literal.kind === 'Int64Literal' && literal.isPlain) return this.#integer(only, literal)
      if (literal.kind !== 'NumberLiteral' || !Number.isFinite(literal.value)) return null
      return this.#number(only, literal)
    }
    if (only.kind !== 'FunctionExpression' || !isForFunctions(macro)) return null
    if (macro === 'hot' || macro === 'fast') {
      this.keepsFunctions = true
      return everyFunction(only, macro === 'hot' ? MARK_NATIVE : MARK_BALANCED)
    }
    if (macro === 'locked') return this.#locked(only)
    this.#bare ??= this.#context.symbols.fresh()
    return nodesAt(only.at).call(nodesAt(only.at).use(this.#bare), only)
  }

  #buffer(text: StringLiteral): Expression | null {
    const { target, diagnostics } = this.#context
    if (target !== 'luau' && target !== 'any') {
      diagnostics.report(text.at, 'notInTarget', 'a buffer', target)
    }
    if (target === 'any')
      this.#notices.add(text.at, 'buffers exist only in Luau: other hosts raise an error here')
    const make = nodesAt(text.at)
    const library: GlobalName = { kind: 'GlobalName', at: text.at, name: 'buffer' }
    return make.call(make.index(library, make.string('fromstring')), this.#insisted(text, text))
  }

  #locked(node: FunctionExpression): FunctionExpression {
    this.insisted.add(node)
    if (this.#context.service === null) {
      this.#notices.addUnprotected(
        node.at,
        'the key of this WARD_ENCFUNC is in the output because there is no server to hand it out',
      )
    }
    return { ...node, attributes: [...node.attributes, MARK_LOCKED] }
  }

  #number(whole: Expression, literal: NumberLiteral): Expression {
    if (!literal.isFloat) return this.#insisted(whole, literal)
    const float = lowerFloat(literal)
    return this.#insisted(whole.kind === 'Unary' ? { ...whole, operand: float } : float, float.left)
  }

  /**
   * Encodes an integer beyond 2^53 as a string of digits. Lua 5.4 converts the digits to the same integer.
   */
  #integer(whole: Expression, { at, value }: Int64Literal): Expression {
    const digits = nodesAt(at).string(`${BigInt.asIntN(64, value)}`)
    const number = numberAsText(digits)
    return this.#insisted(whole.kind === 'Unary' ? { ...whole, operand: number } : number, digits)
  }

  #insisted(whole: Expression, literal: Expression): Expression {
    this.insisted.add(literal)
    return whole
  }
}

/** Formats a number such that `tonumber` returns the same value and, in Lua 5.4, the same type. */
function digitsOf(node: Expression): string | null {
  if (node.kind === 'NumberLiteral') return spellLiteral(node)
  const inner = node.kind === 'Unary' ? digitsOf(node.operand) : null
  return inner === null ? null : `-${inner}`
}

function isForFunctions(macro: Macro): boolean {
  return macro === 'hot' || macro === 'fast' || macro === 'locked' || macro === 'bare'
}

function everyFunction(root: FunctionExpression, attribute: string): FunctionExpression {
  return rewrite(root, {
    FunctionExpression: (node) => ({ ...node, attributes: [...node.attributes, attribute] }),
  })
}

// The outer function finds the inner one in its environment, so it has no upvalue.
const BARE = `
  local function bare(inner)
    if not setfenv then return inner end
    return setfenv(function(...) return _(...) end, { _ = inner })
  end`
