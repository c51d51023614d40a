/** Finds the source function that contains a position, and the name of that function. */

import { macroNamed } from '../macros/macro-table.ts'
import type { Chunk, Expression, Offset } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

export class FunctionPlaces {
  /**
   * Function names by function number; number 0 is the chunk. Empty for the chunk and for anonymous
   * functions.
   */
  readonly names: readonly string[]
  readonly #starts: readonly Offset[]
  readonly #ends: readonly Offset[]
  readonly #parents: number[] = [0]

  /** @param parsed the syntax tree before `resolve`, when variables still have their names. */
  constructor(parsed: Chunk) {
    const named = namesOf(parsed)
    const places = [...parsed.functionEnds].sort(([a], [b]) => a - b)
    this.#starts = [0, ...places.map(([start]) => start)]
    this.#ends = [Number.POSITIVE_INFINITY, ...places.map(([, end]) => end)]
    this.names = ['', ...places.map(([start]) => named.get(start) ?? '')]
    for (const [i, [start]] of places.entries()) this.#parents.push(this.#around(i, start))
  }

  /** Returns the number of the innermost function that contains a position. */
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

  /**
   * Starts at this function and searches outward. Returns the number of the innermost function that contains
   * the position.
   */
  #around(number: number, place: Offset): number {
    let at = number
    while (place > (this.#ends[at] as number)) at = this.#parents[at] as number
    return at
  }
}

/** Returns function names by the offset at which each function starts. */
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

/**
 * Formats an assignment target as `a.b.c`, or as `a.b:c` for a method. Returns an empty string if any key is
 * computed.
 */
function spelled(target: Expression | undefined, value: Expression): string {
  if (target?.kind === 'Name') return target.name
  if (target?.kind !== 'Index' || target.key.kind !== 'StringLiteral') return ''
  const object = spelled(target.object, target)
  const isMethod = value.kind === 'FunctionExpression' && value.parameters[0]?.name === 'self'
  return object && `${object}${isMethod ? ':' : '.'}${target.key.value}`
}
