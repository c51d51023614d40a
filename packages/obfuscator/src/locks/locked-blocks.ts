/**
 * Blocks whose strings and numbers are encrypted with a key derived from the string in the block's condition,
 * and the Lua functions that decrypt them. `lock-values.ts` selects the blocks and their keys.
 */

import type { PassContext } from '../pass-context.ts'
import { instantiate } from '../semantics/template.ts'
import type { Binary, Block, Call, Expression, Node, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import type { Comparison } from './comparisons.ts'
import { liftConstants } from './lift-constants.ts'
import { createValueCipher, type Guarded, type LockedValues, type ValueCipher } from './value-cipher.ts'

/** A comparison that locks code. Code that runs often doesn't use the slow hash. */
export type LockingComparison = Comparison & { readonly isSlow: boolean }

export class LockedBlocks {
  readonly #context: PassContext
  readonly #cipher: ValueCipher
  readonly #hash: SymbolId
  readonly #unlock: SymbolId
  readonly #blocks: LockedValues[] = []
  #isUsed = false

  constructor(context: PassContext) {
    this.#context = context
    this.#cipher = createValueCipher(context.random)
    this.#hash = context.symbols.fresh()
    this.#unlock = context.symbols.fresh()
  }

  /** Replaces a comparison with an equivalent comparison of hashes. */
  comparison({ value, isEqual, ...guarded }: LockingComparison, at: Offset): Binary {
    this.#isUsed = true
    const make = nodesAt(at)
    const { hash, form } = this.#cipher.hash(guarded)
    const found = make.call(make.use(this.#hash), value, make.number(form))
    return make.binary(found, isEqual ? '==' : '~=', make.number(hash))
  }

  /** Counts the locked blocks that are nested in this block. */
  countIn(block: Block): number {
    let count = 0
    rewrite(block, {
      LocalName: ({ symbol }) => {
        if (symbol === this.#unlock) count += 1
      },
    })
    return count
  }

  /**
   * Visitors that move the constants of locked blocks from the shared list to the call that decrypts them. An
   * enclosing lock then encrypts them too.
   */
  get inPlace(): Visitors {
    return {
      Call: (node) => {
        const number = this.#unlocks(node)
        const values = number && this.#blocks[Math.floor(number / 2) - 1]
        if (!values) return undefined
        this.#blocks[Math.floor(number / 2) - 1] = []
        this.#count(-values.length)
        return { ...node, args: [...node.args, this.#cipher.write(values, node.at)] }
      },
    }
  }

  #count(by: number): void {
    const { counts } = this.#context.report
    counts.strings += by
    counts.compared += by
  }

  /** Returns the number of the block that a call decrypts from the shared list; null for other calls. */
  #unlocks({ callee, args }: Call): number | null {
    const number = args.length === 2 ? args[1] : undefined
    const isOpening = callee.kind === 'LocalName' && callee.symbol === this.#unlock
    return isOpening && number?.kind === 'NumberLiteral' ? number.value : null
  }

  /**
   * @param value an expression that equals the string whenever the block runs. It is evaluated once, at the
   * start of the block.
   */
  lock(block: Block, { text: key, isSlow }: Guarded, value: Expression): Block {
    const slots = this.#context.symbols.fresh()
    const number = 2 * (this.#blocks.length + 1) + (isSlow ? 1 : 0)
    const lifted = liftConstants(block, { context: this.#context, slots, takesAll: false })
    if (lifted.values.length === 0) return block
    this.#isUsed = true
    this.#blocks.push(this.#cipher.lock(key, number, lifted.values))
    this.#count(lifted.values.length)
    const make = nodesAt(block.at)
    const opened = make.call(make.use(this.#unlock), value, make.number(number))
    return make.block([make.local([slots], [opened]), ...lifted.block.statements])
  }

  /** Declares the Lua functions; returns no statements if no block or comparison needs them. */
  prologue(at: Offset): readonly Statement[] {
    if (!this.#isUsed) return []
    const holes = this.#cipher.holes(this.#blocks, at)
    for (const each of Object.values(holes)) this.#freeze(each)
    const own = { ...holes, hash: this.#hash, unlock: this.#unlock }
    const made = instantiate(this.#cipher.lua, own, this.#context.symbols, at)
    return [nodesAt(at).local([this.#hash, this.#unlock]), ...made]
  }

  #freeze(node: Expression): void {
    const freeze = (each: Node): undefined => void this.#context.frozen.add(each)
    rewrite(node, { StringLiteral: freeze, NumberLiteral: freeze })
  }
}
