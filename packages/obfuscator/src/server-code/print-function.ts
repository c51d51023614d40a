/** Prints a function that moves to the server, together with everything that it uses, as one Luau chunk. */

import type { Diagnostics } from '../diagnostics.ts'
import type { PassContext } from '../pass-context.ts'
import { lowerLuau } from '../passes/lower-luau.ts'
import { INITIAL_STATE } from '../passes/pass.ts'
import { createRandom } from '../random.ts'
import { checkLimits } from '../semantics/limits.ts'
import { rename } from '../semantics/rename.ts'
import type { Binding, Chunk, FunctionExpression, Offset, Statement } from '../syntax/ast.ts'
import { type LineTracker, NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { print } from '../syntax/print/print.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Captures } from './captures.ts'
import type { ScriptUses } from './script-uses.ts'
import { MAX_FUNCTION_BYTES, type ServerFunction } from './server-code.ts'

type Script = { readonly chunk: Chunk; readonly context: PassContext; readonly uses: ScriptUses }

export function printServerFunction(
  func: FunctionExpression,
  captures: Captures,
  { chunk, context, uses }: Script,
): Pick<ServerFunction, 'source' | 'lines'> {
  const { diagnostics } = context
  const made = nodesAt(func.at)
  const statements = [...wardOf(captures, context), ...copiesOf(captures, uses), made.return(func)]
  const body = { ...chunk.body, statements }
  const whole = plain({ ...chunk, directives: [], body })
  const lowered = lowerLuau.run(whole, { ...context, target: 'luau' }, {}, INITIAL_STATE).chunk
  const facts = checkLimits(lowered, 'luau', diagnostics)
  if (!diagnostics.isEmpty) return { source: '', lines: [] }
  const lines = new PlacedLines(diagnostics)
  const source = print(lowered, rename(facts, createRandom(0, 'server')), lines)
  if (source.length > MAX_FUNCTION_BYTES)
    diagnostics.report(func.at, 'serverTooLarge', source.length, MAX_FUNCTION_BYTES)
  return { source, lines: lines.places }
}

/** Declares `ward` from the argument of the chunk. The server fills `ward` with information about the run. */
function wardOf({ usesWard }: Captures, { ward }: PassContext): Statement[] {
  const make = nodesAt(NOWHERE)
  return usesWard && ward !== null ? [make.local([ward], [{ kind: 'Vararg', at: NOWHERE }])] : []
}

/** Returns the copies in source order, so that each copy is declared before its first use. */
function copiesOf({ values }: Captures, { declarations }: ScriptUses): Statement[] {
  const copies = [...values].map(([symbol, value]): Statement & { readonly at: Offset } => {
    const { name = '', at = value.at } = declarations.get(symbol) ?? {}
    const binding: Binding = { kind: 'Binding', at, symbol, name, isConst: false }
    if (value.kind === 'FunctionExpression') return { kind: 'LocalFunction', at, binding, func: value }
    return { kind: 'Local', at, bindings: [binding], values: [value] }
  })
  return copies.toSorted((a, b) => a.at - b.at)
}

/** Removes attributes and `const`, which matter only in the script. */
function plain(chunk: Chunk): Chunk {
  return rewrite(chunk, {
    FunctionExpression: (node) => (node.attributes.length > 0 ? { ...node, attributes: [] } : undefined),
    Binding: ({ attribute, ...node }) =>
      attribute || node.isConst ? { ...node, isConst: false } : undefined,
  })
}

/**
 * Starts a new output line wherever the author's line changes, and records the author's line for each output
 * line.
 */
class PlacedLines implements LineTracker {
  readonly places: string[] = ['']
  readonly #diagnostics: Diagnostics

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics
  }

  before(at: Offset): string {
    if (at === NOWHERE) return ''
    const place = this.#diagnostics.placeOf(at)
    const last = this.places.length - 1
    if (this.places[last] === place) return ''
    if (this.places[last] === '') {
      this.places[last] = place
      return ''
    }
    return this.#add(place)
  }

  within(at: Offset): string {
    return this.before(at)
  }

  skip(count: number): string {
    return Array.from({ length: count }, () => this.#add('')).join('')
  }

  #add(place: string): string {
    this.places.push(place)
    return '\n'
  }
}
