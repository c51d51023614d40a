/**
 * Follows code without running it (abstract interpretation). Tracks the values of numbers, and follows
 * unknown conditions in both directions. A loop around a switch on a number is followed once for each
 * reachable state. A switch on an unknown number ends the path.
 */

import type {
  Block,
  Chunk,
  Expression,
  FunctionExpression,
  If,
  Node,
  Statement,
  SymbolId,
} from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import { calculate } from './tree.ts'

export type NumberTable = ReadonlyMap<number, number>

type Value = number | NumberTable
type Known = ReadonlyMap<SymbolId, Value>

/** An exit from a list of statements: how control leaves it, and the known values at that point. */
type Exit = Way<Known>

/**
 * Limits on the states of one loop, on the exits of a block, and on the total number of steps. A real
 * attacker would also give up at some point.
 */
const MAX_STATES = 5000
const MAX_EXITS = 24
const MAX_STEPS = 2_000_000

/** @param tables the contents of the locals that hold tables, by name. */
export function follow(
  chunk: Chunk,
  tables: ReadonlyMap<string, NumberTable>,
): { readonly reached: number; readonly total: number } {
  const all = new Set<Statement>()
  const note = (node: Statement): undefined => void all.add(node)
  rewrite(chunk, { Local: note, LocalFunction: note, Assign: note, CallStatement: note, Return: note })
  const following = new Following(namesOf(chunk), tables)
  following.function(chunk.body, new Map())
  return { reached: [...following.reached].filter((each) => all.has(each)).length, total: all.size }
}

function namesOf(chunk: Chunk): Map<SymbolId, string> {
  const names = new Map<SymbolId, string>()
  rewrite(chunk, { Binding: (node) => void names.set(node.symbol, node.name) })
  return names
}

class Following {
  readonly reached = new Set<Statement>()
  readonly #names: ReadonlyMap<SymbolId, string>
  readonly #tables: ReadonlyMap<string, NumberTable>
  readonly #functions = new Set<FunctionExpression>()
  readonly #assigned = new Map<Node, ReadonlySet<SymbolId>>()
  #steps = 0

  constructor(names: ReadonlyMap<SymbolId, string>, tables: ReadonlyMap<string, NumberTable>) {
    this.#names = names
    this.#tables = tables
  }

  function(body: Block, known: Known): void {
    this.#block(body, known)
  }

  #block(block: Block, known: Known): Exit[] {
    let open: Known[] = [known]
    const exits: Exit[] = []
    for (const statement of block.statements) {
      const next: Known[] = []
      for (const exit of open.flatMap((each) => this.#statement(statement, each))) {
        if (exit.how === 'next') next.push(exit.known)
        else exits.push(exit)
      }
      open = joined(next)
      if (open.length === 0) break
    }
    return [...exits, ...open.map((each): Exit => ({ how: 'next', known: each }))]
  }

  #statement(statement: Statement, known: Known): Exit[] {
    this.#steps += 1
    if (this.#steps > MAX_STEPS) return []
    this.reached.add(statement)
    switch (statement.kind) {
      case 'Do':
        return this.#block(statement.body, known)
      case 'If':
        this.#look(
          statement.clauses.map((each) => each.condition),
          known,
        )
        return this.#if(statement, known, false)
      case 'While':
      case 'Repeat':
      case 'NumericFor':
      case 'GenericFor':
        return this.#loop(statement, known)
      case 'Break':
        return [{ how: 'break', known }]
      case 'Return':
        this.#look(statement.values, known)
        return [{ how: 'away', known }]
      default:
        return [{ how: 'next', known: this.#simple(statement, known) }]
    }
  }

  #simple(statement: Statement, known: Known): Known {
    this.#look([statement], known)
    const after = new Map(known)
    const set = (symbol: SymbolId, value: Value | null) => {
      if (value === null) after.delete(symbol)
      else after.set(symbol, value)
    }
    if (statement.kind === 'Local') {
      for (const [i, { symbol }] of statement.bindings.entries())
        set(symbol, this.#value(statement.values[i], known))
    }
    if (statement.kind === 'Assign') {
      for (const [i, target] of statement.targets.entries()) {
        if (target.kind === 'LocalName') set(target.symbol, this.#value(statement.values[i], known))
      }
    }
    return after
  }

  /**
   * Enters the functions that this code creates. Of the variables in enclosing scopes, only tables are known
   * to stay the same.
   */
  #look(nodes: readonly Node[], known: Known): void {
    const enter = (node: FunctionExpression): boolean => {
      if (this.#functions.has(node)) return false
      this.#functions.add(node)
      const kept = [...known].filter(([, value]) => typeof value !== 'number')
      this.function(node.body, new Map(kept))
      return false
    }
    for (const each of nodes) rewrite(each, { FunctionExpression: { enter } })
  }

  #if(statement: If, known: Known, isChoice: boolean): Exit[] {
    const exits: Exit[] = []
    for (const { condition, body } of statement.clauses) {
      const value = this.#truth(condition, known)
      if (value === null && isChoice && isComparison(condition)) return exits
      if (value !== false) exits.push(...this.#chosen(body, known, isChoice))
      if (value === true) return exits
    }
    if (statement.otherwise) exits.push(...this.#chosen(statement.otherwise, known, isChoice))
    else exits.push({ how: 'next', known })
    return exits
  }

  /** A switch on a number often continues in a nested switch on the same number. */
  #chosen(body: Block, known: Known, isChoice: boolean): Exit[] {
    const [only] = body.statements
    const goesOn = isChoice && body.statements.length === 1 && only?.kind === 'If' && isChoiceByNumber(only)
    return goesOn ? this.#if(only, known, true) : this.#block(body, known)
  }

  #loop(loop: Statement & { readonly body: Block }, known: Known): Exit[] {
    const states = stateOf(loop.body)
    const forget = this.#assignedIn(loop)
    if (states.size === 0) {
      const exits = this.#block(loop.body, without(known, forget))
      const after = exits.filter(({ how }) => how !== 'away').map((each) => without(each.known, forget))
      const away = exits.filter(({ how }) => how === 'away')
      return [
        ...away,
        ...joined([...after, without(known, forget)]).map((each): Exit => ({ how: 'next', known: each })),
      ]
    }
    return this.#states(
      loop.body,
      without(known, new Set([...forget].filter((each) => !states.has(each)))),
      states,
    )
  }

  #states(body: Block, known: Known, states: ReadonlySet<SymbolId>): Exit[] {
    return followStates(known, states, (state) => this.#round(body, state))
  }

  #round(body: Block, known: Known): Exit[] {
    const last = body.statements[body.statements.length - 1] as If
    const before = this.#block({ ...body, statements: body.statements.slice(0, -1) }, known)
    return before.flatMap((exit) => (exit.how === 'next' ? this.#if(last, exit.known, true) : [exit]))
  }

  #assignedIn(node: Node): ReadonlySet<SymbolId> {
    const known = this.#assigned.get(node)
    if (known) return known
    const found = new Set<SymbolId>()
    rewrite(node, {
      Assign: ({ targets }) => {
        for (const each of targets) if (each.kind === 'LocalName') found.add(each.symbol)
      },
      Binding: ({ symbol }) => void found.add(symbol),
    })
    this.#assigned.set(node, found)
    return found
  }

  // --- expressions

  #truth(node: Expression, known: Known): boolean | null {
    if (node.kind === 'BooleanLiteral') return node.value
    if (node.kind === 'Paren') return this.#truth(node.inner, known)
    if (node.kind === 'Unary' && node.operator === 'not') {
      const inner = this.#truth(node.operand, known)
      return inner === null ? null : !inner
    }
    if (node.kind !== 'Binary') return null
    const [left, right] = [this.#value(node.left, known), this.#value(node.right, known)]
    if (typeof left !== 'number' || typeof right !== 'number') return null
    const value = calculate(node.operator, left, right)
    return typeof value === 'boolean' ? value : null
  }

  #value(node: Expression | undefined, known: Known): Value | null {
    switch (node?.kind) {
      case 'NumberLiteral':
        return node.value
      case 'Paren':
        return this.#value(node.inner, known)
      case 'LocalName':
        return known.get(node.symbol) ?? this.#tables.get(this.#names.get(node.symbol) ?? '') ?? null
      case 'Index': {
        const [table, key] = [this.#value(node.object, known), this.#value(node.key, known)]
        return table instanceof Map && typeof key === 'number' ? (table.get(key) ?? null) : null
      }
      case 'Unary': {
        const value = this.#value(node.operand, known)
        return node.operator === '-' && typeof value === 'number' ? -value : null
      }
      case 'Binary': {
        const [left, right] = [this.#value(node.left, known), this.#value(node.right, known)]
        if (typeof left !== 'number' || typeof right !== 'number') return null
        const value = calculate(node.operator, left, right)
        return typeof value === 'number' ? value : null
      }
      default:
        return null
    }
  }
}

function isComparison({ kind, ...rest }: Expression): boolean {
  return kind === 'Binary' && 'left' in rest && 'operator' in rest && /^[<>=~]/.test(String(rest.operator))
}

/** Whether the first clause of an `if` compares a local with a number. */
export function isChoiceByNumber(statement: If): boolean {
  return comparedWith(statement) !== null
}

function comparedWith({ clauses }: If): SymbolId | null {
  const condition = clauses[0]?.condition
  if (condition?.kind !== 'Binary' || !isComparison(condition)) return null
  const { left, right } = condition
  if (left.kind === 'LocalName' && isNumeric(right)) return left.symbol
  if (right.kind === 'LocalName' && isNumeric(left)) return right.symbol
  return null
}

/** Whether the expression consists only of numeric literals and operators on them. */
function isNumeric(node: Expression): boolean {
  if (node.kind === 'Paren') return isNumeric(node.inner)
  if (node.kind === 'Unary') return node.operator === '-' && isNumeric(node.operand)
  return (
    node.kind === 'NumberLiteral' || (node.kind === 'Binary' && isNumeric(node.left) && isNumeric(node.right))
  )
}

/**
 * Returns the locals that determine which block an iteration runs. Empty for a loop that the author wrote.
 */
export function stateOf(body: Block): ReadonlySet<SymbolId> {
  const last = body.statements[body.statements.length - 1]
  const first = last?.kind === 'If' ? comparedWith(last) : null
  if (first === null || last?.kind !== 'If' || last.otherwise === null) return new Set()
  const found = new Set([first])
  const values: [SymbolId, Expression][] = []
  rewrite(body, {
    FunctionExpression: { enter: () => false },
    Assign({ targets, values: given }) {
      for (const [i, target] of targets.entries()) {
        const value = given[i]
        if (target.kind === 'LocalName' && value) values.push([target.symbol, value])
      }
    },
  })
  const changing = new Set(values.map(([symbol]) => symbol))
  if (!changing.has(first)) return new Set()
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const [symbol, value] of values) {
      if (!found.has(symbol)) continue
      rewrite(value, {
        // A value that is called or whose length is taken belongs to the author's code.
        Call: { enter: () => false },
        Unary: { enter: ({ operator }) => operator === '-' },
        LocalName: (node) => void (changing.has(node.symbol) && found.add(node.symbol)),
      })
    }
  }
  return found
}

function without(known: Known, symbols: ReadonlySet<SymbolId>): Known {
  return new Map([...known].filter(([symbol, value]) => typeof value !== 'number' || !symbols.has(symbol)))
}

/**
 * Merges paths with the same known values. If too many paths remain, merges them into one path with the
 * values that they have in common.
 */
function joined(ways: readonly Known[]): Known[] {
  const different = new Map<string, Known>()
  for (const each of ways)
    different.set([...each].map(([k, v]) => `${k}=${typeof v === 'number' ? v : ''}`).join(), each)
  const list = [...different.values()]
  const [first] = list
  if (!first || list.length <= MAX_EXITS) return list
  return [new Map([...first].filter(([k, v]) => list.every((each) => each.get(k) === v)))]
}

/** An exit from a block: how control leaves the block, and the known values at that point. */
export type Way<K> = { readonly how: 'next' | 'break' | 'away'; readonly known: K }

/**
 * Follows a dispatch loop once for each of its states.
 * @returns the exits of the loop.
 */
export function followStates<K extends ReadonlyMap<SymbolId, unknown>>(
  known: K,
  states: ReadonlySet<SymbolId>,
  round: (known: K) => readonly Way<K>[],
): Way<K>[] {
  const open = [known]
  const met = new Set<string>()
  const exits: Way<K>[] = []
  for (let at = open.pop(); at && met.size < MAX_STATES; at = open.pop()) {
    const state: K = at
    const key = [...states].map((each) => String(state.get(each))).join()
    if (met.has(key)) continue
    met.add(key)
    for (const exit of round(state)) {
      if (exit.how === 'next') open.push(exit.known)
      else exits.push(exit.how === 'break' ? { how: 'next', known: exit.known } : exit)
    }
  }
  return exits
}
