/** Which function of the source a place is in, and what its author calls it. */

import { macroNamed } from '../macros/macro-table.ts'
import type { Chunk, Expression, Offset } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

export class FunctionPlaces {
  /** Names by number, the chunk itself first. Empty: the chunk, or a function without a name. */
  readonly names: readonly string[]
  readonly #starts: readonly Offset[]
  readonly #ends: readonly Offset[]
  readonly #parents: number[] = [0]

  /** @param parsed the tree before `resolve`, in which uses of variables have their names. */
  constructor(parsed: Chunk) {
    const named = namesOf(parsed)
    const places = [...parsed.functionEnds].sort(([a], [b]) => a - b)
    this.#starts = [0, ...places.map(([start]) => start)]
    this.#ends = [Number.POSITIVE_INFINITY, ...places.map(([, end]) => end)]
    this.names = ['', ...places.map(([start]) => named.get(start) ?? '')]
    for (const [i, [start]] of places.entries()) this.#parents.push(this.#around(i, start))
  }

  /** The number of the innermost function around a place. */
  at(place: Offset): number {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) <= place) low = middle
      else high = middle
    }
    return this.#around(low, place)
  }

  /** The first function, from this one outwards, that goes on to the place. */
  #around(number: number, place: Offset): number {
    let at = number
    while (place > (this.#ends[at] as number)) at = this.#parents[at] as number
    return at
  }
}

/** By where a function begins. */
function namesOf(parsed: Chunk): ReadonlyMap<Offset, string> {
  const names = new Map<Offset, string>()
  const note = (value: Expression | undefined, name: string) => {
    const inner = value && insideOfMacro(value)
    if (inner?.kind === 'FunctionExpression' && name !== '') names.set(inner.at, name)
  }
  rewrite(parsed, {
    LocalFunction: { enter: ({ binding, func }) => note(func, binding.name) },
    Local: {
      enter({ bindings, values }) {
        for (const [i, value] of values.entries()) note(value, bindings[i]?.name ?? '')
      },
    },
    Assign: {
      enter({ targets, values }) {
        for (const [i, value] of values.entries()) note(value, spelled(targets[i], value))
      },
    },
    KeyedItem: { enter: ({ key, value }) => note(value, key.kind === 'StringLiteral' ? key.value : '') },
  })
  return names
}

function insideOfMacro(value: Expression): Expression {
  const isMacro = value.kind === 'Call' && value.callee.kind === 'Name' && macroNamed(value.callee.name)
  if (!isMacro) return value
  return value.args.find(({ kind }) => kind === 'FunctionExpression') ?? value.args[0] ?? value
}

/** `a.b.c`, or `a.b:c` for a method; empty when a part of it is computed. */
function spelled(target: Expression | undefined, value: Expression): string {
  if (target?.kind === 'Name') return target.name
  if (target?.kind !== 'Index' || target.key.kind !== 'StringLiteral') return ''
  const object = spelled(target.object, target)
  const isMethod = value.kind === 'FunctionExpression' && value.parameters[0]?.name === 'self'
  return object && `${object}${isMethod ? ':' : '.'}${target.key.value}`
}
