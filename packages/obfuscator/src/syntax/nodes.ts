import type {
  Assign,
  Binary,
  Binding,
  Block,
  BooleanLiteral,
  Bytes,
  Call,
  Chunk,
  Do,
  Expression,
  FunctionExpression,
  If,
  Index,
  Local,
  LocalName,
  Logical,
  NilLiteral,
  Node,
  NumberLiteral,
  Offset,
  Return,
  Statement,
  StringLiteral,
  SymbolId,
  Table,
  Target,
} from './ast.ts'
import type { BinaryOperator, LogicalOperator } from './operator-names.ts'

/** The declaration of a symbol created by a pass. */
export function bind(symbol: SymbolId, at: Offset, name: Bytes = ''): Binding {
  return { kind: 'Binding', at, symbol, name, isConst: false }
}

export function use(symbol: SymbolId, at: Offset): LocalName {
  return { kind: 'LocalName', at, symbol }
}

/** Inserts statements at the start of the chunk. */
export function withPrologue(chunk: Chunk, prologue: readonly Statement[]): Chunk {
  if (prologue.length === 0) return chunk
  return { ...chunk, body: { ...chunk.body, statements: [...prologue, ...chunk.body.statements] } }
}

/** Creates factories for nodes at the offset of the node that they replace. */
export function nodesAt(at: Offset): Nodes {
  return new Nodes(at)
}

/**
 * This is a class because passes create an instance at nearly every node. A closure per factory would
 * dominate memory allocation.
 */
class Nodes {
  readonly #at: Offset

  constructor(at: Offset) {
    this.#at = at
  }

  get nil(): NilLiteral {
    return { kind: 'NilLiteral', at: this.#at }
  }

  boolean(value: boolean): BooleanLiteral {
    return { kind: 'BooleanLiteral', at: this.#at, value }
  }

  number(value: number): NumberLiteral {
    return { kind: 'NumberLiteral', at: this.#at, value }
  }

  string(value: Bytes): StringLiteral {
    return { kind: 'StringLiteral', at: this.#at, value }
  }

  use(symbol: SymbolId) {
    return use(symbol, this.#at)
  }

  bind(symbol: SymbolId): Binding {
    return bind(symbol, this.#at)
  }

  index(object: Expression, key: Expression): Index {
    return { kind: 'Index', at: this.#at, object, key }
  }

  call(callee: Expression, ...args: readonly Expression[]): Call {
    return { kind: 'Call', at: this.#at, callee, args }
  }

  binary(left: Expression, operator: BinaryOperator, right: Expression): Binary {
    return { kind: 'Binary', at: this.#at, operator, left, right }
  }

  logical(left: Expression, operator: LogicalOperator, right: Expression): Logical {
    return { kind: 'Logical', at: this.#at, operator, left, right }
  }

  not(operand: Expression): Expression {
    return { kind: 'Unary', at: this.#at, operator: 'not', operand }
  }

  table(values: readonly Expression[]): Table {
    const at = this.#at
    return { kind: 'Table', at, items: values.map((value) => ({ kind: 'PositionalItem', at, value })) }
  }

  local(symbols: readonly SymbolId[], values: readonly Expression[] = []): Local {
    const at = this.#at
    return { kind: 'Local', at, bindings: symbols.map((symbol) => bind(symbol, at)), values }
  }

  assign(target: Target, value: Expression): Assign {
    return { kind: 'Assign', at: this.#at, targets: [target], values: [value] }
  }

  return(...values: readonly Expression[]): Return {
    return { kind: 'Return', at: this.#at, values }
  }

  get break(): Statement {
    return { kind: 'Break', at: this.#at }
  }

  /** Creates a function without parameters. */
  function(body: Block): FunctionExpression {
    const at = this.#at
    return { kind: 'FunctionExpression', at, attributes: [], parameters: [], isVararg: false, body }
  }

  block(statements: readonly Statement[]): Block {
    return { kind: 'Block', at: this.#at, statements }
  }

  do(statements: readonly Statement[]): Do {
    return { kind: 'Do', at: this.#at, body: this.block(statements) }
  }

  if(condition: Expression, then: readonly Statement[], otherwise?: readonly Statement[]): If {
    const at = this.#at
    const clauses: If['clauses'] = [{ kind: 'IfClause', at, condition, body: this.block(then) }]
    return { kind: 'If', at, clauses, otherwise: otherwise ? this.block(otherwise) : null }
  }

  once(statements: readonly Statement[]): Statement {
    return { kind: 'Repeat', at: this.#at, body: this.block(statements), condition: this.boolean(true) }
  }
}

/** Whether the node is a loop that never repeats, like those that `once` creates. */
export function runsOnce(node: Node): boolean {
  return node.kind === 'Repeat' && node.condition.kind === 'BooleanLiteral' && node.condition.value
}

/** Truncates an expression to one value. */
export function oneValue(value: Expression): Expression {
  const isMany = value.kind === 'Call' || value.kind === 'MethodCall' || value.kind === 'Vararg'
  return isMany ? { kind: 'Paren', at: value.at, inner: value } : value
}
