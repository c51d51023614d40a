/**
 * Finds the functions that may run where a Luau host can't wait for a key: in calls from C functions such as
 * `table.sort`, in a metamethod or an iterator, or in a coroutine of the script, whose caller would mistake
 * the pause for a result. The analysis identifies functions by the names of their variables and fields. The
 * result may therefore contain too many functions, and omits functions that are called through computed
 * names.
 */

import type { Chunk, Expression, FunctionExpression, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/**
 * The key of a variable is its symbol. The key of a field, method or global is its name. See also `resultOf`
 * and `argumentOf`.
 */
type Key = SymbolId | string

/** Where a value may come from: a function expression, or another key. */
type Source = FunctionExpression | Key

/**
 * Functions that call their function arguments where those can't wait. Maps each to the position of the first
 * such argument.
 */
const NEVER_WAITING: ReadonlyMap<Key, number> = new Map([
  ['sort', 1],
  ['gsub', 1],
  ['foreach', 1],
  ['foreachi', 1],
  ['xpcall', 1],
  ['coroutine.create', 0],
  ['coroutine.wrap', 0],
  ['newcclosure', 0],
  ['hookfunction', 1],
  ['hookfunc', 1],
  ['hookmetamethod', 2],
])

/** The only metamethod that can wait. */
const CALL_METAMETHOD = '__call'

/** @returns the functions in the syntax tree that may run where they can't wait. */
export function findUnwaiting(chunk: Chunk): ReadonlySet<FunctionExpression> {
  const flow = new FunctionFlow(chunk)
  const found = new Set<FunctionExpression>()
  const seen = new Set<Source>()
  const open: Source[] = [...flow.roots]
  for (let source = open.pop(); source !== undefined; source = open.pop()) {
    if (seen.has(source)) continue
    seen.add(source)
    if (typeof source === 'object') found.add(source)
    open.push(...(typeof source === 'object' ? flow.mentioned(source) : flow.sources(source)))
  }
  return found
}

type Argument = { readonly callee: readonly Key[]; readonly position: number; readonly value: Expression }

class FunctionFlow {
  /** The functions that metamethods, iterators and C functions call. */
  readonly roots: Source[] = []
  readonly #sources = new Map<Key, Set<Source>>()
  readonly #mentioned = new Map<FunctionExpression, Set<Source>>()
  readonly #returned = new Map<FunctionExpression, Set<Source>>()
  readonly #arguments: Argument[] = []
  readonly #around: FunctionExpression[] = []

  constructor(chunk: Chunk) {
    rewrite(chunk, {
      FunctionExpression: {
        enter: (node) => {
          this.#mention(node)
          this.#around.push(node)
        },
        leave: () => void this.#around.pop(),
      },
      LocalName: ({ symbol }) => this.#mention(symbol),
      GlobalName: ({ name }) => this.#mention(name),
      Index: (node) => each(keysOf(node), (key) => this.#mention(key)),
      MethodCall: ({ method, args }) => {
        this.#mention(method)
        this.#call([method], args, 1)
      },
      Call: ({ callee, args }) => this.#call(keysOf(callee), args, 0),
      Local: ({ bindings, values }) => each(bindings, ({ symbol }, i) => this.#hold(symbol, values[i])),
      LocalFunction: ({ binding, func }) => this.#hold(binding.symbol, func),
      Assign: ({ targets, values }) => each(targets, (target, i) => this.#assign(target, values[i])),
      KeyedItem: ({ key, value }) =>
        key.kind === 'StringLiteral' ? this.#hold(key.value, value) : undefined,
      GenericFor: ({ values }) => void this.roots.push(...sourcesOf(values[0])),
      Return: ({ values }) => this.#return(values),
    })
    this.#pass()
  }

  /** Returns the values that a key may refer to. */
  sources(key: Key): Iterable<Source> {
    return this.#sources.get(key) ?? []
  }

  /** Returns the keys that a function mentions, and the functions nested in it. */
  mentioned(node: FunctionExpression): Iterable<Source> {
    return this.#mentioned.get(node) ?? []
  }

  #mention(source: Source): undefined {
    const around = this.#around.at(-1)
    if (around) addTo(this.#mentioned, around, [source])
  }

  #return(values: readonly Expression[]): undefined {
    const around = this.#around.at(-1)
    if (around) addTo(this.#returned, around, values.flatMap(sourcesOf))
  }

  #assign(target: Expression, value: Expression | undefined): undefined {
    for (const key of keysOf(target)) this.#hold(key, value)
  }

  #hold(key: Key, value: Expression | undefined): undefined {
    const sources = sourcesOf(value)
    addTo(this.#sources, key, sources)
    for (const source of sources) {
      const isFunction = typeof source === 'object'
      addTo(
        this.#sources,
        resultOf(key),
        isFunction ? (this.#returned.get(source) ?? []) : [resultOf(source)],
      )
      if (isFunction) this.#receive(key, source)
    }
    const isMetamethod = typeof key === 'string' && key.startsWith('__') && key !== CALL_METAMETHOD
    if (isMetamethod) this.roots.push(...sources)
  }

  #receive(key: Key, { parameters }: FunctionExpression): void {
    each(parameters, ({ symbol }, i) => addTo(this.#sources, symbol, [argumentOf(key, i)]))
  }

  #call(callee: readonly Key[], args: readonly Expression[], from: number): undefined {
    return each(args, (value, i) => this.#arguments.push({ callee, position: from + i, value }))
  }

  /** Runs last, because a callee may be a copy, such as `sort` after `local sort = table.sort`. */
  #pass(): void {
    for (const { callee, position, value } of this.#arguments) {
      const sources = sourcesOf(value)
      if (sources.length === 0) continue
      const copied = callee.flatMap((key) => (typeof key === 'string' ? [] : [...this.sources(key)]))
      for (const key of [...callee, ...copied]) {
        if (typeof key === 'object') continue
        addTo(this.#sources, argumentOf(key, position), sources)
        const first = NEVER_WAITING.get(key)
        if (first !== undefined && position >= first) this.roots.push(...sources)
      }
    }
  }
}

/** Like `forEach`, but returns undefined. For a visitor, that means no replacement. */
function each<T>(list: readonly T[], call: (one: T, i: number) => void): undefined {
  for (const [i, one] of list.entries()) call(one, i)
}

function addTo<K>(map: Map<K, Set<Source>>, key: K, sources: Iterable<Source>): undefined {
  const known = map.get(key) ?? new Set()
  map.set(key, known)
  for (const source of sources) known.add(source)
}

/**
 * Returns the key for the results of the functions that a key refers to. The key contains a space, so that it
 * can't collide with names.
 */
function resultOf(key: Key): Key {
  return `result of ${typeof key} ${key}`
}

function argumentOf(key: Key, position: number): Key {
  return `argument ${position} of ${typeof key} ${key}`
}

function sourcesOf(node: Expression | undefined): readonly Source[] {
  switch (node?.kind) {
    case 'FunctionExpression':
      return [node]
    case 'Call':
      return keysOf(node.callee).map(resultOf)
    case 'MethodCall':
      return [resultOf(node.method)]
    case 'Logical':
      return [...sourcesOf(node.left), ...sourcesOf(node.right)]
    case 'Paren':
      return sourcesOf(node.inner)
    default:
      return node ? keysOf(node) : []
  }
}

/** Fields of `coroutine` have a second key, because `create` and `wrap` are also common names in scripts. */
function keysOf(node: Expression): readonly Key[] {
  if (node.kind === 'LocalName') return [node.symbol]
  if (node.kind === 'GlobalName') return [node.name]
  if (node.kind !== 'Index' || node.key.kind !== 'StringLiteral') return []
  const name = node.key.value
  return keysOf(node.object).includes('coroutine') ? [name, `coroutine.${name}`] : [name]
}
