/**
 * Tests malformed input. Every preset returns either a diagnostic with its position, or a script that loads
 * wherever the source loads. It never throws an exception, and never returns a script unprotected.
 */

import { describe, expect, test } from 'vitest'
import { runAlone } from '../test/run-lua.ts'
import { obfuscate } from './index.ts'
import { presets } from './options.ts'
import { createRandom } from './random.ts'

const many = (text: string, count: number) => text.repeat(count)
const listed = (count: number, item: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join(',')

const random = createRandom(1, 'garbage')
const bytes = (count: number, low = 0, high = 255) =>
  Uint8Array.from({ length: count }, () => random.int(low, high))

const NEVER_LUA: readonly (readonly [string, string | Uint8Array])[] = [
  ['random bytes', bytes(20_000)],
  ['random letters', bytes(20_000, 32, 126)],
  ['compiled Lua', '\x1bLua\x51\x00\x01\x04\x04\x04\x08\x00'],
  ['only zero bytes', new Uint8Array(100_000)],
  ['an unclosed string', `return "${many('x', 1_000_000)}`],
  ['an unclosed long string', `return [==[${many('x', 1_000_000)}]=]`],
  ['an unclosed comment', `--[[${many('x', 1_000_000)}`],
  ['an endless escape', `return "${many('\\', 99_999)}`],
  ['unclosed blocks', many('while true do ', 500)],
  ['unmatched ends', many('end ', 100_000)],
]

const TOO_DEEP: readonly (readonly [string, string])[] = [
  ['parentheses', `return ${many('(', 100_000)}1${many(')', 100_000)}`],
  ['tables', `return ${many('{', 1000)}${many('}', 1000)}`],
  ['functions', many('return function() ', 1000) + many(' end', 1000)],
  ['blocks', many('do ', 1000) + many('end ', 1000)],
  ['branches', many('if a then ', 1000) + many('end ', 1000)],
  ['loops', many('while a do ', 1000) + many('end ', 1000)],
  ['sums', `return ${many('a + ', 100_000)}a`],
  ['texts joined', `return ${many('a .. ', 100_000)}a`],
  ['powers', `return ${many('a ^ ', 100_000)}a`],
  ['negations', `return ${many('not ', 100_000)}a`],
  ['signs', `return ${many('- ', 100_000)}a`],
  ['calls', `f${many('()', 100_000)}`],
  ['fields', `return t${many('.a', 100_000)}`],
  ['methods', `return t${many(':a()', 100_000)}`],
  ['choices', `return ${many('if a then b else ', 3000)}c`],
  ['types', `local a: ${many('{', 5000)}number${many('}', 5000)}`],
]

const LARGE: readonly (readonly [string, string | Uint8Array])[] = [
  ['an empty source', ''],
  ['bytes that are not UTF-8', new Uint8Array([...Buffer.from('return "'), 0xff, 0xfe, 0xc3, 0x28, 0x22])],
  ['half of a surrogate pair', 'return "\ud800"'],
  ['a thousand nested parentheses', `return ${many('(', 990)}1${many(')', 990)}`],
  ['a string of two megabytes', `return "${many('x', 2_000_000)}"`],
  ['eight megabytes of comments', `${many('-- nothing at all\n', 470_000)}return 1`],
  ['a hundred thousand escapes', `return "${many('\\255', 100_000)}"`],
  ['a name of a megabyte', `local ${many('x', 1_000_000)} = 1`],
  ['a number of a hundred thousand digits', `return ${many('9', 100_000)}`],
  ['a constructor of a hundred thousand items', `return {${many('1,', 100_000)}}`],
  ['thirty thousand strings', `return {${listed(30_000, (i) => `'s${i}'`)}}`],
  ['thirty thousand numbers', `return {${listed(30_000, (i) => `${i}.5`)}}`],
  ['a branch with a thousand clauses', `if a then ${many('elseif a then b() ', 1000)} end`],
  ['five thousand functions', `local a ${many('f(function() return a end) ', 5000)}`],
  ['five thousand branches', `local a ${many('if a then a = 1 else a = 2 end ', 5000)}`],
  ['ten thousand blocks', many('do local a = 1 end ', 10_000)],
  ['forty nested loops', `${many('while a do ', 40)}b()${many(' end', 40)}`],
]

describe.each(presets.map(({ id }) => id))('at preset %s', (preset) => {
  test.each([...NEVER_LUA, ...TOO_DEEP])('%s yields a diagnostic with its position', (_, source) => {
    const result = obfuscate(source, { preset })
    const errors = 'errors' in result ? result.errors : []
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(20)
    for (const { param, message } of errors) {
      expect(param).toBe('script')
      expect(message).toMatch(/^line \d+, column \d+: \S/)
      expect(message.length).toBeLessThan(400)
    }
  })

  test.each(LARGE)('%s yields a script that loads', async (_, source) => {
    const result = obfuscate(source, { preset })
    if ('errors' in result) throw new Error(result.errors.map(({ message }) => message).join('\n'))
    for (const host of ['lua5.1', 'luajit']) {
      const load = "local chunk, problem = loadstring((io.read('*a'))) print(chunk and 'loads' or problem)"
      expect([host, (await runAlone(host, ['-e', load], result.code)).slice(0, 200)]).toEqual([
        host,
        'loads\n',
      ])
    }
  })
})
