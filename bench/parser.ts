/**
 * How fast sources are read and written: one megabyte of real Lua from Debian's Penlight, LuaSocket and their
 * like, in one warm process on one core.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Diagnostics } from '../packages/obfuscator/src/diagnostics.ts'
import { tokenize } from '../packages/obfuscator/src/syntax/lexer.ts'
import { parse } from '../packages/obfuscator/src/syntax/parser.ts'
import { print } from '../packages/obfuscator/src/syntax/print.ts'
import { rewrite } from '../packages/obfuscator/src/syntax/walk.ts'
import type { Row } from './row.ts'

const LIBRARIES = '/usr/share/lua/5.1'
const BYTES = 1_000_000
const RUNS = 15

export async function bench(): Promise<Row[]> {
  const source = readCorpus()
  const chunk = parse(source, new Diagnostics(source))
  const speed = (name: string, run: () => unknown, limit?: string): Row => {
    const value = source.length / 1e6 / (medianMs(run) / 1000)
    return { name, value, unit: 'MB/s', ...(limit && { limit }), note: `median of ${RUNS}` }
  }
  return [
    speed('parser with lexer', () => parse(source, new Diagnostics(source)), '>= 4'),
    speed('lexer alone', () => tokenize(source, new Diagnostics(source))),
    speed('walk that replaces every name', () =>
      rewrite(chunk, { Name: (node) => ({ kind: 'GlobalName', at: node.at, name: node.name }) }),
    ),
    speed('printer', () => print(chunk, (symbol) => `a${symbol}`)),
  ]
}

/** Real files, each as a function of its own, until there is a megabyte. */
function readCorpus(): string {
  const names = readdirSync(LIBRARIES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lua'),
  )
  const files = names.sort().map((name) => readFileSync(path.join(LIBRARIES, name), 'latin1'))
  if (files.length === 0)
    throw new Error(`no Lua libraries in ${LIBRARIES}: install lua-penlight and lua-socket`)
  let corpus = ''
  for (let i = 0; corpus.length < BYTES; i = (i + 1) % files.length) {
    const file = (files[i] as string).replace(/^#.*/, '')
    corpus += `do local function library(...)\n${file}\nend end\n`
  }
  return corpus
}

function medianMs(run: () => unknown): number {
  const times: number[] = []
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now()
    run()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[RUNS >> 1] as number
}

if (import.meta.main) for (const row of await bench()) console.log(row)
