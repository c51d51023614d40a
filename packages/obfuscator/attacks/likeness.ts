/**
 * T9 and T10: code that two builds of a script share reveals which code is protection, and what is learned
 * about one build helps with the other. The comparison ignores names and literal values, because they differ
 * with the seed even if the code does not.
 */

import { Diagnostics } from '../src/diagnostics.ts'
import type { Bytes, Node } from '../src/syntax/ast.ts'
import { tokenize } from '../src/syntax/lexer.ts'
import { Token } from '../src/syntax/tokens.ts'
import { rewrite, type Visitors } from '../src/syntax/walk.ts'
import type { Attack, Finding } from './attack.ts'
import { readTree } from './tree.ts'

const SHINGLE = 8

export const shingles: Attack = {
  id: 'T9',
  name: 'similarity of two builds: tokens',
  run: async (_, { code, sibling }) => common(shinglesOf(code), shinglesOf(sibling), 'shingles'),
}

function shinglesOf(code: Bytes): Set<string> {
  const tokens = tokenize(code, new Diagnostics(code))
  const words = Array.from({ length: tokens.count }, (_, i) =>
    wordOf(tokens.kinds[i] ?? 0, code.slice(tokens.starts[i], tokens.ends[i])),
  )
  const found = new Set<string>()
  for (let i = 0; i + SHINGLE <= words.length; i++) found.add(words.slice(i, i + SHINGLE).join(' '))
  return found
}

function wordOf(kind: number, text: Bytes): string {
  if (kind === Token.Name) return 'name'
  if (kind === Token.Number) return 'number'
  return kind === Token.String || kind === Token.LongString ? 'string' : text
}

/** Minimum number of nodes in a block. Smaller blocks look the same in every program. */
const SMALLEST = 12

export const subtrees: Attack = {
  id: 'T10',
  name: 'similarity of two builds: code blocks',
  run: async (_, { code, sibling }) => common(subtreesOf(code), subtreesOf(sibling), 'blocks'),
}

/** Formats each block as a string of node kinds and operators. */
function subtreesOf(code: Bytes): Set<string> {
  const found = new Set<string>()
  const open: { words: string[]; count: number }[] = [{ words: [], count: 0 }]
  const top = () => open[open.length - 1] as { words: string[]; count: number }
  const visit = (word: (node: Node) => string, keep: boolean) => ({
    enter: (): undefined => void open.push({ words: [], count: 1 }),
    leave: (_: Node, original: Node): undefined => {
      const { words, count } = open.pop() as { words: string[]; count: number }
      const text = `${word(original)}(${words.join(' ')})`
      top().words.push(text)
      top().count += count
      if (keep && count >= SMALLEST) found.add(text)
    },
  })
  rewrite(readTree(code), visitorsOf(visit))
  return found
}

type Visit = (
  word: (node: Node) => string,
  keep: boolean,
) => { enter: () => undefined; leave: (node: Node, original: Node) => undefined }

function visitorsOf(visit: Visit): Visitors {
  const kinds = [
    'Local',
    'LocalFunction',
    'Assign',
    'CompoundAssign',
    'CallStatement',
    'Do',
    'While',
    'Repeat',
    'If',
  ]
  const more = [
    'IfClause',
    'NumericFor',
    'GenericFor',
    'Return',
    'Break',
    'Vararg',
    'FunctionExpression',
    'Index',
  ]
  const rest = [
    'Call',
    'IfExpression',
    'Table',
    'PositionalItem',
    'KeyedItem',
    'Paren',
    'NilLiteral',
    'BooleanLiteral',
  ]
  const plain = [
    ...kinds,
    ...more,
    ...rest,
    'LocalName',
    'GlobalName',
    'MethodCall',
    'StringLiteral',
    'NumberLiteral',
    'Binding',
  ]
  const visitors: Record<string, ReturnType<Visit>> = {}
  for (const kind of plain) visitors[kind] = visit(() => kind, false)
  for (const kind of ['Binary', 'Logical', 'Unary']) {
    visitors[kind] = visit((node) => ('operator' in node ? node.operator : node.kind), false)
  }
  visitors.Block = visit(() => 'Block', true)
  return visitors
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>, what: string): Finding {
  const shared = [...b].filter((each) => a.has(each)).length
  return { score: b.size === 0 ? 0 : 1 - shared / b.size, evidence: `${shared} of ${b.size} ${what}` }
}
