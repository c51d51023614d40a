/**
 * The only module that prints Lua code. The code is the shortest that parses to the same tree, on one line or
 * on the lines that the `LineMap` requires. `spelling.ts` prints numbers and strings.
 */

import type {
  Binary,
  Binding,
  Block,
  Bytes,
  Chunk,
  Expression,
  FunctionExpression,
  Kind,
  Logical,
  NodeOf,
  Offset,
  Statement,
  SymbolId,
  TableItem,
} from '../ast.ts'
import type { LineTracker } from '../line-map.ts'
import { priorities, UNARY_PRIORITY } from '../operators.ts'
import { printClass } from './print-class.ts'
import {
  endsBlock,
  isFunctionName,
  isNegative,
  leftPriorityOf,
  prefixKinds,
  rightPriorityOf,
  startOf,
  startsWithBrace,
} from './print-rules.ts'
import {
  isPlainName,
  spellImaginary,
  spellInt64,
  spellInterpolated,
  spellLiteral,
  spellString,
} from './spelling.ts'
import { TokenWriter } from './token-writer.ts'

/**
 * Prints a tree as Lua code. The code is ASCII, unless the source has global names or labels with bytes above
 * 127, which only LuaJIT accepts and which cannot be escaped.
 *
 * @param nameOf returns the name of a symbol. The caller must ensure that names are distinct where necessary.
 */
export function print(chunk: Chunk, nameOf: (symbol: SymbolId) => string, sites?: LineTracker): string {
  const directives = chunk.directives.map((directive) => `--!${directive}\n`).join('')
  const printer = new Printer(nameOf, sites ?? null)
  printer.block(chunk.body)
  return directives + printer.text
}

class Printer extends TokenWriter {
  readonly #nameOf: (symbol: SymbolId) => string
  readonly #sites: LineTracker | null

  constructor(nameOf: (symbol: SymbolId) => string, sites: LineTracker | null) {
    super()
    this.#nameOf = nameOf
    this.#sites = sites
  }

  symbol(symbol: SymbolId): void {
    this.put(this.#nameOf(symbol))
  }

  block(block: Block): void {
    const { statements } = block
    for (let i = 0; i < statements.length; i++) {
      const statement = statements[i] as Statement
      this.followStatement(i > 0)
      if (i < statements.length - 1 && endsBlock(statement)) this.#inDo(statement)
      else this.statement(statement)
    }
    this.followStatement(false)
  }

  #inDo(statement: Statement): void {
    this.put('do')
    this.statement(statement)
    this.put('end')
  }

  statement(node: Statement): void {
    const forced = node.kind === 'Do' ? (node.lines ?? 0) : 0
    const lines = (forced > 0 ? this.#sites?.skip(forced) : this.#sites?.before(node.at)) ?? ''
    this.endLine(lines)
    statements[node.kind](node, this)
  }

  /** Starts a new line for a part of a statement that is on a later source line. */
  part(at: Offset): void {
    this.endLine(this.#sites?.within(at) ?? '')
  }

  body(block: Block): void {
    this.block(block)
    this.put('end')
  }

  /** Prints an expression in a context that allows any expression. */
  expression(node: Expression): void {
    expressions[node.kind](node, this)
  }

  list(nodes: readonly Expression[]): void {
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as Expression
      if (i > 0) this.put(',')
      this.part(startOf(node))
      this.expression(node)
    }
  }

  inParens(node: Expression): void {
    this.put('(')
    this.expression(node)
    this.put(')')
  }

  /** Prints a called or indexed expression, where only names, fields and calls need no parentheses. */
  prefix(node: Expression): void {
    if (prefixKinds.has(node.kind)) this.expression(node)
    else this.inParens(node)
  }

  /** Prints the left operand of an operator with this left priority. */
  leftOperand(node: Expression, priority: number): void {
    if (rightPriorityOf(node) < priority) this.inParens(node)
    else this.expression(node)
  }

  /** Prints the right operand of an operator with this right priority. */
  rightOperand(node: Expression, priority: number): void {
    if (leftPriorityOf(node) <= priority) this.inParens(node)
    else this.expression(node)
  }

  args(args: readonly Expression[]): void {
    const [only] = args
    const isBare = args.length === 1 && (only?.kind === 'StringLiteral' || only?.kind === 'Table')
    if (!isBare) this.put('(')
    this.list(args)
    if (!isBare) this.put(')')
  }

  /** Prints `.name` or `[key]`. */
  key(key: Expression): void {
    if (key.kind === 'StringLiteral' && isPlainName(key.value)) {
      this.put('.')
      this.put(key.value)
      return
    }
    this.put('[')
    this.expression(key)
    this.put(']')
  }

  bindings(bindings: readonly Binding[]): void {
    for (let i = 0; i < bindings.length; i++) {
      if (i > 0) this.put(',')
      const { symbol, attribute } = bindings[i] as Binding
      this.symbol(symbol)
      if (attribute) this.put(`<${attribute}> `)
    }
  }

  attributes(names: readonly Bytes[]): void {
    for (const name of names) {
      if (!name.startsWith(' ')) this.put(name.includes('(') ? `@[${name}]` : `@${name}`)
    }
  }

  export(binding: Binding | undefined): void {
    if (binding?.isExported) this.put('export')
  }

  /** Prints parameters and body, after `function` and the name, if any. */
  functionBody(node: FunctionExpression): void {
    this.put('(')
    this.bindings(node.parameters)
    if (node.isVararg) this.put(node.parameters.length > 0 ? ',...' : '...')
    this.put(')')
    this.body(node.body)
  }
}

type Print<K extends Kind> = (node: NodeOf<K>, printer: Printer) => void
// Method parameters are bivariant, which the lookup by `node.kind` requires.
type AnyPrint = { of(node: Statement | Expression, printer: Printer): void }['of']

const statementTable: { readonly [K in Statement['kind']]: Print<K> } = {
  Local(node, printer) {
    printer.export(node.bindings[0])
    const isConst = node.bindings[0]?.isConst && !node.bindings.some((each) => each.attribute)
    printer.put(isConst ? 'const' : 'local')
    printer.bindings(node.bindings)
    if (node.values.length > 0) printer.put(assigns(node.values))
    printer.list(node.values)
  },
  LocalFunction(node, printer) {
    printer.attributes(node.func.attributes)
    printer.export(node.binding)
    if (!node.binding.isExported) printer.put(node.binding.isConst ? 'const' : 'local')
    printer.put('function')
    printer.symbol(node.binding.symbol)
    printer.functionBody(node.func)
  },
  Assign(node, printer) {
    const [target] = node.targets
    const [value] = node.values
    const isSingle = node.targets.length === 1 && node.values.length === 1
    if (isSingle && value?.kind === 'FunctionExpression' && target && isFunctionName(target)) {
      printer.attributes(value.attributes)
      printer.put('function')
      printer.expression(target)
      printer.functionBody(value)
      return
    }
    printer.list(node.targets)
    printer.put(assigns(node.values))
    printer.list(node.values)
  },
  CompoundAssign(node, printer) {
    printer.expression(node.target)
    // FiveM, the only dialect with this operator, uses `~=` for comparisons.
    printer.put(node.operator === '~' ? '^=' : `${node.operator}=`)
    printer.expression(node.value)
  },
  CallStatement(node, printer) {
    printer.expression(node.call)
  },
  Class: printClass,
  Do(node, printer) {
    printer.put('do')
    printer.body(node.body)
  },
  While(node, printer) {
    printer.put('while')
    printer.expression(node.condition)
    printer.put('do')
    printer.body(node.body)
  },
  Repeat(node, printer) {
    printer.put('repeat')
    printer.block(node.body)
    printer.put('until')
    printer.part(startOf(node.condition))
    printer.expression(node.condition)
  },
  If(node, printer) {
    let word = 'if'
    for (const clause of node.clauses) {
      printer.put(word)
      printer.part(startOf(clause.condition))
      printer.expression(clause.condition)
      printer.put('then')
      printer.block(clause.body)
      word = 'elseif'
    }
    if (node.otherwise) printer.put('else')
    if (node.otherwise) printer.block(node.otherwise)
    printer.put('end')
  },
  NumericFor(node, printer) {
    printer.put('for')
    printer.symbol(node.binding.symbol)
    printer.put('=')
    printer.list(node.step ? [node.start, node.limit, node.step] : [node.start, node.limit])
    printer.put('do')
    printer.body(node.body)
  },
  GenericFor(node, printer) {
    printer.put('for')
    printer.bindings(node.bindings)
    printer.put('in')
    printer.list(node.values)
    printer.put('do')
    printer.body(node.body)
  },
  Return(node, printer) {
    printer.put('return')
    printer.list(node.values)
  },
  Break: (_, printer) => printer.put('break'),
  Continue: (_, printer) => printer.put('continue'),
  Goto(node, printer) {
    printer.put('goto')
    printer.put(node.label)
  },
  Label: (node, printer) => printer.put(`::${node.label}::`),
}

// --- expressions ----------------------------------------------------------------------------------------------

const expressionTable: { readonly [K in Expression['kind']]: Print<K> } = {
  NilLiteral: (_, printer) => printer.put('nil'),
  BooleanLiteral: (node, printer) => printer.put(node.value ? 'true' : 'false'),
  NumberLiteral(node, printer) {
    if (isNegative(node)) printer.put('-')
    if (Number.isNaN(node.value)) printer.put('(0/0)')
    else printer.number(spellLiteral(node))
  },
  Int64Literal: (node, printer) => printer.number(spellInt64(node)),
  ImaginaryLiteral: (node, printer) => printer.number(spellImaginary(node)),
  StringLiteral: (node, printer) => printer.put(spellString(node.value)),
  InterpolatedString(node, printer) {
    for (let i = 0; i < node.values.length; i++) {
      printer.put(`${i === 0 ? '`' : '}'}${spellInterpolated(node.strings[i] ?? '')}{`)
      const value = node.values[i] as Expression
      // Luau rejects `{{`.
      if (startsWithBrace(value)) printer.inParens(value)
      else printer.expression(value)
    }
    printer.put(`}${spellInterpolated(node.strings.at(-1) ?? '')}\``)
  },
  Vararg: (_, printer) => printer.put('...'),
  FunctionExpression(node, printer) {
    printer.attributes(node.attributes)
    printer.put('function')
    printer.functionBody(node)
  },
  Name: (node, printer) => printer.put(node.name),
  LocalName: (node, printer) => printer.symbol(node.symbol),
  GlobalName: (node, printer) => printer.put(node.name),
  Index(node, printer) {
    printer.prefix(node.object)
    printer.key(node.key)
  },
  Call(node, printer) {
    printer.prefix(node.callee)
    printer.args(node.args)
  },
  MethodCall(node, printer) {
    printer.prefix(node.object)
    printer.put(':')
    printer.put(node.method)
    printer.args(node.args)
  },
  Binary: printOperation,
  Logical: printOperation,
  Unary(node, printer) {
    printer.put(node.operator)
    printer.rightOperand(node.operand, UNARY_PRIORITY)
  },
  IfExpression(node, printer) {
    printer.put('if')
    printer.expression(node.condition)
    printer.put('then')
    printer.expression(node.consequent)
    printer.put('else')
    printer.expression(node.otherwise)
  },
  Table(node, printer) {
    printer.put('{')
    for (let i = 0; i < node.items.length; i++) {
      if (i > 0) printer.put(',')
      printItem(node.items[i] as TableItem, printer)
    }
    printer.put('}')
  },
  Safe: (node, printer) => printer.expression(node.chain),
  Guard(node, printer) {
    printer.prefix(node.object)
    printer.put('?')
  },
  Fields: (node, printer) => printer.prefix(node.object),
  Paren: (node, printer) => printer.inParens(node.inner),
}

function assigns(values: readonly Expression[]): string {
  return values[0]?.kind === 'Fields' ? 'in' : '='
}

function printOperation(node: Binary | Logical, printer: Printer): void {
  const priority = priorities[node.operator]
  printer.leftOperand(node.left, priority.left)
  printer.part(node.at)
  printer.put(node.operator)
  printer.part(startOf(node.right))
  printer.rightOperand(node.right, priority.right)
}

function printItem(item: TableItem, printer: Printer): void {
  printer.part(startOf(item.value))
  if (item.kind === 'PositionalItem') {
    printer.expression(item.value)
    return
  }
  if (item.key.kind === 'StringLiteral' && isPlainName(item.key.value)) printer.put(item.key.value)
  else {
    printer.put('[')
    printer.expression(item.key)
    printer.put(']')
  }
  printer.put('=')
  printer.expression(item.value)
}

const statements: { readonly [K in Statement['kind']]: AnyPrint } = statementTable
const expressions: { readonly [K in Expression['kind']]: AnyPrint } = expressionTable
