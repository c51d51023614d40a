/** The operators as they are spelled in source code. */

type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '^'
/** Lua 5.4 only. */
type BitOperator = '&' | '|' | '~' | '<<' | '>>'
export type CompoundOperator = ArithmeticOperator | '..' | BitOperator
export type BinaryOperator = CompoundOperator | '==' | '~=' | '<' | '<=' | '>' | '>='
export type LogicalOperator = 'and' | 'or'
/** `~` is Lua 5.4 only. */
export type UnaryOperator = '-' | 'not' | '#' | '~'
