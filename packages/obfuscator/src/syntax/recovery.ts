/** Error recovery: finds the position at which parsing continues after a broken statement. */

import type { Mark, Reader } from './reader.ts'
import { Token, type TokenKind } from './tokens.ts'

/** Whether a token ends the block that contains it. */
export function isBlockEnd(kind: TokenKind): boolean {
  return (
    kind === Token.EndBlock ||
    kind === Token.End ||
    kind === Token.Else ||
    kind === Token.ElseIf ||
    kind === Token.Until
  )
}

/**
 * Skips to the likely start of the next statement. Blocks opened by the broken statement are parsed as if
 * their heads were valid, so that their `end`s do not close enclosing blocks.
 */
export function recover(reader: Reader, mark: Mark, before: number): void {
  let open = reader.open - mark.open
  reader.restore(mark)
  if (reader.index === before) reader.advance()
  open += skipToStatement(reader, open)
  reader.func = { isVararg: true, loops: 1 }
  for (; open > 0; open--) finishBlock(reader)
  reader.restore(mark)
}

/** @returns the number of functions entered while skipping. */
function skipToStatement(reader: Reader, open: number): number {
  while (!isStatementStart(reader)) {
    if (reader.take(Token.Semicolon) || reader.take(Token.Then)) return 0
    if (reader.take(Token.Function)) {
      while (!reader.take(Token.ParenClose) && !isBlockEnd(reader.kind)) reader.advance()
      return 1
    }
    reader.advance()
  }
  if (open > 0) reader.take(Token.Do)
  return 0
}

const statementWords: ReadonlySet<TokenKind> = new Set<TokenKind>([
  Token.Break,
  Token.Do,
  Token.For,
  Token.If,
  Token.Local,
  Token.Repeat,
  Token.Return,
  Token.While,
])

function isStatementStart(reader: Reader): boolean {
  if (statementWords.has(reader.kind) || isBlockEnd(reader.kind)) return true
  if (reader.kind === Token.Function) return reader.peek(1) === Token.Name
  return reader.kind === Token.Name && reader.startsLine()
}

function finishBlock(reader: Reader): void {
  reader.grammar.block(reader)
  while (reader.kind === Token.Else || reader.kind === Token.ElseIf) {
    if (!reader.take(Token.Else)) skipCondition(reader)
    reader.grammar.block(reader)
  }
  if (reader.take(Token.Until)) reader.grammar.expression(reader)
  else reader.take(Token.EndBlock)
}

function skipCondition(reader: Reader): void {
  do reader.advance()
  while (reader.kind !== Token.Then && !isStatementStart(reader))
  reader.take(Token.Then)
}
