/**
 * Finds the globals that a script expects from its host, such as `writefile` and `debug.getinfo`. A build can
 * then warn about hosts without them. Excludes names that the script assigns or tests anywhere.
 */

import type { Diagnostics, Located } from '../diagnostics.ts'
import { assignedNames } from '../macros/assigned-names.ts'
import type { Chunk, Expression, Local, Offset, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/**
 * A global, or one of its fields, that the script uses. `line` is the position of the first use, and `uses`
 * is the number of uses.
 */
export type HostUse = Pick<Located, 'file' | 'line'> & { readonly name: string; readonly uses: number }

const MAX_NAMES = 1000
/** Functions that accept values that may be nil. */
const TESTERS: ReadonlySet<string> = new Set(['type', 'typeof', 'pcall', 'xpcall'])
/** Functions that catch the errors of the functions passed to them. */
const CATCHERS: ReadonlySet<string> = new Set(['pcall', 'xpcall'])
const COMPARISONS: ReadonlySet<string> = new Set(['==', '~='])

export function findHostUses(chunk: Chunk, diagnostics: Diagnostics): readonly HostUse[] {
  const { found, tested } = new Search(chunk)
  const own = assignedNames(chunk)
  const isKnown = (name: string) => tested.has(name) || own.has(name)
  const needed = [...found].filter(([name]) => !isKnown(name) && !isKnown(rootOf(name)))
  return needed.map(([name, { at, uses }]) => {
    const { file, line } = diagnostics.locate(at)
    return { name, file, line, uses }
  })
}

class Search {
  readonly found = new Map<string, { readonly at: Offset; readonly uses: number }>()
  readonly tested = new Set<string>()
  /** Locals that refer to a global, as after `local write = writefile`. */
  readonly #aliases = new Map<SymbolId, string>()
  /** Number of `pcall` and `xpcall` calls around the current position. */
  #catching = 0

  constructor(chunk: Chunk) {
    rewrite(chunk, {
      Local: { enter: (node) => this.#note(node) },
      If: { enter: ({ clauses }) => clauses.forEach(({ condition }) => void this.#test(condition)) },
      IfExpression: { enter: ({ condition }) => this.#test(condition) },
      While: { enter: ({ condition }) => this.#test(condition) },
      Repeat: { leave: ({ condition }) => this.#test(condition) },
      Logical: { enter: ({ left, right }) => this.#test(left, right) },
      Unary: { enter: ({ operator, operand }) => void (operator === 'not' && this.#test(operand)) },
      Binary: {
        enter: ({ operator, left, right }) => void (COMPARISONS.has(operator) && this.#test(left, right)),
      },
      Call: {
        enter: ({ callee, args }) => {
          if (isOneOf(callee, TESTERS)) this.#test(...args)
          if (isOneOf(callee, CATCHERS)) this.#catching++
        },
        leave: ({ callee }) => void (isOneOf(callee, CATCHERS) && this.#catching--),
      },
      GlobalName: (node) => this.#use(node),
      Index: (node) => this.#use(node),
    })
  }

  #note({ bindings, values }: Local): void {
    for (const [i, { symbol }] of bindings.entries()) {
      const value = values[i]
      const path = value && pathOf(value)
      if (path) this.#aliases.set(symbol, path)
    }
  }

  #test(...all: readonly Expression[]): undefined {
    for (const one of all) {
      const path = one.kind === 'LocalName' ? this.#aliases.get(one.symbol) : pathOf(one)
      if (path) this.tested.add(path)
    }
  }

  #use(node: Expression): undefined {
    const name = pathOf(node)
    if (name === undefined || this.#catching > 0) return
    const known = this.found.get(name)
    if (known) this.found.set(name, { ...known, uses: known.uses + 1 })
    else if (this.found.size < MAX_NAMES) this.found.set(name, { at: node.at, uses: 1 })
  }
}

/** Formats a name as `writefile` or `debug.getinfo`. */
function pathOf(node: Expression): string | undefined {
  if (node.kind === 'GlobalName') return node.name
  if (node.kind !== 'Index' || node.object.kind !== 'GlobalName') return undefined
  return node.key.kind === 'StringLiteral' ? `${node.object.name}.${node.key.value}` : undefined
}

function rootOf(name: string): string {
  return name.split('.')[0] ?? name
}

function isOneOf(node: Expression, names: ReadonlySet<string>): boolean {
  return node.kind === 'GlobalName' && names.has(node.name)
}
