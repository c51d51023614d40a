// What authors say in their source: calls like `WARD_JIT(function() … end)`. Each becomes its argument, marked for the
// passes that follow; fallbacks for the unprotected file are dropped. What a mark means is known to the pass that reads it.

import type {
  Assign,
  Call,
  CallStatement,
  Chunk,
  Expression,
  FunctionExpression,
  GlobalName,
  If,
  IfClause,
  Local,
  Statement,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { FAST, HOT, LOCKED } from './attributes.ts'
import { nodesAt } from './build.ts'
import { withPrologue } from './lower-luau.ts'
import { knownTruth, type Macro, macroOf } from './macro-names.ts'
import type { Pass, Work } from './pass.ts'
import { instantiate } from './template.ts'

export const macros: Pass = {
  name: 'macros',
  summary: 'Follows what the author says by macros.',
  settings: [],
  run(chunk, work) {
    if (!PREFIXES.some(work.facts.mentions)) return chunk
    const following = new Following(work)
    const followed = rewrite(withoutFallbacks(chunk), following.visitors())
    return withPrologue(followed, following.prologue(chunk))
  },
}

const PREFIXES = ['WARD_', 'LPH_']

// --- fallbacks --------------------------------------------------------------------------------------------------------

/** Drops what is there for the unprotected file alone, and makes locals that hold a macro the macro. */
function withoutFallbacks(chunk: Chunk): Chunk {
  const aliases = new Map<SymbolId, string>()
  return rewrite(chunk, {
    If: folded,
    Assign: (node) => (isFallback(node) ? [] : undefined),
    Local(node) {
      const [binding] = node.bindings
      if (!binding || !isAlias(node)) return undefined
      aliases.set(binding.symbol, binding.name)
      return []
    },
    LocalName({ symbol, at }): Expression | undefined {
      const name = aliases.get(symbol)
      return name === undefined ? undefined : { kind: 'GlobalName', at, name }
    },
  })
}

function isFallback({ targets, values }: Assign): boolean {
  const [target] = targets
  const [value] = values
  if (targets.length !== 1 || values.length !== 1 || target?.kind !== 'GlobalName' || !value) return false
  return macroOf(target) !== null && (value.kind === 'FunctionExpression' || isChoice(value))
}

/** `MACRO or …` */
function isChoice(value: Expression): boolean {
  return value.kind === 'Logical' && value.operator === 'or' && knownTruth(value.left) === true
}

function isAlias({ bindings, values }: Local): boolean {
  const [value] = values
  if (bindings.length !== 1 || values.length !== 1 || !value || !macroOf(bindings[0] ?? null)) return false
  return isChoice(value) || macroOf(value) !== null
}

/** An `if` whose way is known here. */
function folded(node: If): Statement | Statement[] | undefined {
  if (node.clauses.every(({ condition }) => knownTruth(condition) === null)) return undefined
  const clauses: IfClause[] = []
  let { otherwise } = node
  for (const clause of node.clauses) {
    const truth = knownTruth(clause.condition)
    if (truth === null) clauses.push(clause)
    if (truth !== true) continue
    otherwise = clause.body
    break
  }
  if (clauses.length > 0) return { ...node, clauses, otherwise }
  return otherwise ? { kind: 'Do', at: node.at, body: otherwise } : []
}

// --- calls ------------------------------------------------------------------------------------------------------------

const EXAMPLES: Readonly<Record<string, string>> = {
  string: "('text')",
  number: '(12345)',
  function: '(function(...) ... end)',
}

class Following {
  readonly #work: Work
  readonly #called = new Set<GlobalName>()
  #bare: SymbolId | null = null

  constructor(work: Work) {
    this.#work = work
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

  /** What functions without upvalues are made by. */
  prologue(chunk: Chunk): readonly Statement[] {
    if (this.#bare === null) return []
    const made = instantiate(BARE, {}, this.#work.symbols, chunk.at)
    const seal = (node: GlobalName): undefined => void this.#work.facts.sealed.add(node)
    const visible: Visitors = {
      GlobalName: seal,
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
    const complaint = macro === 'obfuscated' ? 'macroIsValue' : 'macroNotCalled'
    this.#work.diagnostics.report(target.at, complaint, target.name)
  }

  #name(node: GlobalName): Expression | undefined {
    const macro = macroOf(node)
    if (macro === null || this.#called.has(node)) return undefined
    if (macro === 'obfuscated') return nodesAt(node.at).boolean(true)
    this.#work.diagnostics.report(node.at, 'macroNotCalled', node.name)
    return undefined
  }

  #statement({ call, at }: CallStatement): boolean | undefined {
    const callee = call.kind === 'Call' ? call.callee : null
    const macro = macroOf(callee)
    if (macro === null || macro === 'crash' || macro === 'obfuscated' || callee?.kind !== 'GlobalName')
      return undefined
    this.#work.diagnostics.report(at, 'macroUnused', callee.name)
    return false
  }

  #call(node: Call): Expression | undefined {
    const macro = macroOf(node.callee)
    if (macro === null || node.callee.kind !== 'GlobalName') return undefined
    const { name, at } = node.callee
    const { diagnostics } = this.#work
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

  /** A loop that no `pcall` leaves. */
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
      this.#work.facts.hasOpenCode = true
      return everyFunction(only, macro === 'hot' ? HOT : FAST)
    }
    if (macro === 'locked') return this.#locked(only)
    this.#bare ??= this.#work.symbols.fresh()
    return nodesAt(only.at).call(nodesAt(only.at).use(this.#bare), only)
  }

  #locked(node: FunctionExpression): FunctionExpression {
    const { facts, diagnostics } = this.#work
    facts.insisted.add(node)
    if (facts.service === null) {
      const line = diagnostics.lineOf(node.at)
      facts.warn(`the key of WARD_ENCFUNC at line ${line} is in the output, since no service hands one out`)
    }
    return { ...node, attributes: [...node.attributes, LOCKED] }
  }

  #insisted(whole: Expression, literal: Expression): Expression {
    this.#work.facts.insisted.add(literal)
    return whole
  }
}

function everyFunction(root: FunctionExpression, attribute: string): FunctionExpression {
  return rewrite(root, {
    FunctionExpression: (node) => ({ ...node, attributes: [...node.attributes, attribute] }),
  })
}

// The function that is given out finds the other one in its environment, where nothing lists it as an upvalue.
const BARE = `
  local function bare(inner)
    if not setfenv then return inner end
    return setfenv(function(...) return _(...) end, { _ = inner })
  end`
