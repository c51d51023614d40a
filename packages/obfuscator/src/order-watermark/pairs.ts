/**
 * Selects neighboring statements whose order can carry watermark bits. They must be swappable, and their
 * order must be recognizable in a lifted copy.
 */

import { RunFrequency } from '../semantics/run-frequency.ts'
import type { Binary, Block, Chunk, Node, Statement, SymbolId } from '../syntax/ast.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'
import type { Variables } from '../vm/variables.ts'
import { comparedConstant } from './comparisons.ts'
import { areIndependent, type Effects, effectsOf, isDeclaration } from './effects.ts'
import { GramIndex, type OrderMark, type Turn } from './order-marks.ts'
import { type Token, type TokenSink, tokenVisitors, turnTokens } from './tokens.ts'

/**
 * Maps each constant in a comparison to the mark that reveals which side of the comparison the constant is
 * on.
 */
export type MarkedNodes = ReadonlyMap<Node, OrderMark>

/** Two neighboring statements, and the mark that reveals their order. */
export type OrderPair = {
  readonly second: Statement
  readonly mark: OrderMark
  /** The declaration whose variables need registers of their own; null if there is none. */
  readonly apart: Statement | null
}

/** The pairs, keyed by their first statement; the constants that can be moved; and the program's globals. */
export type OrderPairs = {
  readonly pairs: ReadonlyMap<Statement, OrderPair>
  /** Constants that can move to the other side of their comparison. */
  readonly marked: MarkedNodes
  readonly globals: readonly Token[]
}

const NO_PAIRS: OrderPairs = { pairs: new Map(), marked: new Map(), globals: [] }

/** A statement and the range of its tokens. */
type Placed = { readonly node: Statement; readonly from: number; readonly to: number }

/**
 * The statements of a block. Variables in the outermost block of a function exist until the function returns.
 */
type List = { readonly statements: readonly Placed[]; readonly isOutermost: boolean }

/** Parameters of a search for pairs in one chunk. */
type Search = {
  readonly variables: Variables
  readonly environment: SymbolId | null
  /** Whether LuaJIT cdata may occur. Its metamethods can make comparisons with constants observable. */
  readonly hasForeign: boolean
  readonly wanted: number
}

/** Ignores statements in loops, because a pair costs one or two jumps. */
export function findOrderPairs(
  chunk: Chunk,
  { variables, environment, hasForeign, wanted }: Search,
): OrderPairs {
  if (wanted === 0) return NO_PAIRS
  const reader = new ListReader(chunk, environment)
  const isShared = (symbol: SymbolId) => {
    const variable = variables.get(symbol)
    return variable === undefined || (variable.isCaptured && variable.isAssigned)
  }
  // Pairs in code that runs only once come first.
  const neighbors = [...reader.cold, ...reader.warm].flatMap((list) => neighborsIn(list, isShared))
  const comparisons = hasForeign ? [] : reader.comparisons
  const turns = [
    ...neighbors.map(({ a, b }) => reader.turnPair(a, b)),
    ...comparisons.map(({ turn }) => turn),
  ]
  const index = new GramIndex(reader.tokens, turns)
  const marks = turns.map((each) => index.mark(each))
  const pairs = new Map<Statement, OrderPair>()
  const marked = new Map<Node, OrderMark>()
  neighbors.forEach(({ a, b, apart }, i) => {
    const mark = pairs.size < wanted ? marks[i] : null
    if (mark) pairs.set(a.node, { second: b.node, mark, apart })
  })
  comparisons.forEach(({ constant }, i) => {
    const mark = pairs.size + marked.size < wanted ? marks[neighbors.length + i] : null
    if (mark) marked.set(constant, mark)
  })
  return { pairs, marked, globals: [...reader.globals] }
}

/**
 * Two statements that can be swapped. `apart` is the statement whose variables need registers of their own;
 * null if there is none.
 */
type Neighbors = { readonly a: Placed; readonly b: Placed; readonly apart: Statement | null }

function neighborsIn(
  { statements, isOutermost }: List,
  isShared: (symbol: SymbolId) => boolean,
): Neighbors[] {
  const effects = statements.map(({ node }) => effectsOf([node]))
  const found: Neighbors[] = []
  for (let i = 0; i + 1 < statements.length; i++) {
    const [a, b] = [statements[i], statements[i + 1]] as [Placed, Placed]
    const [ofA, ofB] = [effects[i], effects[i + 1]] as [Effects, Effects]
    const declaring = [...(isDeclaration(a.node) ? [ofA] : []), ...(isDeclaration(b.node) ? [ofB] : [])]
    if (a.from === a.to || b.from === b.to || !areIndependent(ofA, ofB, declaring, isShared)) continue
    const quiet = ofA.isSilent ? a.node : b.node
    const isApart = !(ofA.isSilent && ofB.isSilent) && (isOutermost || isConstant(quiet))
    found.push({ a, b, apart: isApart ? quiet : null })
    i += 1
  }
  return found
}

/** Whether the statement declares only values that the garbage collector doesn't manage. */
function isConstant(node: Statement): boolean {
  return node.kind === 'Local' && node.values.every(({ kind }) => CONSTANTS.has(kind))
}

const CONSTANTS: ReadonlySet<string> = new Set([
  'NilLiteral',
  'BooleanLiteral',
  'NumberLiteral',
  'StringLiteral',
])

/** Collects the tokens of a chunk and the statements of every block. */
class ListReader implements TokenSink {
  readonly tokens: Token[] = []
  readonly globals = new Set<Token>()
  readonly environment: SymbolId | null
  readonly cold: List[] = []
  readonly warm: List[] = []
  readonly comparisons: { readonly constant: Node; readonly turn: Turn }[] = []
  readonly #runs: RunFrequency
  readonly #visitors: Visitors

  constructor(chunk: Chunk, environment: SymbolId | null) {
    this.environment = environment
    this.#runs = new RunFrequency(chunk)
    const visitors = combineVisitors(this.#runs.visitors, tokenVisitors(this))
    this.#visitors = combineVisitors(visitors, { Block: { enter: (block) => this.#block(block) } })
    rewrite(chunk, this.#visitors)
  }

  readonly visit = (node: Node): void => void rewrite(node, this.#visitors)

  readonly operation = (node: Binary, first: number): void => {
    const constant = comparedConstant(node)
    // The empty string doesn't produce a token.
    if (!constant || (constant.kind === 'StringLiteral' && constant.value === '')) return
    const end = this.tokens.length
    const turned = turnTokens(node, this.tokens.slice(first))
    const [joint, turnedJoint] = constant === node.right ? [end - first - 1, 1] : [1, end - first - 1]
    this.comparisons.push({ constant, turn: { first, end, joint, turned, turnedJoint } })
  }

  turnPair(a: Placed, b: Placed): Turn {
    const part = ({ from, to }: Placed) => this.tokens.slice(from, to)
    const [joint, turnedJoint] = [a.to - a.from, b.to - b.from]
    return { first: a.from, end: b.to, joint, turned: [...part(b), ...part(a)], turnedJoint }
  }

  #block(block: Block): false {
    const statements = block.statements.map((node): Placed => {
      const from = this.tokens.length
      rewrite(node, this.#visitors)
      return { node, from, to: this.tokens.length }
    })
    const list = { statements, isOutermost: block === this.#runs.function.body }
    if (this.#runs.frequency === 'cold') this.cold.push(list)
    if (this.#runs.frequency === 'warm') this.warm.push(list)
    return false
  }
}
