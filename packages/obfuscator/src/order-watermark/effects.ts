/**
 * Determines what statements read and write, and whether two neighboring statements can be swapped. The order
 * of independent statements cannot be observed at run time.
 */

import type { Expression, Node, Statement, SymbolId } from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

export type Effects = {
  /** Locals that are read here. Excludes reads that nested functions perform when they are called. */
  readonly reads: ReadonlySet<SymbolId>
  readonly writes: ReadonlySet<SymbolId>
  /** Locals that occur here or in nested functions. */
  readonly named: ReadonlySet<SymbolId>
  /**
   * Whether the only effect is to set locals. No operation can raise an error, call a function or invoke a
   * metamethod.
   */
  readonly isSilent: boolean
  /**
   * Whether the nodes jump out of the statements, or collect garbage. Collecting garbage reveals which values
   * locals still refer to.
   */
  readonly isBound: boolean
}

const COLLECTION = 'collectgarbage'

/** @param nodes statements, and the conditions between them. */
export function effectsOf(nodes: readonly Node[]): Effects {
  const found = new EffectCollector()
  for (const each of nodes) found.look(each)
  return found
}

class EffectCollector implements Effects {
  readonly reads = new Set<SymbolId>()
  readonly writes = new Set<SymbolId>()
  readonly named = new Set<SymbolId>()
  isSilent = true
  isBound = false
  #loops = 0

  look(node: Node): void {
    if (!isSilent(node)) this.isSilent = false
    rewrite(node, this.#visitors)
  }

  readonly #visitors: Visitors = {
    LocalName: ({ symbol }) => this.#read(symbol),
    Binding: ({ symbol }) => this.#write(symbol),
    Assign: {
      enter: ({ targets, values }) => {
        for (const each of [...targets, ...values]) {
          if (each.kind === 'LocalName' && targets.includes(each)) this.#write(each.symbol)
          else rewrite(each, this.#visitors)
        }
        return false
      },
    },
    CompoundAssign: ({ target }) => {
      if (target.kind === 'LocalName') this.#write(target.symbol)
      return undefined
    },
    FunctionExpression: {
      enter: (node) => {
        rewrite(node, { LocalName: ({ symbol }): undefined => void this.named.add(symbol) })
        return false
      },
    },
    ...this.#insideLoops(),
    Break: () => this.#leave(),
    Continue: () => this.#leave(),
    Goto: () => this.#bind(),
    Label: () => this.#bind(),
    GlobalName: ({ name }) => (name === COLLECTION ? this.#bind() : undefined),
    StringLiteral: ({ value }) => (value === COLLECTION ? this.#bind() : undefined),
  }

  #insideLoops(): Visitors {
    const loop = {
      enter: (_: Node): undefined => this.#count(1),
      leave: (_: Node): undefined => this.#count(-1),
    }
    return { While: loop, Repeat: loop, NumericFor: loop, GenericFor: loop }
  }

  #count(by: number): undefined {
    this.#loops += by
  }

  #read(symbol: SymbolId): undefined {
    this.reads.add(symbol)
    this.named.add(symbol)
  }

  #write(symbol: SymbolId): undefined {
    this.writes.add(symbol)
    this.named.add(symbol)
  }

  #bind(): undefined {
    this.isBound = true
  }

  #leave(): undefined {
    if (this.#loops === 0) this.isBound = true
  }
}

function isSilent(node: Node): boolean {
  if (node.kind === 'LocalFunction') return true
  if (node.kind === 'Local') return node.values.every(isSilentValue)
  if (node.kind !== 'Assign') return false
  return node.targets.every(({ kind }) => kind === 'LocalName') && node.values.every(isSilentValue)
}

/**
 * Whether evaluating the expression has no side effects: it makes no calls, raises no errors and invokes no
 * metamethods.
 */
function isSilentValue(node: Expression): boolean {
  switch (node.kind) {
    case 'NilLiteral':
    case 'BooleanLiteral':
    case 'NumberLiteral':
    case 'StringLiteral':
    case 'LocalName':
    case 'FunctionExpression':
      return true
    case 'Paren':
      return isSilentValue(node.inner)
    case 'Unary':
      return node.operator === 'not' ? isSilentValue(node.operand) : isNegativeNumber(node)
    case 'Logical':
      return isSilentValue(node.left) && isSilentValue(node.right)
    case 'Table':
      return node.items.every(
        (item) => isSilentValue(item.value) && (item.kind !== 'KeyedItem' || isConstantKey(item.key)),
      )
    default:
      return false
  }
}

function isNegativeNumber(node: Expression): boolean {
  return node.kind === 'Unary' && node.operator === '-' && node.operand.kind === 'NumberLiteral'
}

/** Whether the expression is a constant that is valid as a table key. Such keys are never nil or NaN. */
function isConstantKey({ kind }: Expression): boolean {
  return kind === 'StringLiteral' || kind === 'NumberLiteral' || kind === 'BooleanLiteral'
}

/** Whether the statement is a declaration. Code before a declaration can't access the locals that it sets. */
export function isDeclaration({ kind }: Statement): boolean {
  return kind === 'Local' || kind === 'LocalFunction'
}

/**
 * Whether two neighboring statements can be swapped. If one of them does more than set locals, the other must
 * be a declaration.
 *
 * @param declaring those of `a` and `b` that are effects of declarations
 * @param isShared whether a call can change the local
 */
export function areIndependent(
  a: Effects,
  b: Effects,
  declaring: readonly Effects[],
  isShared: (symbol: SymbolId) => boolean,
): boolean {
  if (a.isBound || b.isBound) return false
  if (a.isSilent && b.isSilent) {
    return isDisjoint(a.writes, b.writes) && isDisjoint(a.writes, b.reads) && isDisjoint(b.writes, a.reads)
  }
  const [quiet, other] = a.isSilent ? [a, b] : [b, a]
  return (
    quiet.isSilent &&
    declaring.includes(quiet) &&
    isDisjoint(quiet.writes, other.named) &&
    isDisjoint(other.writes, quiet.reads) &&
    ![...quiet.reads].some(isShared)
  )
}

function isDisjoint(a: ReadonlySet<SymbolId>, b: ReadonlySet<SymbolId>): boolean {
  return ![...a].some((symbol) => b.has(symbol))
}
