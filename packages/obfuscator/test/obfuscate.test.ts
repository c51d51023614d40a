/**
 * Tests the public API: identical calls return identical bytes, bad input and bad options yield clear errors,
 * the report contains counts, and the output reveals nothing about the source.
 */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { choices, obfuscate } from '../src/index.ts'
import { type ObfuscateOptions, presets } from '../src/options.ts'
import { HOSTS, runLua } from './run-lua.ts'

const SOURCE = readFileSync(new URL('conformance/strings.lua', import.meta.url), 'latin1')

function code(source: string | Uint8Array, options: ObfuscateOptions = {}): string {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.code
}

function diagnosticsOf(source: string, options: ObfuscateOptions = {}): string[] {
  const result = obfuscate(source, options)
  return 'errors' in result ? result.errors.map(({ param, message }) => `${param}: ${message}`) : []
}

describe('determinism', () => {
  test('the same source, options and seed yield the same bytes', () => {
    for (const seed of [0, 1, 'one', -5]) expect(code(SOURCE, { seed })).toBe(code(SOURCE, { seed }))
  })

  test('a different seed yields a different output, and a number is a different seed than the string of its digits', () => {
    const texts = [1, 2, 3, '1', 'a', 'b'].map((seed) => code(SOURCE, { seed }))
    expect(new Set(texts).size).toBe(texts.length)
  })

  test('turning a pass off does not change the random numbers of the others', () => {
    const source = 'local a = 12345\nprint("text", a)'
    const alphabet = (text: string) => /"([^"]{93})"/.exec(text)?.[1]
    const withNumbers = alphabet(code(source, { seed: 3 }))
    expect(withNumbers).toBeDefined()
    expect(alphabet(code(source, { seed: 3, passes: { 'encode-numbers': false } }))).toBe(withNumbers)
  })
})

describe('hidden contents', () => {
  const source = `
    local SecretCount = 987654
    local function secretFunction(secretParameter) return secretParameter .. 'secret text' end
    SecretGlobal = { secretField = 'other secret' }
    print(secretFunction(SecretGlobal.secretField), SecretCount)`

  test('the output contains no name, string, number or global of a cold script', () => {
    expect(code(source, { target: 'lua51' })).not.toMatch(/secret|987654|print/i)
  })

  test('names of globals are also hidden in functions and loops, except on Luau if that would slow down library calls', () => {
    const often = 'function SecretGlobal() return tostring(1) end for i = 1, 3 do print(SecretGlobal()) end'
    const preset = 'light'
    expect(code(often, { preset, target: 'lua51' })).not.toMatch(/Secret|tostring|print/)
    expect(code(often, { preset, target: 'luau' })).not.toContain('getfenv')
    const asked = { preset, target: 'luau', passes: { 'hide-globals': { slowLuau: true } } }
    expect(code(often, asked)).not.toMatch(/Secret|tostring|print/)
  })

  test('the output is ASCII and preserves every byte of the source', async () => {
    const bytes = Uint8Array.from([...'return "\xff\x00\xe4", ...'].map((c) => c.charCodeAt(0)))
    const text = code(bytes)
    expect(text).toMatch(/^[\n\x20-\x7e]*$/)
    const [outcome] = await runLua('lua5.1', [{ name: 'bytes', code: text }])
    expect(outcome?.output).toBe('returned\t\\255\\000\\228\tfirst\tnil\t3')
  })

  test('a source string is encoded as UTF-8, with lone surrogates as the replacement character', async () => {
    const [outcome] = await runLua('lua5.1', [{ name: 'text', code: code('return "ä€😀\ud800"') }])
    expect(outcome?.output).toBe('returned\t\\195\\164\\226\\130\\172\\240\\159\\152\\128\\239\\191\\189')
  })

  test('strings in hot code are locals, and unused strings are never decrypted', async () => {
    const [outcome] = await runLua('lua5.1', [
      { name: 'lazy', code: code(`if not print then return 'never' end return 'now'`) },
    ])
    expect(outcome?.output).toBe('returned\tnow')
  })

  test('a script can read its strings even if setmetatable is missing', async () => {
    const hidden = code(`return 'one', 'two', 'one'`)
    const run = `local f = loadstring([==[${hidden}]==]) setfenv(f, {}) return f()`
    const [outcome] = await runLua('lua5.1', [{ name: 'bare', code: run }])
    expect(outcome?.output).toBe('returned\tone\ttwo\tone')
  })
})

describe('parameters', () => {
  const wrapped = (source: string, options: ObfuscateOptions = {}) =>
    `local f = (function() ${code(source, { parameters: ['ward', 'extra'], ...options })} end)() return f('W', 'E', ...)`

  test.each([
    ['binds its parameters and leaves the rest to ...', 'return ward, extra, ...', 'W\tE\tfirst\tnil\t3'],
    ['counts trailing nils', `return select('#', ...)`, '3'],
    ['accepts parameters that the script does not use', 'return ...', 'first\tnil\t3'],
    ['does not need ...', 'return ward', 'W'],
    [
      'can assign and capture its parameters',
      `ward = ward .. '!' return (function() return ward end)()`,
      'W!',
    ],
    ['can shadow its parameters', `local ward = 'own' do local extra = 1 end return ward, extra`, 'own\tE'],
    [
      'leaves the global arg alone',
      `arg = 'g' return arg, (function() return arg end)(), select('#', ...)`,
      'g\tg\t3',
    ],
    [
      'preserves arg inside a vararg function of the script',
      `arg = 1 local function f(...) return type(arg) end return f(1), arg, ...`,
      'table\t1\tfirst\tnil\t3',
    ],
    [
      'preserves arg among several assignment targets',
      `local x x, arg, ward = 1, 2, 3 return x, arg, ward, (...)`,
      '1\t2\t3\tfirst',
    ],
  ])('a wrapped chunk %s', async (_, source, expected) => {
    for (const target of ['any', 'lua51']) {
      const [outcome] = await runLua('lua5.1', [{ name: source, code: wrapped(source, { target }) }])
      expect([outcome?.error, outcome?.output]).toEqual([null, `returned\t${expected}`])
    }
  })

  test('a wrapped chunk is vararg only if the script is', () => {
    expect(code('return ward', { parameters: ['ward'] })).not.toContain('...')
  })

  test('a parameter that is not a name is rejected', () => {
    for (const parameters of [['a b'], ['a', 'a'], [''], ['1x']]) {
      expect(diagnosticsOf('return 1', { parameters })).toEqual([
        'parameters: parameters must be distinct names of letters, digits and _',
      ])
    }
  })
})

describe('bad options', () => {
  test.each([
    [{ preset: 'heroic' }, "preset: there is no preset 'heroic': choose one of 'light'"],
    [
      { target: 'js' },
      "target: there is no target 'js': choose one of 'any', 'lua51', 'luajit', 'luau', 'lua54'",
    ],
    [{ seed: 1.5 }, 'seed: the seed must be a whole number or a string'],
    [{ seed: Number.NaN }, 'seed: the seed must be a whole number or a string'],
    [{ passes: { nothing: true } }, "passes: there is no pass or setting 'nothing': choose one of"],
    [
      { passes: { 'encode-numbers': { share: 2 } } },
      'passes: encode-numbers.share must be a number from 0 to 1',
    ],
    [
      { passes: { 'encode-numbers': { shore: 1 } } },
      "passes: there is no pass or setting 'encode-numbers.shore'",
    ],
    [{ passes: { 'hide-globals': { reach: 'far' } } }, 'passes: hide-globals.reach must be one of'],
  ])('%j is rejected', (options, words) => {
    const [first, ...others] = diagnosticsOf('return 1', options)
    expect(first?.startsWith(words), first).toBe(true)
    expect(others).toEqual([])
  })

  test('every default in the list of options is accepted', () => {
    for (const { id, default: value } of choices.options) {
      const [pass, setting] = id.split('.')
      const asked = setting ? { passes: { [pass as string]: { [setting]: value } } } : { [id]: value }
      const isSwitch = !setting && typeof value === 'boolean'
      expect(diagnosticsOf('return 1', isSwitch ? { passes: { [id]: value } } : asked), id).toEqual([])
    }
  })
})

describe('bad sources', () => {
  const locals = (count: number) => Array.from({ length: count }, (_, i) => `local v${i} = ${i}`).join('\n')
  const upvalues = (count: number) => {
    const names = Array.from({ length: count }, (_, i) => `u${i}`)
    const declared = names.map((name) => `local ${name} = 1`).join(' ')
    return `local function f()\n${declared}\nreturn function() return ${names.join(' + ')} end end`
  }
  test.each<[string, string, ObfuscateOptions]>([
    ['script: line 1, column 9: ', 'local x == 1', {}],
    ["script: line 2, column 1: 'x' is a 'const'", 'const x = 1\nx = 2', {}],
    ["script: line 2, column 1: 'x' is a 'const'", 'const x = 1\nx += 2', {}],
    ["script: line 1, column 1: no label 'nowhere' is visible", 'goto nowhere', { target: 'luajit' }],
    ["script: line 1, column 7: the label 'a' is declared twice", '::a:: ::a::', { target: 'luajit' }],
    [
      "script: line 1, column 1: 'goto done' jumps into the scope of local 'x'",
      'goto done local x = 1 ::done:: print(x)',
      { target: 'luajit' },
    ],
    [
      "script: line 1, column 18: 'goto' and labels cannot run on Luau",
      'while true do    goto out end ::out::',
      { target: 'luau' },
    ],
    [
      'script: line 1, column 8: 64-bit integer literals cannot run on Lua 5.1',
      'return 42ULL',
      { target: 'lua51' },
    ],
    ["script: line 1, column 8: integers with 'i' cannot run on every target", 'return 4i', {}],
    ['script: line 201, column 7: more than 200 local variables', locals(201), {}],
    ['script: line 201, column 7: more than 200 local variables', locals(201), { target: 'luau' }],
    ['script: line 3, column 8: this function uses more than 60 variables', upvalues(61), {}],
    [
      'script: line 1, column ',
      `return ${'('.repeat(300)}f()${')'.repeat(300)} + ${'{'.repeat(300)}${'}'.repeat(300)}`,
      { target: 'lua51' },
    ],
  ])('%s', (words, source, options) => {
    const [first = ''] = diagnosticsOf(source, options)
    expect(first.slice(0, words.length)).toBe(words)
  })

  test('a function with 61 upvalues is accepted if the host allows 200', () => {
    expect(diagnosticsOf(upvalues(61), { target: 'luau' })).toEqual([])
  })

  test('at most 20 diagnostics are returned, in source order', () => {
    const found = diagnosticsOf('x = = 1\n'.repeat(100))
    expect(found.length).toBe(20)
    expect(found[0]).toMatch(/^script: line 1,/)
  })

  test('random bytes yield diagnostics and never an exception', () => {
    let state = 1
    for (let round = 0; round < 300; round++) {
      const bytes = Uint8Array.from({ length: 200 }, () => {
        state = (state * 1103515245 + 12345) % 2147483648
        return state >> 8
      })
      const result = obfuscate(bytes, { seed: round })
      expect('errors' in result ? result.errors.length : 1).toBeGreaterThan(0)
    }
  })

  test('a source truncated at any byte yields diagnostics and never an exception', () => {
    for (let end = 0; end < SOURCE.length; end += 37) expect(obfuscate(SOURCE.slice(0, end))).toBeDefined()
  })
})

describe('the report', () => {
  test('counts what was hidden and lists what was not hidden', () => {
    const result = obfuscate(`local function f() return 'x', 1000 end print(f(), 'y', 2000)`, {
      preset: 'light',
      target: 'lua51',
    })
    if ('errors' in result) throw new Error('refused')
    expect(result.report).toMatchObject({
      preset: 'light',
      target: 'lua51',
      seed: 0,
      strings: 3,
      numbers: 2,
      globals: 1,
      warnings: [],
    })
    expect(result.report.outputSize).toBe(result.code.length)
    expect(result.report.sourceSize).toBe(61)
  })

  test('warns if a script uses function environments', () => {
    const result = obfuscate('setfenv(1, {}) x = 1', { target: 'lua51' })
    expect('report' in result && result.report.warnings).toEqual([
      'globals are not hidden: the script uses function environments',
    ])
  })
})

test.each(HOSTS)('an unused label at the end of a loop runs on %s', async (host) => {
  const source = 'for i = 1, 2 do print(i) ::continue:: end'
  const builds = presets.map(({ id }) => ({ name: id, code: code(source, { preset: id, seed: 1 }) }))
  for (const { error, output } of await runLua(host, builds))
    expect([error, output]).toEqual([null, expect.stringMatching(/^1\n2(\nreturned)?$/)])
})
