/**
 * The tree between parser and printer: readonly node types with a `kind`. The parser checks and drops what
 * has no effect at run time (types, casts, comments, redundant parentheses), so no pass has to handle it.
 */

import type { BinaryOperator, CompoundOperator, LogicalOperator, UnaryOperator } from './operator-names.ts'

/** One local variable, parameter or loop variable, numbered by the parser from 0 in the order of the text. */
export type SymbolId = number

/** Offset in bytes in the source, from 0. A node that a pass makes takes that of the node it replaces. */
export type Offset = number

/**
 * A string whose characters are all below 256: one character is one byte. Lua strings are bytes and a source
 * may have any encoding, so sources, string values and names use this form.
 */
export type Bytes = string

/**
 * A whole file. In the parser's tree, uses of variables are `Name`. In the resolver's tree they are
 * `LocalName` or `GlobalName`, and no `Name` is left. Passes and printer see the second tree.
 */
export type Chunk = {
  readonly kind: 'Chunk'
  readonly at: Offset
  readonly body: Block
  /** One more than the highest `SymbolId` in the tree: where fresh symbols begin. */
  readonly symbolCount: number
  /** The deepest nesting of blocks and expressions that the parser saw. Passes do not update it. */
  readonly nesting: number
  /** Luau's `--!` comments at the start of the file, without the `--!`, in order: `native`, `optimize 2`. */
  readonly directives: readonly Bytes[]
  /** The offset of each function's `end`, by that of its `function`. */
  readonly functionEnds: ReadonlyMap<Offset, Offset>
}

/** Statements in one scope. A `Break`, `Continue` or `Return` before the last one is printed in `do end`. */
export type Block = { readonly kind: 'Block'; readonly at: Offset; readonly statements: readonly Statement[] }

/** The only place where a symbol is declared: `Local`, `LocalFunction`, `Class`, `for` loops, parameters. */
export type Binding = {
  readonly kind: 'Binding'
  readonly at: Offset
  readonly symbol: SymbolId
  /** The name in the source. The printer uses its `nameOf` instead. */
  readonly name: Bytes
  /** Declared by Luau's `const` or `class`: assigning to it is an error that the resolver reports. */
  readonly isConst: boolean
  /** Luau's `export`, only in the chunk's own block. */
  readonly isExported?: true
  /** Lua 5.4's `<const>` and `<close>`; both are const. */
  readonly attribute?: 'const' | 'close'
}

// --- statements -----------------------------------------------------------------------------------------------

/** `local a, b = x, y`, also `const a = x` (then the bindings are const). `values` may be empty, shorter or longer. */
export type Local = {
  readonly kind: 'Local'
  readonly at: Offset
  readonly bindings: readonly Binding[]
  readonly values: readonly Expression[]
}

/** `local function f() end`: unlike `Local`, the binding is visible inside the function. */
export type LocalFunction = {
  readonly kind: 'LocalFunction'
  readonly at: Offset
  readonly binding: Binding
  readonly func: FunctionExpression
}

/**
 * `a, b.c = x, y`. Also `function a.b:c() end`: one target and one `FunctionExpression` value with `self` as
 * its first parameter. The printer restores the short form.
 */
export type Assign = {
  readonly kind: 'Assign'
  readonly at: Offset
  readonly targets: readonly Target[]
  readonly values: readonly Expression[]
}

/** Luau's `target op= value`. The parts of the target are evaluated once. */
export type CompoundAssign = {
  readonly kind: 'CompoundAssign'
  readonly at: Offset
  readonly operator: CompoundOperator
  readonly target: Target
  readonly value: Expression
}

/** A call whose values are dropped. */
export type CallStatement = {
  readonly kind: 'CallStatement'
  readonly at: Offset
  readonly call: Call | MethodCall
}

/**
 * Luau's `class`, only in the chunk's own block. The binding is visible in the whole chunk. A method is an
 * item with its name as key and a function as value.
 */
export type Class = {
  readonly kind: 'Class'
  readonly at: Offset
  readonly binding: Binding
  readonly isOpen: boolean
  readonly parent: Expression | null
  readonly fields: readonly Bytes[]
  readonly methods: readonly KeyedItem[]
}

export type Do = {
  readonly kind: 'Do'
  readonly at: Offset
  readonly body: Block
  /** Line ends in front of it, which the output may count. */
  readonly lines?: number
}

export type While = {
  readonly kind: 'While'
  readonly at: Offset
  readonly condition: Expression
  readonly body: Block
}

/** The condition sees the locals of the body. */
export type Repeat = {
  readonly kind: 'Repeat'
  readonly at: Offset
  readonly body: Block
  readonly condition: Expression
}

/** `clauses` holds the `if` and every `elseif`, at least one. */
export type If = {
  readonly kind: 'If'
  readonly at: Offset
  readonly clauses: readonly IfClause[]
  readonly otherwise: Block | null
}

export type IfClause = {
  readonly kind: 'IfClause'
  readonly at: Offset
  readonly condition: Expression
  readonly body: Block
}

/** `for v = start, limit, step do`. The three expressions do not see the binding. */
export type NumericFor = {
  readonly kind: 'NumericFor'
  readonly at: Offset
  readonly start: Expression
  readonly limit: Expression
  readonly step: Expression | null
  readonly binding: Binding
  readonly body: Block
}

/** `for a, b in values do`. Luau's iteration over a plain table looks the same and differs at run time. */
export type GenericFor = {
  readonly kind: 'GenericFor'
  readonly at: Offset
  readonly values: readonly Expression[]
  readonly bindings: readonly Binding[]
  readonly body: Block
}

export type Return = { readonly kind: 'Return'; readonly at: Offset; readonly values: readonly Expression[] }

type Break = { readonly kind: 'Break'; readonly at: Offset }

/** Luau only. */
type Continue = { readonly kind: 'Continue'; readonly at: Offset }

/** LuaJIT only. Labels are no symbols: each function has a name space for them. */
export type Goto = { readonly kind: 'Goto'; readonly at: Offset; readonly label: Bytes }

/** LuaJIT only: `::label::`. */
type Label = { readonly kind: 'Label'; readonly at: Offset; readonly label: Bytes }

export type Statement =
  | Local
  | LocalFunction
  | Assign
  | CompoundAssign
  | CallStatement
  | Class
  | Do
  | While
  | Repeat
  | If
  | NumericFor
  | GenericFor
  | Return
  | Break
  | Continue
  | Goto
  | Label

// --- expressions ----------------------------------------------------------------------------------------------

export type NilLiteral = { readonly kind: 'NilLiteral'; readonly at: Offset }

export type BooleanLiteral = { readonly kind: 'BooleanLiteral'; readonly at: Offset; readonly value: boolean }

/**
 * A double, whatever its spelling. The parser makes no negative number and no NaN, but `1e999` is Infinity. In Lua
 * 5.4 integers below 2^53, unless `isFloat`, and all numbers that are no integer or above 2^63.
 * A pass may make any value; the printer finds an expression with the same bits.
 */
export type NumberLiteral = {
  readonly kind: 'NumberLiteral'
  readonly at: Offset
  readonly value: number
  readonly isFloat?: true
}

/** LuaJIT's `42LL` and `42ULL`, Lua 5.4's integers from 2^53; `value` is in 0 … 2^64-1 and wraps as the host does. */
export type Int64Literal = {
  readonly kind: 'Int64Literal'
  readonly at: Offset
  readonly value: bigint
  readonly isUnsigned: boolean
  /** Lua 5.4's, without a suffix. */
  readonly isPlain?: true
}

/**
 * LuaJIT's `2.5i`, a complex number without real part. `123i` is also a 64-bit integer of Luau, with this value
 * in 0 … 2^64-1.
 */
export type ImaginaryLiteral = {
  readonly kind: 'ImaginaryLiteral'
  readonly at: Offset
  readonly value: number
  readonly integer: bigint | null
}

/** Every string with its escapes resolved, also a field name: `t.x` is an `Index` with one of these. */
export type StringLiteral = { readonly kind: 'StringLiteral'; readonly at: Offset; readonly value: Bytes }

/**
 * Luau's backtick string: `strings[0] values[0] strings[1] … strings[n]`, so there is one more string than
 * values.
 */
export type InterpolatedString = {
  readonly kind: 'InterpolatedString'
  readonly at: Offset
  readonly strings: readonly Bytes[]
  readonly values: readonly Expression[]
}

/** `...` */
export type Vararg = { readonly kind: 'Vararg'; readonly at: Offset }

/** Every function body. `attributes` holds Luau's `@` names, such as `native`, and `VM(NONE)` of one with a name. */
export type FunctionExpression = {
  readonly kind: 'FunctionExpression'
  readonly at: Offset
  readonly attributes: readonly Bytes[]
  readonly parameters: readonly Binding[]
  readonly isVararg: boolean
  readonly body: Block
}

/** A variable that is not resolved yet: only in the parser's tree. */
export type Name = { readonly kind: 'Name'; readonly at: Offset; readonly name: Bytes }

/** A local, parameter, loop variable or upvalue, read or (as target) written. */
export type LocalName = { readonly kind: 'LocalName'; readonly at: Offset; readonly symbol: SymbolId }

/** A global, read or (as target) written. Printed unchanged. */
export type GlobalName = { readonly kind: 'GlobalName'; readonly at: Offset; readonly name: Bytes }

/** `object.name` (the key is a `StringLiteral`) and `object[key]`: the printer uses the shorter spelling. */
export type Index = {
  readonly kind: 'Index'
  readonly at: Offset
  readonly object: Expression
  readonly key: Expression
}

export type Call = {
  readonly kind: 'Call'
  readonly at: Offset
  readonly callee: Expression
  readonly args: readonly Expression[]
}

/** `object:method(args)`; the object is evaluated once. */
export type MethodCall = {
  readonly kind: 'MethodCall'
  readonly at: Offset
  readonly object: Expression
  readonly method: Bytes
  readonly args: readonly Expression[]
}

/** An operator that evaluates both sides. `//` is Luau only. */
export type Binary = {
  readonly kind: 'Binary'
  readonly at: Offset
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** `and` and `or`: the right side is evaluated only when it decides. */
export type Logical = {
  readonly kind: 'Logical'
  readonly at: Offset
  readonly operator: LogicalOperator
  readonly left: Expression
  readonly right: Expression
}

export type Unary = {
  readonly kind: 'Unary'
  readonly at: Offset
  readonly operator: UnaryOperator
  readonly operand: Expression
}

/** Luau's `if c then a else b`; an `elseif` is an `IfExpression` in `otherwise`. */
export type IfExpression = {
  readonly kind: 'IfExpression'
  readonly at: Offset
  readonly condition: Expression
  readonly consequent: Expression
  readonly otherwise: Expression
}

export type Table = { readonly kind: 'Table'; readonly at: Offset; readonly items: readonly TableItem[] }

/** `{ value }`; the last one of a table takes all values of a call or `...`. */
type PositionalItem = {
  readonly kind: 'PositionalItem'
  readonly at: Offset
  readonly value: Expression
}

/** `{ [key] = value }`, and `{ name = value }` with a `StringLiteral` key. */
export type KeyedItem = {
  readonly kind: 'KeyedItem'
  readonly at: Offset
  readonly key: Expression
  readonly value: Expression
}

export type TableItem = PositionalItem | KeyedItem

/**
 * Cuts a `Call`, `MethodCall` or `Vararg` to one value: `(f())`, `(...)`, and Luau's cast `f() :: T`. The printer
 * writes parentheses that merely group from precedence.
 */
type Paren = { readonly kind: 'Paren'; readonly at: Offset; readonly inner: Expression }

export type Expression =
  | NilLiteral
  | BooleanLiteral
  | NumberLiteral
  | Int64Literal
  | ImaginaryLiteral
  | StringLiteral
  | InterpolatedString
  | Vararg
  | FunctionExpression
  | Name
  | LocalName
  | GlobalName
  | Index
  | Call
  | MethodCall
  | Binary
  | Logical
  | Unary
  | IfExpression
  | Table
  | Paren

/** What may stand on the left of `=`. */
export type Target = Name | LocalName | GlobalName | Index

// --- all nodes ------------------------------------------------------------------------------------------------

export type Node = Chunk | Block | Binding | IfClause | TableItem | Statement | Expression

export type Kind = Node['kind']

/** The node type with a given kind: `NodeOf<'Call'>` is `Call`. */
export type NodeOf<K extends Kind> = Extract<Node, { readonly kind: K }>
