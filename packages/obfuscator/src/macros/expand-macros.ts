/**
 * Expands macro calls such as `WARD_JIT(function() … end)`: each call becomes its argument, marked for later
 * passes.
 */

import type { PassContext } from '../pass-context.ts'
import { FAST, HOT, LOCKED } from '../semantics/function-marks.ts'
import { instantiate } from '../semantics/template.ts'
import type {
  Call,
  CallStatement,
  Chunk,
  Expression,
  FunctionExpression,
  GlobalName,
  Node,
  Statement,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { type Macro, macroOf } from './macro-names.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  string: "('text')",
  number: '(12345)',
  function: '(function(...) ... end)',
}

export class MacroExpansion {
  /** Literals and functions that the author asks to hide, whatever the options say. */
  readonly insisted = new Set<Node>()
  /** Whether the author wants some functions to stay unchanged, or nearly. */
  keepsFunctions = false
  readonly #context: PassContext
  readonly #called = new Set<GlobalName>()
  #bare: SymbolId | null = null

  constructor(context: PassContext) {
    this.#context = context
  }

  visitors(): Visitors {
    const targets = (list: readonly Target[]): undefined => {
      for (const each of list) this.#refuseTarget(each)
    }
    return {
      Assign: { enter: (node) => targets(node.targets) },
      CompoundAssign: { enter: (node) => targets([node.target]) },
      CallStatement: { enter: (node) => this.#statement(node) },
      Call: {
        enter: (node) => {
          if (node.callee.kind === 'GlobalName') this.#called.add(node.callee)
        },
        leave: (node) => this.#call(node),
      },
      GlobalName: (node) => this.#name(node),
    }
  }

  /** Declares the function that creates functions without upvalues. */
  prologue(chunk: Chunk): readonly Statement[] {
    if (this.#bare === null) return []
    const made = instantiate(BARE, {}, this.#context.symbols, chunk.at)
    const freeze = (node: GlobalName): undefined => void this.#context.frozen.add(node)
    const visible: Visitors = {
      GlobalName: freeze,
      FunctionExpression: (node) => (node.isVararg ? { ...node, attributes: [HOT] } : undefined),
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
    const diagnostic = macro === 'obfuscated' ? 'macroIsValue' : 'macroNotCalled'
    this.#context.diagnostics.report(target.at, diagnostic, target.name)
  }

  #name(node: GlobalName): Expression | undefined {
    const macro = macroOf(node)
    if (macro === null || this.#called.has(node)) return undefined
    if (macro === 'obfuscated') return nodesAt(node.at).boolean(true)
    this.#context.diagnostics.report(node.at, 'macroNotCalled', node.name)
    return undefined
  }

  #statement({ call, at }: CallStatement): boolean | undefined {
    const callee = call.kind === 'Call' ? call.callee : null
    const macro = macroOf(callee)
    if (macro === null || macro === 'crash' || macro === 'obfuscated' || callee?.kind !== 'GlobalName')
      return undefined
    this.#context.diagnostics.report(at, 'macroUnused', callee.name)
    return false
  }

  #call(node: Call): Expression | undefined {
    const macro = macroOf(node.callee)
    if (macro === null || node.callee.kind !== 'GlobalName') return undefined
    const { name, at } = node.callee
    const { diagnostics } = this.#context
    if (macro === 'obfuscated') diagnostics.report(at, 'macroIsValue', name)
    else if (macro === 'crash') {
      if (node.args.length === 0) return this.#crash(at)
      diagnostics.report(at, 'macroTakesNothing', name)
    } else {
      const [only] = node.args
      const found = node.args.length === 1 && only ? this.#marked(macro, only) : null
      if (found) return found
      const kind = macro === 'string' || macro === 'number' ? macro : 'function'
      diagnostics.report(at, 'macroNeeds', name, `${name}${EXAMPLES[kind]}`)
    }
    return undefined
  }

  /** An endless loop, which no `pcall` ends. */
  #crash(at: number): Expression {
    const make = nodesAt(at)
    const loop: Statement = { kind: 'While', at, condition: make.boolean(true), body: make.block([]) }
    const func: FunctionExpression = {
      kind: 'FunctionExpression',
      at,
      attributes: [],
      parameters: [],
      isVararg: false,
      body: make.block([loop]),
    }
    return make.call(func)
  }

  #marked(macro: Macro, only: Expression): Expression | null {
    if (macro === 'string') return only.kind === 'StringLiteral' ? this.#insisted(only, only) : null
    if (macro === 'number') {
      const literal = only.kind === 'Unary' && only.operator === '-' ? only.operand : only
      const isNumber = literal.kind === 'NumberLiteral' && Number.isFinite(literal.value)
      return isNumber ? this.#insisted(only, literal) : null
    }
    if (only.kind !== 'FunctionExpression') return null
    if (macro === 'hot' || macro === 'fast') {
      this.keepsFunctions = true
      return everyFunction(only, macro === 'hot' ? HOT : FAST)
    }
    if (macro === 'locked') return this.#locked(only)
    this.#bare ??= this.#context.symbols.fresh()
    return nodesAt(only.at).call(nodesAt(only.at).use(this.#bare), only)
  }

  #locked(node: FunctionExpression): FunctionExpression {
    const { report, service, diagnostics } = this.#context
    this.insisted.add(node)
    if (service === null) {
      const line = diagnostics.lineOf(node.at)
      report.warn(`the key of WARD_ENCFUNC at line ${line} is in the output, since no service hands one out`)
    }
    return { ...node, attributes: [...node.attributes, LOCKED] }
  }

  #insisted(whole: Expression, literal: Expression): Expression {
    this.insisted.add(literal)
    return whole
  }
}

function everyFunction(root: FunctionExpression, attribute: string): FunctionExpression {
  return rewrite(root, {
    FunctionExpression: (node) => ({ ...node, attributes: [...node.attributes, attribute] }),
  })
}

// The outer function finds the inner one in its environment, where it is not listed as an upvalue.
const BARE = `
  local function bare(inner)
    if not setfenv then return inner end
    return setfenv(function(...) return _(...) end, { _ = inner })
  end`
