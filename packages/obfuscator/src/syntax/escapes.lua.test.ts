/** Tests string escapes: the output of a source written for one host contains the same strings. */

import { expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { expand, obfuscate } from '../index.ts'
import { presets } from '../options.ts'

const COMMON = String.raw`print("\65\0\n\t\\\"", '\'\q', "a\
b")`
const NEWER = String.raw`print("\x41\x7e", "\u{20AC}\u{7f}", "a\z   b", '\\x41')`
const PLAIN = String.raw`print("\x4", "\xZZ", "\u{XYZ}\u{D800}\u", '\z', ("\x41"):byte(1, -1))`
const WIDE = String.raw`print("\u{7FFFFFFF}", "\u{D800}")`

const SAMPLES: readonly (readonly [Host, string, readonly string[]])[] = [
  ['lua5.1', 'lua51', [COMMON.replace(String.raw`\q`, 'q'), COMMON, NEWER, PLAIN]],
  ['luajit', 'luajit', [COMMON.replace(String.raw`\q`, 'q'), NEWER, `${NEWER.replace('   ', '\n  ')}`]],
  ['lua5.4', 'lua54', [COMMON.replace(String.raw`\q`, 'q'), NEWER, WIDE]],
]

test.each(SAMPLES)('%s and an output for %s read the same strings', async (host, target, sources) => {
  const outputs = presets.flatMap(({ id: preset }) =>
    seeds.flatMap((seed) =>
      sources.map((source) => {
        const built = obfuscate(source, { preset, seed, target })
        if ('errors' in built) throw new Error(JSON.stringify(built.errors))
        return { name: source, code: built.code }
      }),
    ),
  )
  const plain = sources.map((source) => ({ name: source, code: source }))
  const wanted = new Map((await runLua(host, plain)).map((each) => [each.name, each]))
  for (const outcome of await runLua(host, outputs)) expect(outcome).toEqual(wanted.get(outcome.name))
  expect([...wanted.values()].map(({ error }) => error)).toEqual(sources.map(() => null))
})

test('in a source for every host, the newer escapes have the value that Luau gives them', async () => {
  const built = obfuscate(NEWER)
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  const [plain] = await runLua('luajit', [{ name: 'plain', code: NEWER }])
  const [outcome] = await runLua('lua5.1', [{ name: 'plain', code: built.code }])
  expect(outcome).toEqual(plain)
})

test('the source of a smoke test, which runs on Luau, keeps the strings of its target', () => {
  const expanded = expand(String.raw`return "\x41"`, { target: 'lua51' })
  expect(expanded).toEqual({ code: 'return"x41"' })
})

test('a source for Lua 5.1 that is not Lua 5.1 keeps the escapes of its own dialect', async () => {
  const sources = [
    String.raw`local n = 1 print("\x41") n += 1 print(n)`,
    String.raw`print("\x41") local function f(a: number) return a end print(f(2))`,
    'print("\\x41\\z\n  ") print(2)',
    'print(`\\x41`) print(2)',
  ]
  const programs = sources.map((source) => {
    const built = obfuscate(source, { target: 'lua51' })
    if ('errors' in built) throw new Error(JSON.stringify(built.errors))
    return { name: source, code: built.code }
  })
  for (const { name, output } of await runLua('lua5.1', programs))
    expect([name, output]).toEqual([name, 'A\n2\nreturned'])
})

test('a malformed escape is an error if the host treats it as one', () => {
  const messages = (target: string, source: string) => {
    const built = obfuscate(source, { target })
    return 'errors' in built ? built.errors.map((each) => each.message) : []
  }
  const malformed = String.raw`line 1, column 9: '\u' needs a code point up to 10FFFF in braces, as in '\u{20AC}'`
  expect(messages('luajit', String.raw`return "\u{XYZ}"`)).toEqual([malformed])
  expect(messages('lua51', String.raw`return "\u{XYZ}"`)).toEqual([])
  expect(messages('lua51', 'return "\\u{XYZ}", `a`')).toEqual([malformed])
})
