/**
 * Tests that real libraries from Debian packages can be parsed, that the printed code is valid Lua, and that
 * printing it again changes nothing.
 */

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { refusedBy } from '../../test/parser-oracles.ts'
import { Diagnostics, describeDiagnostic } from '../diagnostics.ts'
import type { SymbolId } from './ast.ts'
import { parse } from './parser.ts'
import { print } from './print/print.ts'
import { rewrite } from './walk.ts'

const LIBRARIES = '/usr/share/lua/5.1'
/**
 * The modules in the packages that `scripts/system-packages.ts` installs. The machine may have other modules.
 */
const MODULES = ['inspect', 'json', 'ltn12', 'luaunit', 'mime', 'pl', 're', 'socket', 'ssl']
const files = readdirSync(LIBRARIES, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.lua') && MODULES.includes(name.split(/[./]/)[0] ?? ''),
)

/** Prints a source with its original names. */
function minify(source: string): string {
  const diagnostics = new Diagnostics(source)
  const chunk = parse(source, diagnostics)
  expect(diagnostics.list().map(describeDiagnostic)).toEqual([])
  const names = new Map<SymbolId, string>()
  rewrite(chunk, {
    Binding(node) {
      names.set(node.symbol, node.name)
    },
  })
  return print(chunk, (symbol) => names.get(symbol) ?? '')
}

/** Printed code is ASCII: each byte above 127 becomes a four-character escape. */
const asciiLength = (source: string) => source.length + 3 * (source.match(/[\x80-\xff]/g)?.length ?? 0)

describe('real libraries', () => {
  const sources = files.map((name) => readFileSync(path.join(LIBRARIES, name), 'latin1'))

  test('the Debian libraries are installed', () => {
    const found = new Set(files.map((name) => name.split(/[./]/)[0]))
    expect([...found].toSorted()).toEqual(MODULES)
  })

  test.each(files.map((name, i) => [name, sources[i] as string] as const))(
    'printing the printed library again changes nothing: %s',
    (_, source) => {
      const once = minify(source)
      expect(once.length).toBeLessThan(asciiLength(source))
      expect(minify(once)).toBe(once)
    },
  )

  test('printed libraries load on Lua 5.1 and LuaJIT', () => {
    const printed = sources.map(minify)
    expect(refusedBy('lua5.1', printed)).toEqual([])
    expect(refusedBy('luajit', printed)).toEqual([])
  })
})
