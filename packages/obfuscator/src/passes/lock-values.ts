/**
 * Locks code that runs only if a value equals a string. The output contains only a hash of the string, and
 * the constants of the code are encrypted with the string. WARD_ENCFUNC functions and cold code are locked
 * with keys that the server issues. Without a server, the output contains a separate key for each of those
 * functions.
 */

import { callsWithText, holdsText, mayReturn, textLength } from '../locks/cold-code.ts'
import { comparisonOf, isGuardClause, isLockable } from '../locks/comparisons.ts'
import { GuessableTexts } from '../locks/guessable.ts'
import { LockedBlocks, type LockingComparison } from '../locks/locked-blocks.ts'
import { ServedBlocks } from '../locks/served-blocks.ts'
import { findUnwaiting } from '../locks/waiting.ts'
import type { PassContext } from '../pass-context.ts'
import type { Capacity } from '../semantics/capacity.ts'
import { MARK_LOCKED, MARK_NATIVE } from '../semantics/function-marks.ts'
import { RunFrequency } from '../semantics/run-frequency.ts'
import type { Target } from '../semantics/target.ts'
import type {
  Binary,
  Block,
  Chunk,
  Expression,
  FunctionExpression,
  If,
  Node,
  Statement,
} from '../syntax/ast.ts'
import { nodesAt, oneValue, withPrologue } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { collectVariables, type Variables } from '../vm/variables.ts'
import { definePass } from './pass.ts'

export const lockValues = definePass({
  name: 'lock-values',
  summary: 'Locks code behind a string comparison to that string. The output keeps only its hash.',
  settings: [
    {
      id: 'compared',
      name: 'Compared values',
      description: 'When off, only WARD_ENCFUNC functions are locked.',
      type: 'boolean',
      default: true,
    },
    {
      id: 'cold',
      name: 'Cold strings',
      description:
        'Encrypts strings and integers in rarely run code, with one key per function that only the server has. Rarely run code is an if branch outside loops that returns or that passes a string to a function, or the end of a function after another return. Applies only to code that contains text, in server builds.',
      type: 'boolean',
      default: true,
    },
  ],
  hidesInsisted: true,
  reads: ['insisted'],
  writes: ['served'],
  run(chunk, context, settings, { insisted }) {
    const capacity = context.capacityOf(chunk)
    if (!isLockable(chunk, capacity)) {
      if (Object.keys(settings).length > 0) {
        context.report.warnUnprotected(
          'compared values are not locked: the script uses ffi, or a function has no room for more upvalues on the target',
        )
      }
      refuseRequests(chunk, context, insisted)
      return { chunk }
    }
    const isCompared = settings.compared === true
    const limits = { capacity, isCold: settings.cold === true, isCompared, insisted }
    const locking = new BlockLocker(chunk, context, limits)
    const locked = rewrite(chunk, locking.visitors())
    const whole = withPrologue(locked, locking.prologue(chunk))
    return { chunk: whole, state: { served: locking.served } }
  },
})

/**
 * In a script that can't have locks, reports each lock that was requested, so that no lock is dropped
 * silently.
 */
function refuseRequests(chunk: Chunk, { diagnostics }: PassContext, insisted: ReadonlySet<Node>): void {
  rewrite(chunk, {
    FunctionExpression: ({ attributes, at }) => {
      if (attributes.includes(MARK_LOCKED)) diagnostics.report(at, 'lockImpossible')
    },
    Binary: (node) => {
      if (insisted.has(node)) diagnostics.report(node.at, 'lockImpossible')
    },
  })
}

/** Maximum number of nested locks. Each lock needs a local. */
const MAX_NESTED_LOCKS = 6

/**
 * If the end of a function contains more string characters than this, it counts as most of the function and
 * stays unlocked.
 */
const MAX_END_TEXT = 1000

/** Targets whose hosts block during a request. On these hosts, code can wait for a key anywhere. */
const BLOCKING: ReadonlySet<Target> = new Set(['lua51', 'luajit', 'lua54'])

const KEY_SYMBOLS = [...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789']
const KEY_LENGTH = 24

type Limits = {
  readonly capacity: Capacity
  readonly isCold: boolean
  /** If false, only comparisons requested through macros lock code. */
  readonly isCompared: boolean
  readonly insisted: ReadonlySet<Node>
}

class BlockLocker {
  readonly #context: PassContext
  readonly #capacity: Capacity
  readonly #isCold: boolean
  readonly #isCompared: boolean
  readonly #insisted: ReadonlySet<Node>
  readonly #runs: RunFrequency
  readonly #blocks: LockedBlocks
  readonly served: ServedBlocks | null
  readonly #guessable: GuessableTexts
  readonly #comparisons = new Map<Node, LockingComparison>()
  readonly #hasLocalsIn = new Map<Node, boolean>()
  /** Functions that have already been traversed and have room for another local. */
  readonly #roomy = new Set<Node>()
  /** Functions that run where they can't wait for a key. */
  readonly #unwaiting: ReadonlySet<Node>
  readonly #chunk: Chunk
  #variables: Variables | null = null
  /** Number of WARD_ENCFUNC functions around the current node. Their contents need a separate key. */
  #lockedAround = 0

  constructor(chunk: Chunk, context: PassContext, { capacity, isCold, isCompared, insisted }: Limits) {
    this.#context = context
    this.#capacity = capacity
    this.#isCold = isCold && context.service !== null
    this.#isCompared = isCompared
    this.#insisted = insisted
    this.#runs = new RunFrequency(chunk)
    this.#chunk = chunk
    this.#blocks = new LockedBlocks(context)
    this.#guessable = new GuessableTexts(chunk, context)
    this.#unwaiting = this.#isCold && !BLOCKING.has(context.target) ? findUnwaiting(chunk) : new Set()
    this.served = context.service && new ServedBlocks(context, context.service, this.#blocks)
  }

  visitors(): Visitors {
    const { FunctionExpression: functions, ...loops } = this.#runs.visitors
    const { enter, leave } = functions as {
      enter(node: FunctionExpression): undefined
      leave(node: FunctionExpression, original: FunctionExpression): undefined
    }
    return {
      ...loops,
      FunctionExpression: {
        enter: (node) => {
          enter(node)
          if (node.attributes.includes(MARK_LOCKED)) this.#lockedAround += 1
        },
        leave: (node, original) => {
          const made = this.#function(node) ?? node
          if (made.kind === 'FunctionExpression' && this.#hasLocals()) this.#roomy.add(made)
          if (node.attributes.includes(MARK_LOCKED)) this.#lockedAround -= 1
          leave(node, original)
          return made
        },
      },
      Binary: (node) => this.#compare(node),
      If: (node) => this.#if(node),
      Block: (node) => {
        const guarded = this.#lockAfterGuard(node)
        return this.#lockFunctionEnd(guarded ?? node) ?? guarded
      },
    }
  }

  prologue(chunk: Chunk): readonly Statement[] {
    return [...this.#blocks.prologue(chunk.at), ...(this.served?.prologue(chunk.at) ?? [])].map((each) =>
      rewrite(each, { FunctionExpression: (node) => ({ ...node, attributes: [MARK_NATIVE] }) }),
    )
  }

  #compare(node: Binary): Expression | undefined {
    const found = this.#isCompared || this.#insisted.has(node) ? comparisonOf(node) : null
    if (!found || !this.#hasLocals()) return undefined
    const locking = { ...found, isSlow: this.#runs.frequency !== 'hot' }
    const made = this.#blocks.comparison(locking, node.at)
    this.#comparisons.set(made, locking)
    return made
  }

  #hasLocals(): boolean {
    const node = this.#runs.function
    const known = this.#hasLocalsIn.get(node) ?? this.#capacity.hasLocals(node, MAX_NESTED_LOCKS)
    this.#hasLocalsIn.set(node, known)
    return known
  }

  /** Locks those branches of an `if` that depend on a single comparison. */
  #if(node: If): Statement | undefined {
    const [first] = node.clauses
    const head = first && this.#comparisons.get(first.condition)
    if (head && head.value.kind !== 'LocalName') return this.#bindToLocal(node, head)
    const clauses = node.clauses.map((clause) => {
      const found = this.#comparisons.get(clause.condition)
      if (!found?.isEqual || found.value.kind !== 'LocalName') return clause
      return { ...clause, body: this.#lock(clause.body, found) }
    })
    const isTurned = head && !head.isEqual && clauses.length === 1
    const otherwise = isTurned && node.otherwise ? this.#lock(node.otherwise, head) : node.otherwise
    const made = { ...node, clauses, otherwise }
    return this.#lockColdArms(made) ?? made
  }

  /** Stores the compared value in a local, because the value is also needed as the key. */
  #bindToLocal(node: If, head: LockingComparison): Statement {
    const make = nodesAt(node.at)
    const symbol = this.#context.symbols.fresh()
    const found = { ...head, value: make.use(symbol) }
    const condition = this.#blocks.comparison(found, node.at)
    this.#comparisons.set(condition, found)
    const clauses = node.clauses.map((each, i) => (i === 0 ? { ...each, condition } : each))
    const made = { ...node, clauses }
    return make.do([make.local([symbol], [oneValue(head.value)]), this.#if(made) ?? made])
  }

  /** Locks the code after `if x ~= 'text' then … return end`, because that code runs only for the string. */
  #lockAfterGuard(node: Block): Block | undefined {
    if (node.statements.some(({ kind }) => kind === 'Label')) return undefined
    let { statements } = node
    for (let i = statements.length - 2; i >= 0; i--) {
      const each = statements[i] as Statement
      const found = isGuardClause(each) && this.#comparisons.get(each.clauses[0]?.condition as Expression)
      if (!found || found.isEqual || found.value.kind !== 'LocalName') continue
      const rest = this.#lock(nodesAt(node.at).block(statements.slice(i + 1)), found)
      statements = [...statements.slice(0, i + 1), ...rest.statements]
    }
    return statements === node.statements ? undefined : { ...node, statements }
  }

  /** Locks the end of a function, if the function may return before reaching it. */
  #lockFunctionEnd(node: Block): Block | undefined {
    const { statements } = node
    const isSeldom = this.#runs.frequency === 'warm' && statements.at(-1)?.kind === 'Return'
    if (!this.#mayBeCold || !isSeldom) return undefined
    const first = statements.findIndex(mayReturn) + 1
    if (first === statements.length || statements.some(({ kind }) => kind === 'Label')) return undefined
    const end = nodesAt(node.at).block(statements.slice(first))
    const served = textLength(end) > MAX_END_TEXT ? end : this.#lockCold(end)
    return served === end
      ? undefined
      : { ...node, statements: [...statements.slice(0, first), ...served.statements] }
  }

  /**
   * Locks branches that contain strings and rarely run: outside loops, before a return, or where the code
   * displays a message.
   */
  #lockColdArms(node: If): If | undefined {
    if (!this.#mayBeCold) return undefined
    const clauses = node.clauses.map((clause) => ({ ...clause, body: this.#lockCold(clause.body) }))
    const otherwise = node.otherwise && this.#lockCold(node.otherwise)
    const isSame =
      otherwise === node.otherwise && clauses.every(({ body }, i) => body === node.clauses[i]?.body)
    return isSame ? undefined : { ...node, clauses, otherwise }
  }

  get #mayBeCold(): boolean {
    return this.#isCold && this.#lockedAround === 0 && !this.#runs.isHotFunction && this.#hasLocals()
  }

  #lockCold(block: Block): Block {
    const isSeldom =
      this.#runs.frequency !== 'hot' || block.statements.at(-1)?.kind === 'Return' || callsWithText(block)
    if (!this.served || !isSeldom || !holdsText(block, this.#context.frozen)) return block
    if (this.#isFull(block)) return block
    const owner = this.#runs.function
    return this.served.serveCold(block, this.#unwaiting.has(owner) ? null : owner, this.#roomy)
  }

  #isFull(block: Block): boolean {
    return this.#blocks.countIn(block) + (this.served?.countIn(block) ?? 0) >= MAX_NESTED_LOCKS
  }

  #lock(block: Block, { value, ...guarded }: LockingComparison): Block {
    if (!this.#hasLocals() || this.#isFull(block)) return block
    const locked = this.#blocks.lock(block, guarded, value)
    if (locked !== block) this.#guessable.check(guarded.text, guarded.at)
    return locked
  }

  #function(node: FunctionExpression): Expression | undefined {
    if (!node.attributes.includes(MARK_LOCKED)) return undefined
    if (!this.#hasLocals()) {
      this.#context.diagnostics.report(node.at, 'lockWithoutLocals')
      return undefined
    }
    if (this.served) {
      this.#variables ??= collectVariables(this.#chunk)
      return this.served.serveFunction(node, this.#roomy, this.#variables)
    }
    const key = Array.from({ length: KEY_LENGTH }, () => this.#context.random.pick(KEY_SYMBOLS)).join('')
    return {
      ...node,
      body: this.#blocks.lock(node.body, { text: key, isSlow: false }, nodesAt(node.at).string(key)),
    }
  }
}
