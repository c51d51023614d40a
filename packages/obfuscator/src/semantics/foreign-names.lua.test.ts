/**
 * Tests scripts that were written for other services. Every name in the macro table either behaves as in
 * those services, or is rejected with its position. The author's own names stay unchanged.
 */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { choices, obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'

const { macros } = choices
const SERVED = { parameters: ['ward'] }

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { preset: 'light', ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function diagnosticsOf(source: string, options: ObfuscateOptions = {}): string[] {
  const result = obfuscate(source, options)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

const warningsOf = (source: string, options: ObfuscateOptions = {}) =>
  protect(source, options).report.warnings

const SILENT = `{ is_premium = false, executions = 1, script_name = 'Garden', script_version = 2,
  supports_sessions = false, seconds_left = function() return math.huge end, handle = print }`
const KNOWN = `{ is_premium = true, executions = 41, chat_id = '18465', note = 'order 7', script_name = 'Garden',
  script_version = 12, supports_sessions = true, seconds_left = function() return 90 end,
  handle = function(key, call) call(key) end }`

/** Runs a script as the server does, with the values that its loader would provide. */
const asServed = (source: string, ward: string, options: ObfuscateOptions = {}) =>
  `return (function(...) ${protect(source, { ...SERVED, ...options }).code} end)()(${ward})`

/** Builds a script that prints variables by name. */
const printing = (names: readonly string[]) =>
  names.map((name) => `print('${name}', type(${name}), tostring(${name}))`).join('\n')

const variables = macros.filter(({ kind }) => kind === 'variable').map(({ name }) => name)

/**
 * The expected values for a customer with a key, and for a customer without one. For times since 1970, only
 * the type is given, because they differ from run to run.
 */
const VALUES: Readonly<Record<string, readonly [string, string]>> = {
  LRM_IsUserPremium: ['boolean\ttrue', 'boolean\tfalse'],
  LRM_LinkedDiscordID: ['string\t18465', 'string\t'],
  LRM_ScriptName: ['string\tGarden', 'string\tGarden'],
  LRM_ScriptVersion: ['string\t12', 'string\t2'],
  LRM_TotalExecutions: ['number\t41', 'number\t1'],
  LRM_SecondsLeft: ['number\t90', 'number\tinf'],
  LRM_UserNote: ['string\torder 7', 'string\t'],
  L7_LinkedDiscordID: ['string\t18465', 'string\t'],
  L7_ScriptName: ['string\tGarden', 'string\tGarden'],
  L7_ScriptVersion: ['string\t12', 'string\t2'],
  L7_TotalExecutions: ['number\t41', 'number\t1'],
  L7_SecondsLeft: ['number\t90', 'string\tLifetime'],
  L7_UserNote: ['string\torder 7', 'string\tFFA'],
  la_is_premium: ['boolean\ttrue', 'boolean\tfalse'],
  la_executions: ['number\t41', 'number\t1'],
  la_discord_id: ['string\t18465', 'nil\tnil'],
  la_seconds_left: ['number\t90', 'nil\tnil'],
  la_user_note: ['string\torder 7', 'nil\tnil'],
  la_script_name: ['string\tGarden', 'string\tGarden'],
  la_exists: ['boolean\ttrue', 'boolean\ttrue'],
  la_supports_sessions: ['boolean\ttrue', 'boolean\tfalse'],
  la_handle: ['function\tfunction', 'function\tfunction'],
  JD_IS_PREMIUM: ['boolean\ttrue', 'boolean\tfalse'],
  JD_IsPremium: ['boolean\ttrue', 'boolean\tfalse'],
  JD_EXPIRES_AT: ['number\t', 'number\tinf'],
  JD_DISCORD_ID: ['string\t18465', 'nil\tnil'],
  JD_REASON: ['string\tKey validation', 'string\tKeyless'],
}

describe('variables of other services', () => {
  const programs = once(() =>
    presets.flatMap(({ id }) =>
      [KNOWN, SILENT].map((ward, i) => ({
        name: `${id} ${i}`,
        code: asServed(printing(variables), ward, { preset: id }),
      })),
    ),
  )

  test.each(HOSTS)('have the value that their scripts expect, on %s', async (host) => {
    expect(Object.keys(VALUES).toSorted()).toEqual(variables.toSorted())
    for (const { name, error, output } of await runLua(host, programs())) {
      expect([name, error]).toEqual([name, null])
      const lines = output.split('\n')
      for (const [i, each] of variables.entries()) {
        const value = VALUES[each]?.[name.endsWith('0') ? 0 : 1]
        expect([name, lines[i]]).toEqual([name, expect.stringContaining(`${each}\t${value}`)])
      }
    }
  })

  test.each([
    ["LRM_UserNote = LRM_UserNote or 'mine' return LRM_UserNote", 'order 7'],
    ["la_user_note = la_user_note or 'mine' return la_user_note", 'order 7'],
    ["if not LRM_UserNote then LRM_UserNote = 'mine' end return LRM_UserNote", 'order 7'],
    ["if not LPH_OBFUSCATED then LRM_UserNote = 'mine' end return LRM_UserNote", 'order 7'],
    ['if not la_exists then la_seconds_left = 5 end return la_seconds_left', '90'],
    ["local LRM_UserNote = LRM_UserNote or 'mine' return LRM_UserNote", 'order 7'],
    ["LRM_UserNote = 'mine' return LRM_UserNote", 'mine'],
    ["LRM_UserNote, x = 'mine', 1 return LRM_UserNote .. x", 'mine1'],
    ['LRM_TotalExecutions += 1 return LRM_TotalExecutions', '42'],
    ["_G.LRM_UserNote = _G.LRM_UserNote .. '!' return LRM_UserNote", 'order 7!'],
    ['return _G.JD_IsPremium, getgenv().LRM_ScriptName', 'true\tGarden'],
    ["local got la_handle('news', function(key) got = key end) return got", 'news'],
    ['local x = { LRM_UserNote = 1 } return x.LRM_UserNote', '1'],
    ['local function f(LRM_UserNote) return LRM_UserNote end return f(3)', '3'],
  ])("the author's stubs and names keep their meaning: %s", async (source, value) => {
    const [outcome] = await runLua('lua5.1', [{ name: source, code: asServed(source, KNOWN) }])
    expect([outcome?.error, outcome?.output]).toEqual([null, `returned\t${value}`])
  })

  test("fall back to the author's default if the customer has no value", async () => {
    const source = "la_user_note = la_user_note or 'mine' return la_user_note"
    const [outcome] = await runLua('lua5.1', [{ name: source, code: asServed(source, SILENT) }])
    expect(outcome?.output).toBe('returned\tmine')
  })

  test('are nil without a server, with a warning', () => {
    const [warning = ''] = warningsOf('print(1)\nprint(LRM_UserNote, LRM_UserNote)')
    expect(warning).toBe(
      'line 2 and 1 more: LRM_UserNote is nil in this file: it is available only in scripts delivered by the server',
    )
    expect(warningsOf("LRM_UserNote = LRM_UserNote or '' print(LRM_UserNote)")).toEqual([])
  })

  test.each(variables.filter((name) => name !== 'la_handle'))('%s cannot be called', (name) => {
    for (const options of [SERVED, {}]) {
      expect(diagnosticsOf(`print(1)\n  ${name}()`, options)).toEqual([
        `line 2, column 3: '${name}' is a value and cannot be called: remove the '()'`,
      ])
    }
  })
})

describe('unknown names', () => {
  test.each([
    ['LPH_ENCSTRING("x")', "unknown macro or variable 'LPH_ENCSTRING': write 'LPH_ENCSTR'"],
    ['print(LRM_Usernote)', "unknown macro or variable 'LRM_Usernote': write 'LRM_UserNote'"],
    ['la_user_notes()', "unknown macro or variable 'la_user_notes': write 'la_user_note'"],
    ['WARD_SOMETHING_ELSE()', "unknown macro or variable 'WARD_SOMETHING_ELSE': remove it"],
    ['L7_HWID = L7_Fingerprint', "unknown macro or variable 'L7_Fingerprint'"],
    ['JD_CREATED_AT()', "'JD_CREATED_AT' is not available: "],
    ['LRM_SEND_WEBHOOK("u", {})', "'LRM_SEND_WEBHOOK' requires the server, "],
    [
      'if not LPH_OBFUSCATED then LPH_OTHER_THING = f end LPH_OTHER_THING()',
      "unknown macro or variable 'LPH_OTHER_THING'",
    ],
  ])('%s is rejected with its position', (source, words) => {
    const [first = '', ...rest] = diagnosticsOf(`\n${source}`)
    expect(first).toMatch(/^line 2, column \d+: /)
    expect(first.replace(/^.*?: /, '').slice(0, words.length)).toBe(words)
    expect(rest).toEqual([])
  })

  test.each([
    'LPH_THING = 5 return LPH_THING',
    'function JD_CREATED_AT() end return JD_CREATED_AT()',
    'getgenv().la_thing = 5 return la_thing',
    'local la_thing, JD_X = 1 return la_thing, JD_X',
    'return x.la_thing, x.LPH_ANYTHING, { LRM_Thing = 1 }, x:WARD_METHOD()',
    'return "LPH_ANYTHING"',
    'return function(WARD_OTHER) return WARD_OTHER end',
    'return lap_time, WARDEN, LRMX, lA_x',
  ])("the author's own names stay unchanged: %s", (source) => {
    expect(diagnosticsOf(source)).toEqual([])
    expect(warningsOf(source)).toEqual([])
  })

  test('yield a limited number of messages even if there are thousands', () => {
    const many = (prefix: string) =>
      Array.from({ length: 20_000 }, (_, i) => `${prefix}thing${i}()`).join('\n')
    expect(warningsOf(many('la_')).filter((each) => each.includes('la_'))).toHaveLength(40)
    expect(diagnosticsOf(many('LPH_'))).toHaveLength(20)
    const lines = `return {${'LPH_LINE,\n'.repeat(20_000)}}`
    const { code } = protect(lines, { passes: { 'encode-numbers': false } })
    expect(/\b19999,\s*20000\b/.test(code)).toBe(true)
  })

  test('a short prefix or a name with a default yields a warning, because it may be something else', () => {
    const says = (name: string) => `line 1: ${name} is nil unless something outside the script sets it`
    expect(warningsOf('return la_config')).toEqual([says('la_config')])
    expect(warningsOf('return LPH_OTHER_THING or print')).toEqual([says('LPH_OTHER_THING')])
  })
})

describe('macros of other services', () => {
  const SOURCE = `local line = LPH_LINE
    local t = LPH_STACKALLOC(4, 0)
    t[1] = LPH_OPAQUE(WYNF_ENC_NUM(7)) + LPH_REWRITE(line, 2)
    LPH_ASSUME(t[1] > 0)
    LPH_PRECHECK(function() t[2] = 'checked' end, 5)
    LRM_INIT_SCRIPT(function() t[3] = WYNF_LINE() end)
    WYNF_BEGIN_CLIENT_LINES()
    local f = WYNF_SECURE_CALLBACK(WYNF_JIT(function(x) return LPH_STRENC('a' ) .. x end))
    print(t[1], t[2], t[3], f(LPH_VERSION), WYNF_IS_CALLER_WYNFUSCATE(), LPH_FUNCENC(function() return LPH_NUMENC(5) end)())`

  const programs = once(() =>
    presets.map(({ id }) => ({ name: id, code: protect(SOURCE, { preset: id }).code })),
  )

  test.each(HOSTS)('have their documented effect, on %s', async (host) => {
    for (const { name, error, output } of await runLua(host, programs())) {
      expect([name, error, output]).toEqual([
        name,
        null,
        expect.stringMatching(/^8\tchecked\t6\taScriptward\ttrue\t5/),
      ])
    }
  })

  test('each ignored name is reported once', () => {
    const told = warningsOf(SOURCE).filter((each) => /(LPH|WYNF|LRM)_/.test(each))
    const ignored = macros.filter(({ kind, name }) => kind === 'ignored' && SOURCE.includes(`${name}(`))
    for (const { name } of ignored) expect(told.filter((each) => each.includes(` ${name} `))).toHaveLength(1)
  })

  test('encrypted buffers are supported on Luau only', async () => {
    const source = "print(buffer.tostring(LPH_ENCBUF('a hidden text')), LPH_BUFENC('') ~= nil)"
    const { code } = protect(source, { target: 'luau' })
    expect(code).not.toContain('hidden')
    const [outcome] = await runLua('luau', [{ name: 'buffer', code }])
    expect([outcome?.error, outcome?.output]).toEqual([null, 'a hidden text\ttrue'])
    expect(diagnosticsOf(source, { target: 'luajit' })[0]).toMatch(/^line 1, column \d+: a buffer cannot run/)
    expect(warningsOf(source)[0]).toMatch(/buffers exist only in Luau/)
  })
})

/**
 * Every kind of misuse: a name that is not called, missing or surplus arguments, the wrong type, and an
 * unused result.
 */
const MISUSES: readonly (readonly [string, (name: string) => string])[] = [
  ['not called', (name) => `local x = { ${name} }`],
  ['without arguments', (name) => `local x = ${name}()`],
  ['with a vararg', (name) => `local x = ${name}(...)`],
  ['with nil', (name) => `local x = ${name}(nil)`],
  ['with too many arguments', (name) => `local x = ${name}(f(), f(), f())`],
  ['as a field', (name) => `local x = ${name}.member`],
  ['as a method', (name) => `${name}:member('a secret text')`],
  ['assigned', (name) => `${name} = 'a secret text'`],
  ['dropped', (name) => `${name}('a secret text')`],
  ['as a loop', (name) => `for i = 1, ${name} do end`],
]

describe.each(macros.map(({ name }) => name))('%s', (name) => {
  test.each(MISUSES)(
    'misused %s yields an error with its position, or a script without the string',
    (_, use) => {
      for (const options of [SERVED, {}]) {
        const result = obfuscate(`print(1)\n${use(name)}`, { preset: 'light', ...options })
        if ('errors' in result) {
          for (const { message } of result.errors) expect(message).toMatch(/^line 2, column \d+: '?\w+/)
        } else {
          expect(result.code).not.toContain('secret')
          expect(result.code).not.toMatch(/(WARD|LPH|WYNF)_/)
        }
      }
    },
  )

  test('is in the guide with its replacement', () => {
    const folder = new URL('../../../../docs/', import.meta.url)
    const text = ['obfuscator.md', 'guide/moving-in.md'].map((file) =>
      readFileSync(new URL(file, folder), 'utf8'),
    )
    expect(text.some((each) => each.includes(`\`${name}`))).toBe(true)
  })
})

const calls = macros.filter(
  ({ kind, arguments: form }) => kind !== 'variable' && kind !== 'refused' && form !== '',
)

test.each(calls.filter(({ arguments: form }) => form !== '()').map(({ name }) => name))(
  '%s without its argument is rejected',
  (name) => {
    expect(diagnosticsOf(`\n local x = ${name}()`)[0]).toMatch(
      new RegExp(`^line 2, column 12: '${name}' (takes |must be a statement)`),
    )
  },
)
