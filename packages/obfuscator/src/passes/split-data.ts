// Takes the strings out of a virtualised chunk that is one function for its caller, into a table around it. By then they
// are the instruction stream and ciphertexts, so a server can send them apart from the code, and the code without them is
// an interpreter that has nothing to run. What is not virtualised as a whole stays one piece.

import type { Room } from '../semantics/room.ts'
import type { Bytes, Chunk, Expression, FunctionExpression, StringLiteral } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { nodesAt } from './build.ts'
import type { Pass, Work } from './pass.ts'

export const splitData: Pass = {
  name: 'split-data',
  summary:
    'Keeps what the instructions read apart from the code, so that a service can deliver it without compiling it.',
  settings: [],
  run(chunk, work) {
    const { isWrapped, isTakenApart, room } = work.facts
    if (!isWrapped || !isTakenApart) return chunk
    const splitting = new Splitting(work, room(chunk))
    const split = splitting.chunk(chunk)
    if (!splitting.isWhole || splitting.texts.length === 0) return chunk
    work.facts.data = { symbol: splitting.symbol, texts: splitting.texts }
    return split
  },
}

/** What every host reads as it stands, between double quotes. */
const PLAIN = /^[ !#-[\]-~]*$/

class Splitting {
  readonly symbol: number
  /** Whether no text is left in the code. */
  isWhole = true
  readonly #numbers = new Map<Bytes, number>()
  readonly #room: Room
  readonly #roomy = new Map<FunctionExpression, boolean>()

  constructor(work: Work, room: Room) {
    this.symbol = work.symbols.fresh()
    this.#room = room
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
    if (!PLAIN.test(node.value) || (inside && !this.#hasRoom(inside))) {
      this.isWhole = false
      return undefined
    }
    const number = this.#numbers.get(node.value) ?? this.#numbers.size + 1
    this.#numbers.set(node.value, number)
    const make = nodesAt(node.at)
    return make.index(make.use(this.symbol), make.number(number))
  }

  #hasRoom(node: FunctionExpression): boolean {
    const known = this.#roomy.get(node) ?? this.#room.hasUpvalues(node, 1)
    this.#roomy.set(node, known)
    return known
  }
}
