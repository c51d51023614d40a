/**
 * Moves the strings of a fully virtualized chunk to a table outside the chunk. At this point, every string is
 * instruction stream or ciphertext. A server can send the strings separately from the code. Without them, the
 * code is an interpreter without a program. A script that is not fully virtualized is not split.
 */

import type { PassContext } from '../pass-context.ts'
import type { Capacity } from '../semantics/capacity.ts'
import type { Bytes, Chunk, Expression, FunctionExpression, StringLiteral } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const splitData = definePass({
  name: 'split-data',
  summary:
    'Separates instruction data from code, so that a server can deliver the data without compiling it.',
  settings: [],
  reads: ['isFullyVirtualized'],
  writes: ['data'],
  run(chunk, context, _, { isFullyVirtualized }) {
    if (!context.isWrapped || !isFullyVirtualized) return { chunk }
    const splitting = new StringExtraction(context, context.capacityOf(chunk))
    const split = splitting.chunk(chunk)
    const { symbol, texts, isWhole } = splitting
    return isWhole && texts.length > 0 ? { chunk: split, state: { data: { symbol, texts } } } : { chunk }
  },
})

/** Matches strings that every host reads unchanged between double quotes. */
const PLAIN = /^[ !#-[\]-~]*$/

class StringExtraction {
  readonly symbol: number
  /** Whether all strings have been moved out of the code. */
  isWhole = true
  readonly #numbers = new Map<Bytes, number>()
  readonly #capacity: Capacity
  readonly #hasUpvalueIn = new Map<FunctionExpression, boolean>()

  constructor(context: PassContext, capacity: Capacity) {
    this.symbol = context.symbols.fresh()
    this.#capacity = capacity
  }

  get texts(): readonly Bytes[] {
    return [...this.#numbers.keys()]
  }

  chunk(chunk: Chunk): Chunk {
    const functions: FunctionExpression[] = []
    return rewrite(chunk, {
      FunctionExpression: { enter: (node) => void functions.push(node), leave: () => void functions.pop() },
      InterpolatedString: () => {
        this.isWhole = false
        return undefined
      },
      StringLiteral: (node) => (node.value === '' ? undefined : this.#take(node, functions.at(-1))),
    })
  }

  #take(node: StringLiteral, inside: FunctionExpression | undefined): Expression | undefined {
    if (!PLAIN.test(node.value) || (inside && !this.#hasUpvalue(inside))) {
      this.isWhole = false
      return undefined
    }
    const number = this.#numbers.get(node.value) ?? this.#numbers.size + 1
    this.#numbers.set(node.value, number)
    const make = nodesAt(node.at)
    return make.index(make.use(this.symbol), make.number(number))
  }

  #hasUpvalue(node: FunctionExpression): boolean {
    const known = this.#hasUpvalueIn.get(node) ?? this.#capacity.hasUpvalues(node, 1)
    this.#hasUpvalueIn.set(node, known)
    return known
  }
}
