/** The operators as they are spelled in source code. */

type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '^'
export type CompoundOperator = ArithmeticOperator | '..'
/** Lua 5.4 only. */
type BitOperator = '&' | '|' | '~' | '<<' | '>>'
export type BinaryOperator = CompoundOperator | BitOperator | '==' | '~=' | '<' | '<=' | '>' | '>='
export type LogicalOperator = 'and' | 'or'
/** `~` is Lua 5.4 only. */
export type UnaryOperator = '-' | 'not' | '#' | '~'
