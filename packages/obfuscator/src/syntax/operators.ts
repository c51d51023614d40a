/**
 * Operators and their precedence. The parser uses this table to group operands, and the printer uses it to
 * place parentheses. The numbers are from Lua 5.1's parser; the operators of Lua 5.4 are placed between them.
 */

import type { BinaryOperator, CompoundOperator, LogicalOperator } from './operator-names.ts'
import { Token, type TokenKind } from './tokens.ts'

/**
 * Left and right priority: an operand between two operators belongs to the one with the higher priority on
 * that side. If the right priority is below the left one, the operator is right-associative.
 */
export type Priority = { readonly left: number; readonly right: number }

/** Unary operators rank between `*` and `^`. */
export const UNARY_PRIORITY = 8

export const priorities: Readonly<Record<BinaryOperator | LogicalOperator, Priority>> = {
  or: { left: 1, right: 1 },
  and: { left: 2, right: 2 },
  '<': { left: 3, right: 3 },
  '>': { left: 3, right: 3 },
  '<=': { left: 3, right: 3 },
  '>=': { left: 3, right: 3 },
  '~=': { left: 3, right: 3 },
  '==': { left: 3, right: 3 },
  '|': { left: 3.2, right: 3.2 },
  '~': { left: 3.4, right: 3.4 },
  '&': { left: 3.6, right: 3.6 },
  '<<': { left: 3.8, right: 3.8 },
  '>>': { left: 3.8, right: 3.8 },
  '..': { left: 5, right: 4 },
  '+': { left: 6, right: 6 },
  '-': { left: 6, right: 6 },
  '*': { left: 7, right: 7 },
  '/': { left: 7, right: 7 },
  '//': { left: 7, right: 7 },
  '%': { left: 7, right: 7 },
  '^': { left: 10, right: 9 },
}

type Found = Priority & { readonly operator: BinaryOperator | LogicalOperator }

/** Shifts are lexed as two tokens, because the `>>` in Luau's `a<b<c>>` closes two lists. */
export function shiftOf(kind: TokenKind): Found | undefined {
  if (kind !== Token.Less && kind !== Token.Greater) return undefined
  const operator = kind === Token.Less ? '<<' : '>>'
  return { operator, ...priorities[operator] }
}

/** The binary operator of a token, if it is one. */
export function binaryOf(kind: TokenKind): Found | undefined {
  return binaries[kind]
}

/**
 * The operator of a FiveM compound assignment, and the number of tokens that form it. FiveM's `^=` is bitwise
 * exclusive or.
 */
export function compoundOfFivem(kind: TokenKind, next: TokenKind): [CompoundOperator, number] | undefined {
  if (kind === Token.CaretAssign) return ['~', 1]
  if (kind === Token.Ampersand && next === Token.Assign) return ['&', 2]
  if (kind === Token.Bar && next === Token.Assign) return ['|', 2]
  if (kind === Token.Less && next === Token.LessEqual) return ['<<', 2]
  if (kind === Token.Greater && next === Token.GreaterEqual) return ['>>', 2]
  const operator = compounds.get(kind)
  return operator && [operator, 1]
}

/** The operator of a compound assignment, if the token is one. */
export function compoundOf(kind: TokenKind): CompoundOperator | undefined {
  return compounds.get(kind)
}

const compounds: ReadonlyMap<TokenKind, CompoundOperator> = new Map<TokenKind, CompoundOperator>([
  [Token.PlusAssign, '+'],
  [Token.MinusAssign, '-'],
  [Token.StarAssign, '*'],
  [Token.SlashAssign, '/'],
  [Token.FloorDivideAssign, '//'],
  [Token.PercentAssign, '%'],
  [Token.CaretAssign, '^'],
  [Token.ConcatAssign, '..'],
])

const binaries: readonly (Found | undefined)[] = makeBinaries([
  [Token.Or, 'or'],
  [Token.And, 'and'],
  [Token.Less, '<'],
  [Token.Greater, '>'],
  [Token.LessEqual, '<='],
  [Token.GreaterEqual, '>='],
  [Token.NotEqual, '~='],
  [Token.Equal, '=='],
  [Token.Concat, '..'],
  [Token.Plus, '+'],
  [Token.Minus, '-'],
  [Token.Star, '*'],
  [Token.Slash, '/'],
  [Token.FloorDivide, '//'],
  [Token.Percent, '%'],
  [Token.Caret, '^'],
  [Token.Bar, '|'],
  [Token.Tilde, '~'],
  [Token.Ampersand, '&'],
])

function makeBinaries(list: readonly (readonly [TokenKind, BinaryOperator | LogicalOperator])[]) {
  const table = new Array<Found | undefined>(80).fill(undefined)
  for (const [kind, operator] of list) table[kind] = { operator, ...priorities[operator] }
  return table
}
