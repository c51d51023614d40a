// The tree between parser and printer: readonly node types told apart by `kind`, and nothing else.
// What has no effect when a script runs (types, casts, comments, redundant parentheses) is checked by the
// parser and is not in the tree, so no pass has to think of it.

/**
 * Names one local variable, parameter or loop variable of a chunk. The parser gives every declaration its own,
 * counting from 0 in the order of the text; `Chunk.symbolCount` is the first one that is free.
 */
export type SymbolId = number

/** Offset in bytes into the source text, counted from 0. A node that a pass makes takes the offset of what it replaces. */
export type Offset = number

/**
 * A string whose characters are all below 256: one character is one byte. Sources, string values and names are
 * held like this because a Lua string is bytes and a source may be in any encoding.
 */
export type Bytes = string

/**
 * A whole file. It lives twice: as the parser leaves it, uses of variables are `Name`; after the resolver
 * every one of them is `LocalName` or `GlobalName` and no `Name` is left. Passes and printer see the second tree.
 */
export type Chunk = {
  readonly kind: 'Chunk'
  readonly at: Offset
  readonly body: Block
  /** One more than the highest `SymbolId` in the tree: where fresh symbols begin. */
  readonly symbolCount: number
  /** The most blocks and expressions inside each other that the parser met; passes do not keep it up to date. */
  readonly nesting: number
  /** Luau's `--!` comments at the head of the file, without the `--!`, in their order: `native`, `optimize 2`. */
  readonly directives: readonly Bytes[]
}

/** Statements that share one scope. A `Break`, `Continue` or `Return` before the last one is printed inside `do end`. */
export type Block = {
  readonly kind: 'Block'
  readonly at: Offset
  readonly statements: readonly Statement[]
}

/** The one place where a symbol is declared: in `Local`, `LocalFunction`, the two `for` and `FunctionExpression` parameters. */
export type Binding = {
  readonly kind: 'Binding'
  readonly at: Offset
  readonly symbol: SymbolId
  /** The name in the source; a symbol that a pass makes may have any. The printer asks its `nameOf` instead. */
  readonly name: Bytes
  /** Declared by Luau's `const`: assigning to it is an error that the resolver reports. */
  readonly isConst: boolean
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
 * `a, b.c = x, y`. Also what `function a.b:c() end` becomes: one target, one `FunctionExpression` value, `self` being its
 * first parameter; the printer writes the short form back.
 */
export type Assign = {
  readonly kind: 'Assign'
  readonly at: Offset
  readonly targets: readonly Target[]
  readonly values: readonly Expression[]
}

/** Luau's `target op= value`; the parts of the target are evaluated once. */
export type CompoundAssign = {
  readonly kind: 'CompoundAssign'
  readonly at: Offset
  readonly operator: CompoundOperator
  readonly target: Target
  readonly value: Expression
}

/** A call whose values are thrown away. */
export type CallStatement = {
  readonly kind: 'CallStatement'
  readonly at: Offset
  readonly call: Call | MethodCall
}

export type Do = {
  readonly kind: 'Do'
  readonly at: Offset
  readonly body: Block
  /** Ends of lines in front of it, which the output may count. */
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

/** `for a, b in values do`. Luau's iteration over a plain table looks the same and is told apart when it runs. */
export type GenericFor = {
  readonly kind: 'GenericFor'
  readonly at: Offset
  readonly values: readonly Expression[]
  readonly bindings: readonly Binding[]
  readonly body: Block
}

export type Return = { readonly kind: 'Return'; readonly at: Offset; readonly values: readonly Expression[] }

export type Break = { readonly kind: 'Break'; readonly at: Offset }

/** Luau only. */
export type Continue = { readonly kind: 'Continue'; readonly at: Offset }

/** LuaJIT only. Labels are no symbols: they have a name space of their own, one per function. */
export type Goto = { readonly kind: 'Goto'; readonly at: Offset; readonly label: Bytes }

/** LuaJIT only: `::label::`. */
export type Label = { readonly kind: 'Label'; readonly at: Offset; readonly label: Bytes }

export type Statement =
  | Local
  | LocalFunction
  | Assign
  | CompoundAssign
  | CallStatement
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
 * A double, whatever its spelling was. The parser makes none below zero and no NaN, but `1e999` is Infinity; a
 * pass may make any value, the printer finds an expression for it that gives the same bits.
 */
export type NumberLiteral = { readonly kind: 'NumberLiteral'; readonly at: Offset; readonly value: number }

/** LuaJIT's `42LL` and `42ULL`; `value` is in 0 … 2^64-1 and wraps as LuaJIT wraps it. */
export type Int64Literal = {
  readonly kind: 'Int64Literal'
  readonly at: Offset
  readonly value: bigint
  readonly isUnsigned: boolean
}

/** LuaJIT's `2.5i`, a complex number without real part. */
export type ImaginaryLiteral = {
  readonly kind: 'ImaginaryLiteral'
  readonly at: Offset
  readonly value: number
}

/** Every string with its escapes resolved, also a field name: `t.x` is an `Index` whose key is one of these. */
export type StringLiteral = { readonly kind: 'StringLiteral'; readonly at: Offset; readonly value: Bytes }

/** Luau's backtick string: `strings[0] values[0] strings[1] … strings[n]`, so one more string than values. */
export type InterpolatedString = {
  readonly kind: 'InterpolatedString'
  readonly at: Offset
  readonly strings: readonly Bytes[]
  readonly values: readonly Expression[]
}

/** `...` */
export type Vararg = { readonly kind: 'Vararg'; readonly at: Offset }

/** Every function body. `attributes` holds Luau's `@` names without arguments: `native`, `checked`, `deprecated`. */
export type FunctionExpression = {
  readonly kind: 'FunctionExpression'
  readonly at: Offset
  readonly attributes: readonly Bytes[]
  readonly parameters: readonly Binding[]
  readonly isVararg: boolean
  readonly body: Block
}

/** A variable not yet resolved: made by the parser only, gone after the resolver. */
export type Name = { readonly kind: 'Name'; readonly at: Offset; readonly name: Bytes }

/** A local, parameter, loop variable or upvalue, read or (as target) written. */
export type LocalName = { readonly kind: 'LocalName'; readonly at: Offset; readonly symbol: SymbolId }

/** A global, read or (as target) written. Printed as it stands. */
export type GlobalName = { readonly kind: 'GlobalName'; readonly at: Offset; readonly name: Bytes }

/** `object.name` (key is a `StringLiteral`) and `object[key]`: the same thing in two spellings; the printer takes the shorter. */
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

/** `{ value }`; the last one of a table keeps all values of a call or `...`. */
export type PositionalItem = {
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
 * Cuts `inner` to exactly one value: `(f())`, `(...)`, and Luau's cast `f() :: T`. It stands only around `Call`,
 * `MethodCall` and `Vararg`. Parentheses that merely group are not in the tree: the printer writes them from
 * precedence.
 */
export type Paren = { readonly kind: 'Paren'; readonly at: Offset; readonly inner: Expression }

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

/** What may stand left of `=`. */
export type Target = Name | LocalName | GlobalName | Index

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '^'
export type CompoundOperator = ArithmeticOperator | '..'
export type BinaryOperator = CompoundOperator | '==' | '~=' | '<' | '<=' | '>' | '>='
export type LogicalOperator = 'and' | 'or'
export type UnaryOperator = '-' | 'not' | '#'

// --- all nodes ------------------------------------------------------------------------------------------------

export type Node = Chunk | Block | Binding | IfClause | TableItem | Statement | Expression

export type Kind = Node['kind']

/** The node type that has a given kind: `NodeOf<'Call'>` is `Call`. */
export type NodeOf<K extends Kind> = Extract<Node, { readonly kind: K }>
