/**
 * T12: pretty-prints the script and runs it in two forms: with one statement per line, and on a single line
 * with new names. A script that still runs can be studied at run time.
 */

import { Diagnostics } from '../src/diagnostics.ts'
import type { Bytes } from '../src/syntax/ast.ts'
import { tokenize } from '../src/syntax/lexer.ts'
import { Token } from '../src/syntax/tokens.ts'
import type { Attack, Host } from './attack.ts'
import { runHost } from './host.ts'
import { readTree, writeTree } from './tree.ts'

export const reprint: Attack = {
  id: 'T12',
  name: 'reformatted to many lines and to one',
  async run({ source }, { code }, host) {
    const wanted = await outputOf(source, host)
    const forms = { 'many lines': pretty(code), 'one line': writeTree(readTree(code)) }
    const running: string[] = []
    for (const [form, text] of Object.entries(forms)) {
      if ((await outputOf(text, host)) === wanted) running.push(form)
    }
    return { score: 1 - running.length / 2, evidence: `runs: ${running.join(', ') || 'neither'}` }
  },
}

async function outputOf(code: Bytes, host: Host): Promise<Bytes | null> {
  const { output, error } = await runHost(host, "assert(loadfile(arg[1]))('first')", [code])
  return error === null ? output : null
}

const BEFORE: ReadonlySet<number> = new Set([
  Token.Local,
  Token.If,
  Token.While,
  Token.For,
  Token.Repeat,
  Token.Return,
  Token.Break,
  Token.Else,
  Token.ElseIf,
  Token.EndBlock,
  Token.Until,
])

function pretty(code: Bytes): Bytes {
  const tokens = tokenize(code, new Diagnostics(code))
  let text = ''
  for (let i = 0; i < tokens.count; i++) {
    const isStart = BEFORE.has(tokens.kinds[i] ?? 0) && tokens.kinds[i - 1] !== Token.Semicolon
    text += `${isStart ? '\n' : ' '}${code.slice(tokens.starts[i], tokens.ends[i])}`
  }
  return text
}
