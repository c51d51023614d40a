/**
 * Follows the blocks of every dispatch loop for each known state, and records the constants and decisions in
 * them. Follows both branches of the author's conditions (sparse conditional constant propagation).
 */

import type {
  Block,
  Expression,
  FunctionExpression,
  If,
  Node,
  Statement,
  SymbolId,
} from '../../src/syntax/ast.ts'
import { rewrite } from '../../src/syntax/walk.ts'
import { followStates, isChoiceByNumber, stateOf, type Way } from '../follow.ts'
import type { Seam } from '../seam.ts'
import { describe } from './describe.ts'
import { evaluate, evaluateTruth, hashedText, type Known } from './evaluate.ts'
import { Facts } from './facts.ts'
import type { Oracle, Value } from './oracle.ts'

export type Lifted = {
  readonly strings: ReadonlySet<string>
  readonly numbers: ReadonlySet<number>
  /** The decisions, return values and constants of each function. The first function is the script itself. */
  readonly functions: readonly ReadonlySet<string>[]
  /** Statements and conditions in the order that they were followed, with all known values substituted. */
  readonly lines: readonly string[]
}

type Exit = Way<Known>
type Loop = Extract<Statement, { readonly body: Block }>

const MAX_EXITS = 24
const MAX_STEPS = 2_000_000

export function explore({ locals, prelude, script }: Seam, oracle: Oracle): Lifted {
  const body: Block = { kind: 'Block', at: 0, statements: script }
  const exploring = new Exploring(oracle, body, prelude !== null)
  const known = new Map<SymbolId, Value>()
  for (const { symbol, name } of locals) {
    const value = oracle.locals.get(name)
    if (value !== undefined) known.set(symbol, value)
  }
  exploring.function(body, known)
  const { strings, numbers } = exploring.facts
  return { strings, numbers, functions: exploring.functions, lines: exploring.lines }
}

class Exploring {
  readonly facts: Facts
  readonly functions: Set<string>[] = []
  readonly lines: string[] = []
  readonly #oracle: Oracle
  /** Number of assignments to each local. */
  readonly #assigned: ReadonlyMap<SymbolId, number>
  /** Locals that determine the next block of a dispatch loop. */
  readonly #states: ReadonlySet<SymbolId>
  readonly #isProtected: boolean
  readonly #entered = new Set<FunctionExpression>()
  #features = new Set<string>()
  #steps = 0
  /** Whether the current block is being read without knowing which block comes next. */
  #isBlind = false
  /** Whether the state of the current dispatch loop has been unknown at any point. */
  #isLost = false

  constructor(oracle: Oracle, body: Block, isProtected: boolean) {
    this.#oracle = oracle
    this.#assigned = assignedIn(body)
    this.#isProtected = isProtected
    this.#states = isProtected ? statesIn(body) : new Set()
    this.facts = new Facts(oracle, (node, known) => this.#enter(node, known))
  }

  function(body: Block, known: Known): void {
    const outer = this.#features
    this.#features = new Set()
    this.functions.push(this.#features)
    this.#block(body, known)
    this.#features = outer
  }

  /**
   * Follows a function with only the values of outer locals that can't change: locals that are never
   * assigned, or that are assigned only once, with a table.
   */
  #enter(node: FunctionExpression, known: Known): void {
    if (this.#entered.has(node)) return
    this.#entered.add(node)
    const isCertain = ([symbol, value]: [SymbolId, Value]) =>
      !this.#assigned.has(symbol) || (this.#assigned.get(symbol) === 1 && isTable(value))
    this.function(node.body, new Map([...known].filter(isCertain)))
  }

  #read(node: Expression | null, known: Known): void {
    if (node !== null) this.facts.read(node, known, this.#features)
  }

  #line(kind: string, nodes: readonly Expression[], known: Known): void {
    this.lines.push(`${kind} ${nodes.map((each) => describe(each, known, this.#oracle)).join(', ')}`)
  }

  #value(node: Expression | undefined, known: Known): Value | undefined {
    return evaluate(node, known, this.#oracle)
  }

  #block(block: Block, known: Known): Exit[] {
    let open: Known[] = [known]
    const exits: Exit[] = []
    for (const statement of block.statements) {
      const all = open.flatMap((each) => this.#statement(statement, each))
      exits.push(...all.filter(({ how }) => how !== 'next'))
      open = joined(all.filter(({ how }) => how === 'next').map((exit) => exit.known))
      if (open.length === 0) break
    }
    return [...exits, ...open.map((each): Exit => ({ how: 'next', known: each }))]
  }

  #statement(statement: Statement, known: Known): Exit[] {
    this.#steps += 1
    if (this.#steps > MAX_STEPS) return []
    switch (statement.kind) {
      case 'Do':
        return this.#block(statement.body, known)
      case 'If':
        return this.#if(statement, known, false)
      case 'While':
      case 'Repeat':
      case 'NumericFor':
      case 'GenericFor':
        return this.#loop(statement, known)
      case 'Break':
        return [{ how: 'break', known }]
      case 'Return':
        this.facts.returns(statement.values, known, this.#features)
        this.#line('return', statement.values, known)
        return [{ how: 'away', known }]
      default:
        return [{ how: 'next', known: this.#simple(statement, known) }]
    }
  }

  #simple(statement: Statement, known: Known): Known {
    if (statement.kind === 'CallStatement') {
      this.#read(statement.call, known)
      this.#line('call', [statement.call], known)
    }
    if (statement.kind === 'LocalFunction') this.#enter(statement.func, known)
    if (statement.kind === 'CompoundAssign') {
      this.#read(statement.target as Expression, known)
      this.#read(statement.value, known)
    }
    if (statement.kind !== 'Local' && statement.kind !== 'Assign') return known
    const after = new Map(known)
    const targets = statement.kind === 'Local' ? statement.bindings : statement.targets
    for (const [i, value] of statement.values.entries()) {
      const symbol = symbolOf(targets[i])
      if (symbol !== null && this.#states.has(symbol)) continue
      this.#read(value, known)
      this.#line('set', [value], known)
    }
    for (const [i, target] of targets.entries()) {
      const symbol = symbolOf(target)
      if (symbol === null) this.#read(target as Expression, known)
      else this.#set(after, symbol, this.#value(statement.values[i], known))
    }
    return after
  }

  #set(known: Map<SymbolId, Value>, symbol: SymbolId, value: Value | undefined): void {
    const isKept =
      this.#states.has(symbol) ||
      (this.#isProtected && (!this.#assigned.has(symbol) || typeof value === 'object'))
    if (value === undefined || !isKept) known.delete(symbol)
    else known.set(symbol, value)
  }

  #if(statement: If, known: Known, isChoice: boolean): Exit[] {
    const exits: Exit[] = []
    let otherwise = known
    for (const { condition, body } of statement.clauses) {
      const truth = evaluateTruth(this.#value(condition, otherwise))
      const isState = truth === undefined && isChoice && this.#comparesState(condition)
      if (isState) this.#isLost = true
      if (isState && !this.#isBlind) return exits
      if (truth === undefined && !isState) {
        this.facts.decide(condition, otherwise, this.#features)
        this.#line('if', [condition], otherwise)
      }
      const held = truth === undefined ? this.#learnt(condition, true, otherwise) : otherwise
      if (truth !== false) exits.push(...this.#way(body, held, otherwise, isChoice))
      if (truth === true) return exits
      if (truth === undefined) otherwise = this.#learnt(condition, false, otherwise)
    }
    if (statement.otherwise) exits.push(...this.#way(statement.otherwise, otherwise, known, isChoice))
    else exits.push({ how: 'next', known })
    return exits
  }

  /**
   * Whether a condition depends on the state. While the state is unknown, no values are known in the code
   * that such a condition guards.
   */
  #comparesState(node: Expression): boolean {
    if (node.kind !== 'Binary') return false
    return [node.left, node.right].some((each) => each.kind === 'LocalName' && this.#states.has(each.symbol))
  }

  /** What a condition implies is known only in the block that it guards. */
  #way(body: Block, held: Known, known: Known, isChoice: boolean): Exit[] {
    const exits = this.#chosen(body, held, isChoice)
    const learnt = [...held.keys()].filter((symbol) => !known.has(symbol))
    if (learnt.length === 0) return exits
    return exits.map((exit) => ({ ...exit, known: without(exit.known, new Set(learnt)) }))
  }

  #chosen(body: Block, known: Known, isChoice: boolean): Exit[] {
    const [only] = body.statements
    const goesOn = isChoice && body.statements.length === 1 && only?.kind === 'If' && isChoiceByNumber(only)
    return goesOn ? this.#if(only, known, true) : this.#block(body, known)
  }

  /**
   * Derives the value of a local from a comparison with a known string or number, given the outcome of the
   * comparison.
   */
  #learnt(node: Expression, isTrue: boolean, known: Known): Known {
    if (node.kind === 'Unary' && node.operator === 'not') return this.#learnt(node.operand, !isTrue, known)
    if (node.kind === 'Logical' && (node.operator === 'and') === isTrue)
      return this.#learnt(node.right, isTrue, this.#learnt(node.left, isTrue, known))
    if (node.kind !== 'Binary' || node.operator !== (isTrue ? '==' : '~=')) return known
    const hashed = hashedText(node, known, this.#oracle)
    if (hashed) return known.has(hashed.symbol) ? known : new Map(known).set(hashed.symbol, hashed.text)
    for (const [side, other] of [
      [node.left, node.right],
      [node.right, node.left],
    ] as const) {
      const value = this.#value(other, known)
      if (side.kind === 'LocalName' && value !== undefined && !known.has(side.symbol))
        return new Map(known).set(side.symbol, value)
    }
    return known
  }

  #loop(loop: Loop, known: Known): Exit[] {
    const states = this.#isProtected ? stateOf(loop.body) : new Set<SymbolId>()
    const forget = new Set([...assignedIn(loop.body).keys()].filter((each) => !states.has(each)))
    if (loop.kind === 'NumericFor' || loop.kind === 'GenericFor') this.#head(loop, known)
    if (states.size > 0) return this.#blocks(loop.body, without(known, forget), states)
    const inside = without(known, forget)
    if (loop.kind === 'While') this.facts.decide(loop.condition, inside, this.#features)
    const exits = this.#block(loop.body, inside)
    if (loop.kind === 'Repeat') this.facts.decide(loop.condition, inside, this.#features)
    const after = exits.filter(({ how }) => how !== 'away').map((each) => without(each.known, forget))
    const isEndless = loop.kind === 'While' && this.#value(loop.condition, inside) === true
    const ways = isEndless ? after : [...after, inside]
    return [
      ...exits.filter(({ how }) => how === 'away'),
      ...joined(ways).map((each): Exit => ({ how: 'next', known: each })),
    ]
  }

  /** Numeric and generic `for` loops are recorded as comparisons. */
  #head(loop: Extract<Loop, { readonly kind: 'NumericFor' | 'GenericFor' }>, known: Known): void {
    if (loop.kind === 'GenericFor') {
      for (const each of loop.values) this.#read(each, known)
      this.facts.note('equal', [], this.#features)
      return
    }
    this.#read(loop.start, known)
    this.#read(loop.step, known)
    this.#read(loop.limit, known)
    const limit = this.#value(loop.limit, known)
    this.facts.note('order', typeof limit === 'number' ? [`${limit}`] : [], this.#features)
  }

  /**
   * If the state becomes unknown, reads each block once in isolation. This collects everything that does not
   * depend on the state.
   */
  #blocks(body: Block, known: Known, states: ReadonlySet<SymbolId>): Exit[] {
    const [wasBlind, wasLost] = [this.#isBlind, this.#isLost]
    this.#isBlind = false
    this.#isLost = false
    const exits = followStates(known, states, (state) => this.#round(body, state))
    if (this.#isLost) {
      this.#isBlind = true
      exits.push(...this.#round(body, without(known, states)).filter(({ how }) => how !== 'next'))
    }
    this.#isBlind = wasBlind
    this.#isLost = wasLost
    return exits.map((exit) => (exit.how === 'break' ? { ...exit, how: 'next' } : exit))
  }

  #round(body: Block, known: Known): Exit[] {
    const last = body.statements[body.statements.length - 1] as If
    const before = this.#block({ ...body, statements: body.statements.slice(0, -1) }, known)
    return before.flatMap((exit) => (exit.how === 'next' ? this.#if(last, exit.known, true) : [exit]))
  }
}

function symbolOf(node: Node | undefined): SymbolId | null {
  return node?.kind === 'Binding' || node?.kind === 'LocalName' ? node.symbol : null
}

function assignedIn(root: Node): ReadonlyMap<SymbolId, number> {
  const found = new Map<SymbolId, number>()
  const note = (node: Node): void => {
    if (node.kind === 'LocalName') found.set(node.symbol, (found.get(node.symbol) ?? 0) + 1)
  }
  rewrite(root, {
    Assign: ({ targets }): undefined => void targets.forEach(note),
    CompoundAssign: ({ target }): undefined => void note(target),
  })
  return found
}

function statesIn(root: Block): ReadonlySet<SymbolId> {
  const found = new Set<SymbolId>()
  const note = ({ body }: { readonly body: Block }): undefined => {
    for (const each of stateOf(body)) found.add(each)
  }
  rewrite(root, { While: note, Repeat: note, NumericFor: note, GenericFor: note })
  return found
}

function without(known: Known, symbols: ReadonlySet<SymbolId>): Known {
  return new Map([...known].filter(([symbol]) => !symbols.has(symbol)))
}

/**
 * Merges paths with the same known values. If too many paths remain, merges them into one path with the
 * values that they have in common.
 */
function joined(ways: readonly Known[]): Known[] {
  const different = new Map<string, Known>()
  for (const each of ways) different.set([...each].map(([k, v]) => `${k}=${textOf(v)}`).join(), each)
  const list = [...different.values()]
  const [first] = list
  if (!first || list.length <= MAX_EXITS) return list
  return [new Map([...first].filter(([k, v]) => list.every((each) => each.get(k) === v)))]
}

function isTable(value: Value): boolean {
  return value !== null && typeof value === 'object'
}

function textOf(value: Value): string {
  return value !== null && typeof value === 'object' ? value.local : `${value}`
}
