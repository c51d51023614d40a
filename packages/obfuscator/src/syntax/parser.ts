/** Parses statements, blocks and the entire chunk. `recovery.ts` handles broken statements. */

import type { Diagnostics } from '../diagnostics.ts'
import type {
  Binding,
  Block,
  Bytes,
  Chunk,
  Expression,
  Fields,
  IfClause,
  Offset,
  Safe,
  Statement,
  Target,
} from './ast.ts'
import { accepts, type Dialect, type Escapes, isLua54, lexicalSyntaxOf } from './dialect.ts'
import { tokenize } from './lexer.ts'
import type { CompoundOperator } from './operator-names.ts'
import { compoundOf, compoundOfFivem } from './operators.ts'
import { parseClass } from './parse-class.ts'
import {
  parseAttributed,
  parseBaseClass,
  parseBindings,
  parseConst,
  parseExport,
  parseFunctionStatement,
  parseLocal,
  parseTypeStatement,
} from './parse-declarations.ts'
import { parseExpression, parseExpressions, parseFields, parseStart } from './parse-expression.ts'
import { parseType } from './parse-types.ts'
import { fitted, Reader, SyntaxStop } from './reader.ts'
import { isBlockEnd, recover } from './recovery.ts'
import { splitSafe } from './safe-chain.ts'
import { Token } from './tokens.ts'

/**
 * Parses an entire source. If errors are reported to `diagnostics`, the tree lacks the broken statements and
 * can only be used to find further errors.
 *
 * @param source one character per byte
 * @param dialect the accepted syntax; `any` for sources that authors upload
 * @param escapes how quoted strings are read. `lua51` is ignored if the source uses newer syntax.
 */
export function parse(
  source: Bytes,
  diagnostics: Diagnostics,
  dialect: Dialect = 'any',
  escapes: Escapes = isLua54(dialect) ? 'lua54' : 'any',
): Chunk {
  const tokens = tokenize(source, diagnostics, lexicalSyntaxOf(dialect))
  const reader = new Reader({ source, tokens, dialect, escapes, diagnostics }, grammar)
  const body = parseTop(reader)
  if (reader.isNewer && reader.hasDroppedEscapes) return parse(source, diagnostics, dialect)
  if (reader.exports.size > 0 && reader.mainReturn !== null)
    reader.complain(reader.mainReturn, 'returnAndExport')
  const { symbolCount, deepest: nesting, functionEnds } = reader
  return { kind: 'Chunk', at: 0, body, symbolCount, nesting, directives: tokens.directives, functionEnds }
}

const grammar = { block: parseBlock, expression: parseExpression, type: parseType }

/** chunk ::= block END. An unmatched closing token is reported and skipped. */
function parseTop(reader: Reader): Block {
  const mark = reader.mark()
  let statements: readonly Statement[] = []
  while (true) {
    try {
      statements = parseBlock(reader).statements
    } catch (error) {
      if (!(error instanceof SyntaxStop)) throw error
      reader.restore(mark)
    }
    if (reader.kind === Token.End) return { kind: 'Block', at: 0, statements }
    reader.complain(reader.at, 'strayEnd', reader.found())
    reader.advance()
  }
}

/** block ::= {statement [';']} */
function parseBlock(reader: Reader): Block {
  const { at } = reader
  const statements: Statement[] = []
  reader.enter()
  const mark = reader.mark()
  while (!isBlockEnd(reader.kind)) {
    const before = reader.index
    try {
      const statement = parseStatement(reader)
      if (statement !== null) statements.push(statement)
      reader.take(Token.Semicolon)
      if (statement !== null) checkLast(reader, statement)
    } catch (error) {
      if (!(error instanceof SyntaxStop)) throw error
      recover(reader, mark, before)
    }
  }
  reader.leave()
  return { kind: 'Block', at, statements: fitted(statements) }
}

function checkLast(reader: Reader, statement: Statement): void {
  const { kind } = statement
  if (kind !== 'Return' && kind !== 'Break' && kind !== 'Continue') return
  if (kind === 'Break' && isLua54(reader.dialect)) return
  if (!isBlockEnd(reader.kind)) reader.complain(statement.at, 'notLast', kind.toLowerCase())
}

// --- statements -----------------------------------------------------------------------------------------------

/** Returns null for a statement without an effect at run time. */
function parseStatement(reader: Reader): Statement | null {
  switch (reader.kind) {
    case Token.Local:
      return parseLocal(reader)
    case Token.If:
      return parseIf(reader)
    case Token.Return:
      return parseReturn(reader)
    case Token.For:
      return parseFor(reader)
    case Token.Function:
      return parseFunctionStatement(reader, [])
    case Token.While:
      return parseWhile(reader)
    case Token.Repeat:
      return parseRepeat(reader)
    case Token.Do:
      return parseDo(reader)
    case Token.Break:
      if (reader.func.loops === 0) reader.complain(reader.at, 'breakOutsideLoop')
      return { kind: 'Break', at: reader.advance() }
    case Token.DoubleColon:
      return parseLabel(reader)
    case Token.At:
      return parseAttributed(reader)
    case Token.Semicolon:
      if (!accepts(reader.dialect, 'emptyStatements')) return reader.fail('strayStatementEnd')
      reader.advance()
      return null
    case Token.Name:
      return reader.isBaseClass() ? parseBaseClass(reader) : parseExpressionStatement(reader)
    case Token.ParenOpen:
      return parseExpressionStatement(reader)
    default:
      return reader.fail('expectedStatement', reader.found())
  }
}

function parseDo(reader: Reader): Statement {
  const at = reader.advance()
  return { kind: 'Do', at, body: parseBody(reader, at, 'do') }
}

/** Parses the rest of a construct after its head: block 'end'. */
function parseBody(reader: Reader, at: number, opener: string): Block {
  reader.open += 1
  const body = parseBlock(reader)
  reader.close(Token.EndBlock, 'end', opener, at)
  reader.open -= 1
  return body
}

function parseLoopBody(reader: Reader, at: number, opener: string, where: string): Block {
  reader.expectWord(Token.Do, "'do'", where)
  reader.func.loops += 1
  reader.open -= 1
  const body = parseBody(reader, at, opener)
  reader.func.loops -= 1
  return body
}

/** while ::= 'while' expression 'do' block 'end' */
function parseWhile(reader: Reader): Statement {
  const at = reader.advance()
  reader.open += 1
  const condition = parseExpression(reader)
  const body = parseLoopBody(reader, at, 'while', 'after the condition')
  return { kind: 'While', at, condition, body }
}

/** repeat ::= 'repeat' block 'until' expression */
function parseRepeat(reader: Reader): Statement {
  const at = reader.advance()
  reader.open += 1
  reader.func.loops += 1
  const body = parseBlock(reader)
  reader.close(Token.Until, 'until', 'repeat', at)
  reader.open -= 1
  reader.func.loops -= 1
  return { kind: 'Repeat', at, body, condition: parseExpression(reader) }
}

/** if ::= 'if' expression 'then' block {'elseif' expression 'then' block} ['else' block] 'end' */
function parseIf(reader: Reader): Statement {
  const { at } = reader
  reader.open += 1
  const clauses: IfClause[] = []
  do {
    const clauseAt = reader.advance()
    const condition = parseExpression(reader)
    reader.expectWord(Token.Then, "'then'", 'after the condition')
    clauses.push({ kind: 'IfClause', at: clauseAt, condition, body: parseBlock(reader) })
  } while (reader.kind === Token.ElseIf)
  const otherwise = reader.take(Token.Else) ? parseBlock(reader) : null
  reader.close(Token.EndBlock, 'end', 'if', at)
  reader.open -= 1
  return { kind: 'If', at, clauses: fitted(clauses), otherwise }
}

/** for ::= 'for' binding '=' e ',' e [',' e] 'do' block 'end' | 'for' bindings 'in' expressions 'do' block 'end' */
function parseFor(reader: Reader): Statement {
  const at = reader.advance()
  reader.open += 1
  const bindings = parseBindings(reader, "after 'for'", false)
  const [binding] = bindings
  if (binding && bindings.length === 1 && reader.take(Token.Assign))
    return parseNumericFor(reader, at, binding)
  const words = bindings.length === 1 ? "'=' or 'in'" : "'in'"
  reader.expect(Token.In, words, "after the variables of 'for'")
  const values = parseExpressions(reader)
  const body = parseLoopBody(reader, at, 'for', 'after the values')
  return { kind: 'GenericFor', at, values, bindings, body }
}

function parseNumericFor(reader: Reader, at: number, binding: Binding): Statement {
  const start = parseExpression(reader)
  reader.expect(Token.Comma, "','", 'and a limit after the start value')
  const limit = parseExpression(reader)
  const step = reader.take(Token.Comma) ? parseExpression(reader) : null
  const body = parseLoopBody(reader, at, 'for', 'after the range')
  return { kind: 'NumericFor', at, start, limit, step, binding, body }
}

/** return ::= 'return' [expressions] */
function parseReturn(reader: Reader): Statement {
  if (reader.func.isMain) reader.mainReturn ??= reader.at
  const at = reader.advance()
  const isEmpty = isBlockEnd(reader.kind) || reader.kind === Token.Semicolon
  return { kind: 'Return', at, values: isEmpty ? [] : parseExpressions(reader) }
}

/** label ::= '::' NAME '::' */
function parseLabel(reader: Reader): Statement {
  const at = reader.advance()
  reader.needs('goto', at)
  const label = reader.name("of a label after '::'")
  reader.expect(Token.DoubleColon, "'::'", 'after the label')
  return { kind: 'Label', at, label }
}

/**
 * Parses a call, an assignment, or a statement that starts with a contextual keyword. Such a word is a
 * keyword only where it cannot start a call or an assignment.
 */
function parseExpressionStatement(reader: Reader): Statement | null {
  const { at } = reader
  const node = parseStart(reader)
  const isSafe = node.kind === 'Safe' && node !== reader.grouped
  return isSafe ? parseSafeStatement(reader, at, node) : parseStarted(reader, at, node)
}

/** A name for a local. No source can contain this name. */
const GUARDED = '(guarded)'

/**
 * In FiveM, a statement that starts with `a?.b` has no effect if `a` is falsy: its operands are not
 * evaluated.
 */
function parseSafeStatement(reader: Reader, at: number, node: Safe): Statement {
  const { head, rest } = splitSafe(node)
  const binding = reader.bind(GUARDED, at, false)
  const name = { kind: 'Name', at, name: GUARDED } as const
  const statement = parseStarted(reader, at, rest(name))
  const block = (...statements: Statement[]) => ({ kind: 'Block', at, statements }) as const
  const body = block(...(statement === null ? [] : [statement]))
  const clauses = [{ kind: 'IfClause', at, condition: name, body }] as const
  const local = { kind: 'Local', at, bindings: [binding], values: [head] } as const
  return { kind: 'Do', at, body: block(local, { kind: 'If', at, clauses, otherwise: null }) }
}

function parseStarted(reader: Reader, at: number, node: Expression): Statement | null {
  const isUnpacked = reader.kind === Token.In && accepts(reader.dialect, 'unpacking')
  if (reader.kind === Token.Assign || reader.kind === Token.Comma || isUnpacked)
    return parseAssign(reader, at, node)
  if (compoundAt(reader)) return parseCompoundAssign(reader, at, node)
  if (node.kind === 'Call' || node.kind === 'MethodCall') return { kind: 'CallStatement', at, call: node }
  if (node.kind === 'Name' && node !== reader.grouped) return parseWord(reader, at, node.name)
  return reader.failAt(at, 'incompleteStatement')
}

/**
 * Handles `continue`, `goto`, `const`, `type`, `export`, `class` and `open class`; the word has already
 * been read.
 */
function parseWord(reader: Reader, at: number, word: Bytes): Statement | null {
  const isNamed = reader.kind === Token.Name
  if (word === 'continue') return parseContinue(reader, at)
  if (word === 'goto' && isNamed) return parseGoto(reader, at)
  if (word === 'defer' && reader.dialect === 'fivem') return refuseDefer(reader, at)
  const isDeclared = isNamed || reader.kind === Token.Function
  if (word === 'const' && isDeclared) return parseConst(reader, at)
  if (word === 'type' && isDeclared) return parseTypeStatement(reader, at)
  if (word === 'export' && (isDeclared || reader.kind === Token.Local)) return parseExported(reader, at)
  if (word === 'class' && isNamed) return parseClass(reader, at, false)
  if (word === 'open' && reader.isWord('class')) {
    reader.advance()
    return parseClass(reader, at, true)
  }
  return reader.failAt(at, 'incompleteStatement')
}

/** Rejects a `defer` statement, but parses its body so that its `end` does not cause a second error. */
function refuseDefer(reader: Reader, at: number): null {
  reader.complain(at, 'deferStatement')
  parseBody(reader, at, 'defer')
  return null
}

function parseExported(reader: Reader, at: number): Statement | null {
  if (!reader.isWord('type')) return parseExport(reader, at, [])
  reader.advance()
  return parseTypeStatement(reader, at)
}

function parseContinue(reader: Reader, at: number): Statement {
  reader.needs('continue', at)
  if (reader.func.loops === 0) reader.complain(at, 'continueOutsideLoop')
  return { kind: 'Continue', at }
}

function parseGoto(reader: Reader, at: number): Statement {
  reader.needs('goto', at)
  return { kind: 'Goto', at, label: reader.name("after 'goto'") }
}

/** assign ::= target {',' target} ('=' expressions | 'in' suffixed) */
function parseAssign(reader: Reader, at: number, first: Expression): Statement {
  const targets = [asTarget(reader, at, first)]
  while (reader.take(Token.Comma)) targets.push(parseTarget(reader))
  if (compoundAt(reader)) reader.fail('compoundNeedsOne')
  if (reader.kind === Token.In && accepts(reader.dialect, 'unpacking')) {
    const keys = targets.map((each) => keyOf(reader, each))
    return { kind: 'Assign', at, targets: fitted(targets), values: [parseFields(reader, keys)] }
  }
  reader.expect(Token.Assign, "'='", 'after the variables')
  return { kind: 'Assign', at, targets: fitted(targets), values: parseExpressions(reader) }
}

function parseTarget(reader: Reader): Target {
  const { at } = reader
  const node = parseStart(reader)
  return asTarget(reader, at, node)
}

/** The key of the field that FiveM unpacks into a target: the last name or number in the target. */
function keyOf(reader: Reader, target: Target): Fields['keys'][number] {
  if (target.kind === 'Name') return { kind: 'StringLiteral', at: target.at, value: target.name }
  const key = target.kind === 'Index' ? target.key : null
  if (key?.kind === 'StringLiteral' || key?.kind === 'NumberLiteral') return key
  return reader.failAt(target.at, 'unpackedKey')
}

function asTarget(reader: Reader, at: Offset, node: Expression): Target {
  if (node.kind === 'Safe' && node !== reader.grouped) return reader.failAt(at, 'safeTarget')
  const isTarget = node.kind === 'Name' || node.kind === 'Index'
  if (isTarget && node !== reader.grouped) return node
  return reader.failAt(at, 'cannotAssign')
}

function compoundAt(reader: Reader): [CompoundOperator, number] | undefined {
  if (reader.dialect === 'fivem')
    return compoundOfFivem(reader.kind, reader.isJoined() ? reader.peek(1) : Token.End)
  const operator = compoundOf(reader.kind)
  return operator && [operator, 1]
}

/** Luau compound operators that FiveM lacks. */
const NOT_FIVEM: ReadonlySet<CompoundOperator> = new Set(['//', '%', '..'])

/** compound ::= target ('+=' | '-=' | '*=' | '/=' | '//=' | '%=' | '^=' | '..=' | '&=' | '|=' | '<<=' | '>>=') expression */
function parseCompoundAssign(reader: Reader, at: number, node: Expression): Statement {
  const target = asTarget(reader, at, node)
  const [operator, tokens] = compoundAt(reader) ?? reader.failAt(at, 'cannotAssign')
  reader.needs('compoundAssignment', reader.at)
  if (reader.dialect === 'fivem' && NOT_FIVEM.has(operator)) reader.fail('compoundOperator', operator)
  for (let i = 0; i < tokens; i++) reader.advance()
  const value = parseExpression(reader)
  if (reader.kind === Token.Comma) reader.fail('compoundNeedsOne')
  return { kind: 'CompoundAssign', at, operator, target, value }
}
