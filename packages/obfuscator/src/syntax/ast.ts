/**
 * The syntax tree between the parser and the printer: readonly node types with a `kind`. The parser checks
 * and then drops everything that has no effect at run time (types, casts, comments, redundant parentheses),
 * so passes don't need to handle it.
 */

import type { BinaryOperator, CompoundOperator, LogicalOperator, UnaryOperator } from './operator-names.ts'

/** A local variable, parameter or loop variable. The parser numbers these from 0 in source order. */
export type SymbolId = number

/**
 * A 0-based byte offset in the source. A node that a pass creates gets the offset of the node that it
 * replaces.
 */
export type Offset = number

/**
 * A string in which each character is below 256 and represents one byte. Lua strings are byte strings, and a
 * source can have any encoding, so sources, string values and names use this form.
 */
export type Bytes = string

/**
 * An entire file. In the parser's tree, uses of variables are `Name` nodes. The resolver replaces all of them
 * with `LocalName` or `GlobalName`. Passes and the printer work on the resolved tree.
 */
export type Chunk = {
  readonly kind: 'Chunk'
  readonly at: Offset
  readonly body: Block
  /** One more than the highest `SymbolId` in the tree: the first unused symbol. */
  readonly symbolCount: number
  /** The maximum nesting depth of blocks and expressions that the parser found. Passes do not update it. */
  readonly nesting: number
  /**
   * Luau's `--!` comments at the start of the file, in order and without the `--!`, such as `native` and
   * `optimize 2`.
   */
  readonly directives: readonly Bytes[]
  /** Maps the offset of each `function` keyword to the offset of the matching `end`. */
  readonly functionEnds: ReadonlyMap<Offset, Offset>
}

/**
 * The statements of one scope. If a `Break`, `Continue` or `Return` is not the last statement, it is printed
 * in `do end`.
 */
export type Block = { readonly kind: 'Block'; readonly at: Offset; readonly statements: readonly Statement[] }

/**
 * The declaration of a symbol. Occurs only in `Local`, `LocalFunction`, `Class`, `for` loops and parameters.
 */
export type Binding = {
  readonly kind: 'Binding'
  readonly at: Offset
  readonly symbol: SymbolId
  /** The name in the source. The printer does not use this name, but the result of its `nameOf` function. */
  readonly name: Bytes
  /**
   * Whether Luau's `const` or `class` declares the variable. The resolver reports assignments to such a
   * variable.
   */
  readonly isConst: boolean
  /** Set by Luau's `export`, which is valid only at the top level of a chunk. */
  readonly isExported?: true
  /** Lua 5.4's `<const>` or `<close>`. Both make the variable constant. */
  readonly attribute?: 'const' | 'close'
}

// --- statements

/**
 * `local a, b = x, y`, or `const a = x`, whose bindings are constant. There can be more or fewer values than
 * bindings, or no values.
 */
export type Local = {
  readonly kind: 'Local'
  readonly at: Offset
  readonly bindings: readonly Binding[]
  readonly values: readonly Expression[]
}

/** `local function f() end`. The binding is visible inside the function, unlike in `Local`. */
export type LocalFunction = {
  readonly kind: 'LocalFunction'
  readonly at: Offset
  readonly binding: Binding
  readonly func: FunctionExpression
}

/**
 * `a, b.c = x, y`, or `function a.b:c() end`. The latter has one target, and its only value is a
 * `FunctionExpression` whose first parameter is `self`. The printer restores the short form.
 */
export type Assign = {
  readonly kind: 'Assign'
  readonly at: Offset
  readonly targets: readonly Target[]
  readonly values: readonly Expression[]
}

/**
 * Luau's and FiveM's `target op= value`. The subexpressions of the target are evaluated once. In FiveM, `^=`
 * is bitwise, so its operator is `~`.
 */
export type CompoundAssign = {
  readonly kind: 'CompoundAssign'
  readonly at: Offset
  readonly operator: CompoundOperator
  readonly target: Target
  readonly value: Expression
}

/** A call whose results are discarded. */
export type CallStatement = {
  readonly kind: 'CallStatement'
  readonly at: Offset
  readonly call: Call | MethodCall
}

/**
 * Luau's `class`, which is valid only at the top level of a chunk. The binding is visible in the entire
 * chunk. A method is an item whose key is the name of the method and whose value is a function.
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
  /** Number of line breaks before the statement; set only if the output depends on it. */
  readonly lines?: number
}

export type While = {
  readonly kind: 'While'
  readonly at: Offset
  readonly condition: Expression
  readonly body: Block
}

/** The locals of the body are visible in the condition. */
export type Repeat = {
  readonly kind: 'Repeat'
  readonly at: Offset
  readonly body: Block
  readonly condition: Expression
}

/** `clauses` contains the `if` and every `elseif`, so it has at least one item. */
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

/** `for v = start, limit, step do`. The binding is not visible in the three expressions. */
export type NumericFor = {
  readonly kind: 'NumericFor'
  readonly at: Offset
  readonly start: Expression
  readonly limit: Expression
  readonly step: Expression | null
  readonly binding: Binding
  readonly body: Block
}

/**
 * `for a, b in values do`. Luau's iteration over a plain table has the same syntax, but behaves differently
 * at run time.
 */
export type GenericFor = {
  readonly kind: 'GenericFor'
  readonly at: Offset
  readonly values: readonly Expression[]
  readonly bindings: readonly Binding[]
  readonly body: Block
}

export type Return = { readonly kind: 'Return'; readonly at: Offset; readonly values: readonly Expression[] }

type Break = { readonly kind: 'Break'; readonly at: Offset }

/** `continue` in Luau and Garry's Mod. */
type Continue = { readonly kind: 'Continue'; readonly at: Offset }

/**
 * `goto label` in LuaJIT and Lua 5.4. Labels are not symbols: each function has its own namespace for labels.
 */
export type Goto = { readonly kind: 'Goto'; readonly at: Offset; readonly label: Bytes }

/** `::label::` in LuaJIT and Lua 5.4. */
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

// --- expressions

export type NilLiteral = { readonly kind: 'NilLiteral'; readonly at: Offset }

export type BooleanLiteral = { readonly kind: 'BooleanLiteral'; readonly at: Offset; readonly value: boolean }

/**
 * A double, however it is spelled in the source. The parser creates no negative numbers and no NaN, but
 * `1e999` is Infinity. In Lua 5.4, these are integers below 2^53 (unless `isFloat` is set), non-integers, and
 * numbers above 2^63. A pass may create any value, and the printer finds an expression with the same bits.
 */
export type NumberLiteral = {
  readonly kind: 'NumberLiteral'
  readonly at: Offset
  readonly value: number
  readonly isFloat?: true
}

/**
 * LuaJIT's `42LL` and `42ULL`, and Lua 5.4's integers from 2^53. `value` is from 0 to 2^64-1, and wraps
 * around as on the host.
 */
export type Int64Literal = {
  readonly kind: 'Int64Literal'
  readonly at: Offset
  readonly value: bigint
  readonly isUnsigned: boolean
  /** Whether the literal is a Lua 5.4 integer, which has no suffix. */
  readonly isPlain?: true
}

/**
 * LuaJIT's `2.5i`, a complex number without a real part. In Luau, `123i` can also be a 64-bit integer. In
 * that case, `integer` is its value, from 0 to 2^64-1.
 */
export type ImaginaryLiteral = {
  readonly kind: 'ImaginaryLiteral'
  readonly at: Offset
  readonly value: number
  readonly integer: bigint | null
}

/**
 * A string with its escape sequences resolved. Also used for field names: `t.x` is an `Index` with a
 * `StringLiteral`.
 */
export type StringLiteral = { readonly kind: 'StringLiteral'; readonly at: Offset; readonly value: Bytes }

/**
 * Luau's backtick string: `strings[0] values[0] strings[1] … strings[n]`. There is always one more string
 * than there are values.
 */
export type InterpolatedString = {
  readonly kind: 'InterpolatedString'
  readonly at: Offset
  readonly strings: readonly Bytes[]
  readonly values: readonly Expression[]
}

/** `...` */
export type Vararg = { readonly kind: 'Vararg'; readonly at: Offset }

/**
 * Any function. `attributes` contains Luau's `@` names, such as `native`, or `VM(NONE)` for an attribute
 * whose argument is one name.
 */
export type FunctionExpression = {
  readonly kind: 'FunctionExpression'
  readonly at: Offset
  readonly attributes: readonly Bytes[]
  readonly parameters: readonly Binding[]
  readonly isVararg: boolean
  readonly body: Block
  /** Omitted if no parameter or result has a type. */
  readonly signature?: Signature
}

/** The types of a function, as far as suggestions need them. Types have no effect at run time. */
export type Signature = {
  /** A parameter, `...`, or the results (null), with the types in its annotation; see `parse-types.ts`. */
  readonly parts: readonly { readonly name: Bytes | null; readonly types: readonly Bytes[] }[]
  /** The types that the file declares, with the types in their declarations. */
  readonly declared: ReadonlyMap<Bytes, readonly Bytes[]>
}

/** A variable that has not been resolved yet. Occurs only in the parser's tree. */
export type Name = { readonly kind: 'Name'; readonly at: Offset; readonly name: Bytes }

/** A local, parameter, loop variable or upvalue that is read or, as an assignment target, written. */
export type LocalName = { readonly kind: 'LocalName'; readonly at: Offset; readonly symbol: SymbolId }

/** A global that is read or, as an assignment target, written. Its name is printed unchanged. */
export type GlobalName = { readonly kind: 'GlobalName'; readonly at: Offset; readonly name: Bytes }

/**
 * `object.name`, whose key is a `StringLiteral`, or `object[key]`. The printer uses the shorter spelling if
 * possible.
 */
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

/** `object:method(args)`. The object is evaluated once. */
export type MethodCall = {
  readonly kind: 'MethodCall'
  readonly at: Offset
  readonly object: Expression
  readonly method: Bytes
  readonly args: readonly Expression[]
}

/** An operator that evaluates both operands. `//` exists only in Luau and Lua 5.4. */
export type Binary = {
  readonly kind: 'Binary'
  readonly at: Offset
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** `and` or `or`. The right operand is evaluated only if the left operand doesn't decide the result. */
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

/** Luau's `if c then a else b`. An `elseif` is an `IfExpression` in `otherwise`. */
export type IfExpression = {
  readonly kind: 'IfExpression'
  readonly at: Offset
  readonly condition: Expression
  readonly consequent: Expression
  readonly otherwise: Expression
}

export type Table = { readonly kind: 'Table'; readonly at: Offset; readonly items: readonly TableItem[] }

/** `{ value }`. If the last item is a call or `...`, it expands to all of its values. */
type PositionalItem = {
  readonly kind: 'PositionalItem'
  readonly at: Offset
  readonly value: Expression
}

/** `{ [key] = value }`, or `{ name = value }`, whose key is a `StringLiteral`. */
export type KeyedItem = {
  readonly kind: 'KeyedItem'
  readonly at: Offset
  readonly key: Expression
  readonly value: Expression
}

export type TableItem = PositionalItem | KeyedItem

/**
 * Truncates a `Call`, `MethodCall` or `Vararg` to one value: `(f())`, `(...)`, or Luau's cast `f() :: T`.
 * Parentheses for grouping are not nodes: the printer adds them based on operator precedence.
 */
type Paren = { readonly kind: 'Paren'; readonly at: Offset; readonly inner: Expression }

/**
 * An entire FiveM chain such as `a?.b.c`. If the object of a `Guard` in the chain is falsy, that object
 * becomes the value of the chain, and the rest of the chain is not evaluated.
 */
export type Safe = { readonly kind: 'Safe'; readonly at: Offset; readonly chain: Expression }

/** `object?` in a chain. Occurs as the object of an `Index` or `MethodCall`, or as the callee of a `Call`. */
export type Guard = { readonly kind: 'Guard'; readonly at: Offset; readonly object: Expression }

/**
 * The values of FiveM's `local a, b in object` or `a, b in object`: one field per variable. A statement with
 * this node has no other values.
 */
export type Fields = {
  readonly kind: 'Fields'
  readonly at: Offset
  readonly object: Expression
  readonly keys: readonly (StringLiteral | NumberLiteral)[]
}

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
  | Safe
  | Guard
  | Fields
  | Paren

/** An expression that is valid on the left-hand side of `=`. */
export type Target = Name | LocalName | GlobalName | Index

// --- all nodes

export type Node = Chunk | Block | Binding | IfClause | TableItem | Statement | Expression

export type Kind = Node['kind']

/** The node type of a kind. For example, `NodeOf<'Call'>` is `Call`. */
export type NodeOf<K extends Kind> = Extract<Node, { readonly kind: K }>
