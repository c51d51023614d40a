/**
 * The only traversal of the syntax tree: `rewrite`. Its table lists every kind, so a new kind of node does
 * not compile until the traversal handles it.
 */

import type { Expression, Kind, Node, NodeOf, Statement } from './ast.ts'

/**
 * The possible replacements of a node: any number of statements for a statement, any expression for an
 * expression, and one node of the same kind for everything else.
 */
export type Replacement<K extends Kind> =
  NodeOf<K> extends Statement
    ? Statement | readonly Statement[]
    : NodeOf<K> extends Expression
      ? Expression
      : NodeOf<K>

/**
 * Called after the children of a node have been rewritten. `node` has the new children; `original` is the
 * node in the input tree, which is the same object if no descendant changed. Returning nothing keeps `node`.
 */
type Leave<K extends Kind> = (node: NodeOf<K>, original: NodeOf<K>) => Replacement<K> | undefined

/**
 * `enter` is called before the children. If it returns false, the node is kept. If it returns a node, that
 * node is the replacement. In both cases, the children and `leave` are skipped.
 */
type Visitor<K extends Kind> = {
  readonly enter?: ((node: NodeOf<K>) => boolean | Replacement<K> | undefined) | ((node: NodeOf<K>) => void)
  readonly leave?: Leave<K>
}

/** One visitor per kind. A plain function is called like `leave`. */
export type Visitors = { readonly [K in Kind]?: Leave<K> | Visitor<K> }

/**
 * Traverses the tree under `root` in scoping order and returns the rewritten tree. Subtrees without a
 * replacement keep their identity, and visitors that return nothing make this a read-only traversal.
 *
 * The order is suitable for resolving names: values of `Local` before its bindings, the binding of
 * `LocalFunction` before its function, the header of a `for` before its bindings and then its body, the body
 * of `Repeat` before its condition, and values of `Assign` after its targets.
 */
export function rewrite<N extends Node>(root: N, visitors: Visitors): N {
  return new Rewriting(visitors).one(root)
}

type Rebuild<K extends Kind> = (node: NodeOf<K>, walk: Rewriting) => NodeOf<K>

// Method parameters are bivariant, which the lookup by `node.kind` requires.
type AnyRebuild = { of(node: Node, walk: Rewriting): Node }['of']
type AnyEnter = { of(node: Node): unknown }['of']
type AnyLeave = { of(node: Node, original: Node): Node | readonly Statement[] | undefined }['of']
type AnyVisitor = { readonly enter?: AnyEnter; readonly leave?: AnyLeave }

/**
 * Combines two sets of visitors into one traversal. If both have a visitor for a kind, the first set's
 * visitor is called first, and only the second set's visitor can replace the node.
 */
export function combineVisitors(first: Visitors, second: Visitors): Visitors {
  const all: Partial<Record<Kind, AnyVisitor>> = {}
  for (const kind of new Set([...Object.keys(first), ...Object.keys(second)]) as Set<Kind>) {
    const [a, b] = [visitorOf(first, kind), visitorOf(second, kind)]
    const visitor = a && b ? inTurn(a, b) : (a ?? b)
    if (visitor) all[kind] = visitor
  }
  return all as Visitors
}

function inTurn(first: AnyVisitor, second: AnyVisitor): AnyVisitor {
  return {
    enter(node) {
      first.enter?.(node)
      return second.enter?.(node)
    },
    leave(node, original) {
      first.leave?.(node, original)
      return second.leave?.(node, original)
    },
  }
}

function visitorOf(visitors: Visitors, kind: Kind): AnyVisitor | undefined {
  const visitor = visitors[kind] as AnyLeave | AnyVisitor | undefined
  return typeof visitor === 'function' ? { leave: visitor } : visitor
}

class Rewriting {
  readonly #visitors = new Map<Kind, AnyVisitor>()

  constructor(visitors: Visitors) {
    for (const kind of Object.keys(visitors) as Kind[]) {
      const visitor = visitorOf(visitors, kind)
      if (visitor) this.#visitors.set(kind, visitor)
    }
  }

  /**
   * Rewrites a child that must remain a single node. Only statements can become several nodes; `statements`
   * handles those.
   */
  one<N extends Node>(node: N): N {
    return this.#any(node) as N
  }

  maybe<N extends Node>(node: N | null): N | null {
    return node && this.one(node)
  }

  list<N extends Node>(nodes: readonly N[]): readonly N[] {
    let changed: N[] | undefined
    for (let i = 0; i < nodes.length; i++) {
      const before = nodes[i] as N
      const after = this.one(before)
      if (after === before) continue
      changed ??= nodes.slice()
      changed[i] = after
    }
    return changed ?? nodes
  }

  statements(nodes: readonly Statement[]): readonly Statement[] {
    let changed: (Statement | readonly Statement[])[] | undefined
    let isSpread = false
    for (let i = 0; i < nodes.length; i++) {
      const before = nodes[i] as Statement
      const after = this.#any(before) as Statement | readonly Statement[]
      if (after === before) continue
      changed ??= nodes.slice()
      changed[i] = after
      if (Array.isArray(after)) isSpread = true
    }
    if (isSpread) return changed?.flat() as readonly Statement[]
    return (changed as readonly Statement[] | undefined) ?? nodes
  }

  #any(node: Node): Node | readonly Statement[] {
    const { kind } = node
    const visitor = this.#visitors.get(kind)
    const rebuild = rebuilds.get(kind) as AnyRebuild
    if (visitor === undefined) return rebuild === leaf ? node : rebuild(node, this)
    const entered = visitor.enter?.(node)
    if (entered === false) return node
    if (typeof entered === 'object') return entered as Node | readonly Statement[]
    const rebuilt = rebuild(node, this)
    return visitor.leave?.(rebuilt, node) ?? rebuilt
  }
}

const leaf = <N extends Node>(node: N): N => node

const table: { readonly [K in Kind]: Rebuild<K> } = {
  Chunk(node, walk) {
    const body = walk.one(node.body)
    return body === node.body ? node : { ...node, body }
  },
  Block(node, walk) {
    const statements = walk.statements(node.statements)
    return statements === node.statements ? node : { kind: 'Block', at: node.at, statements }
  },
  Binding: leaf,

  Local(node, walk) {
    const values = walk.list(node.values)
    const bindings = walk.list(node.bindings)
    if (values === node.values && bindings === node.bindings) return node
    return { kind: 'Local', at: node.at, bindings, values }
  },
  LocalFunction(node, walk) {
    const binding = walk.one(node.binding)
    const func = walk.one(node.func)
    if (binding === node.binding && func === node.func) return node
    return { kind: 'LocalFunction', at: node.at, binding, func }
  },
  Assign(node, walk) {
    const targets = walk.list(node.targets)
    const values = walk.list(node.values)
    if (targets === node.targets && values === node.values) return node
    return { kind: 'Assign', at: node.at, targets, values }
  },
  CompoundAssign(node, walk) {
    const target = walk.one(node.target)
    const value = walk.one(node.value)
    if (target === node.target && value === node.value) return node
    return { kind: 'CompoundAssign', at: node.at, operator: node.operator, target, value }
  },
  CallStatement(node, walk) {
    const call = walk.one(node.call)
    return call === node.call ? node : { kind: 'CallStatement', at: node.at, call }
  },
  Class(node, walk) {
    const binding = walk.one(node.binding)
    const parent = walk.maybe(node.parent)
    const methods = walk.list(node.methods)
    if (binding === node.binding && parent === node.parent && methods === node.methods) return node
    return { ...node, binding, parent, methods }
  },
  Do(node, walk) {
    const body = walk.one(node.body)
    return body === node.body ? node : { ...node, body }
  },
  While(node, walk) {
    const condition = walk.one(node.condition)
    const body = walk.one(node.body)
    if (condition === node.condition && body === node.body) return node
    return { kind: 'While', at: node.at, condition, body }
  },
  Repeat(node, walk) {
    const body = walk.one(node.body)
    const condition = walk.one(node.condition)
    if (condition === node.condition && body === node.body) return node
    return { kind: 'Repeat', at: node.at, body, condition }
  },
  If(node, walk) {
    const clauses = walk.list(node.clauses)
    const otherwise = walk.maybe(node.otherwise)
    if (clauses === node.clauses && otherwise === node.otherwise) return node
    return { kind: 'If', at: node.at, clauses, otherwise }
  },
  IfClause(node, walk) {
    const condition = walk.one(node.condition)
    const body = walk.one(node.body)
    if (condition === node.condition && body === node.body) return node
    return { kind: 'IfClause', at: node.at, condition, body }
  },
  NumericFor(node, walk) {
    const start = walk.one(node.start)
    const limit = walk.one(node.limit)
    const step = walk.maybe(node.step)
    const binding = walk.one(node.binding)
    const body = walk.one(node.body)
    const same = start === node.start && limit === node.limit && step === node.step
    if (same && binding === node.binding && body === node.body) return node
    return { kind: 'NumericFor', at: node.at, start, limit, step, binding, body }
  },
  GenericFor(node, walk) {
    const values = walk.list(node.values)
    const bindings = walk.list(node.bindings)
    const body = walk.one(node.body)
    if (values === node.values && bindings === node.bindings && body === node.body) return node
    return { kind: 'GenericFor', at: node.at, values, bindings, body }
  },
  Return(node, walk) {
    const values = walk.list(node.values)
    return values === node.values ? node : { kind: 'Return', at: node.at, values }
  },
  Break: leaf,
  Continue: leaf,
  Goto: leaf,
  Label: leaf,

  NilLiteral: leaf,
  BooleanLiteral: leaf,
  NumberLiteral: leaf,
  Int64Literal: leaf,
  ImaginaryLiteral: leaf,
  StringLiteral: leaf,
  InterpolatedString(node, walk) {
    const values = walk.list(node.values)
    if (values === node.values) return node
    return { kind: 'InterpolatedString', at: node.at, strings: node.strings, values }
  },
  Vararg: leaf,
  FunctionExpression(node, walk) {
    const parameters = walk.list(node.parameters)
    const body = walk.one(node.body)
    if (parameters === node.parameters && body === node.body) return node
    return { ...node, parameters, body }
  },
  Name: leaf,
  LocalName: leaf,
  GlobalName: leaf,
  Index(node, walk) {
    const object = walk.one(node.object)
    const key = walk.one(node.key)
    if (object === node.object && key === node.key) return node
    return { kind: 'Index', at: node.at, object, key }
  },
  Call(node, walk) {
    const callee = walk.one(node.callee)
    const args = walk.list(node.args)
    if (callee === node.callee && args === node.args) return node
    return { kind: 'Call', at: node.at, callee, args }
  },
  MethodCall(node, walk) {
    const object = walk.one(node.object)
    const args = walk.list(node.args)
    if (object === node.object && args === node.args) return node
    return { kind: 'MethodCall', at: node.at, object, method: node.method, args }
  },
  Binary(node, walk) {
    const left = walk.one(node.left)
    const right = walk.one(node.right)
    if (left === node.left && right === node.right) return node
    return { kind: 'Binary', at: node.at, operator: node.operator, left, right }
  },
  Logical(node, walk) {
    const left = walk.one(node.left)
    const right = walk.one(node.right)
    if (left === node.left && right === node.right) return node
    return { kind: 'Logical', at: node.at, operator: node.operator, left, right }
  },
  Unary(node, walk) {
    const operand = walk.one(node.operand)
    return operand === node.operand ? node : { kind: 'Unary', at: node.at, operator: node.operator, operand }
  },
  IfExpression(node, walk) {
    const condition = walk.one(node.condition)
    const consequent = walk.one(node.consequent)
    const otherwise = walk.one(node.otherwise)
    const same = condition === node.condition && consequent === node.consequent
    if (same && otherwise === node.otherwise) return node
    return { kind: 'IfExpression', at: node.at, condition, consequent, otherwise }
  },
  Table(node, walk) {
    const items = walk.list(node.items)
    return items === node.items ? node : { kind: 'Table', at: node.at, items }
  },
  PositionalItem(node, walk) {
    const value = walk.one(node.value)
    return value === node.value ? node : { kind: 'PositionalItem', at: node.at, value }
  },
  KeyedItem(node, walk) {
    const key = walk.one(node.key)
    const value = walk.one(node.value)
    if (key === node.key && value === node.value) return node
    return { kind: 'KeyedItem', at: node.at, key, value }
  },
  Safe(node, walk) {
    const chain = walk.one(node.chain)
    return chain === node.chain ? node : { kind: 'Safe', at: node.at, chain }
  },
  Guard(node, walk) {
    const object = walk.one(node.object)
    return object === node.object ? node : { kind: 'Guard', at: node.at, object }
  },
  Fields(node, walk) {
    const object = walk.one(node.object)
    return object === node.object ? node : { kind: 'Fields', at: node.at, object, keys: node.keys }
  },
  Paren(node, walk) {
    const inner = walk.one(node.inner)
    if (inner === node.inner) return node
    return { kind: 'Paren', at: node.at, inner }
  },
}

/** Dispatch by kind dominates a traversal, and a map is faster than an object. */
const rebuilds: ReadonlyMap<Kind, AnyRebuild> = new Map(Object.entries(table) as [Kind, AnyRebuild][])

const skip = { enter: () => false }
/**
 * Visitors that skip inner loops and functions, because a `break`, `continue` or `goto` in those may belong
 * to another loop.
 */
export const ownLoopLevel: Visitors = {
  While: skip,
  Repeat: skip,
  NumericFor: skip,
  GenericFor: skip,
  FunctionExpression: skip,
}
