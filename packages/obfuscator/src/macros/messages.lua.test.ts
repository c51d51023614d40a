/**
 * Tests webhooks that scripts send: which data stays in the script, which data moves to the server, and which
 * uses are rejected.
 */

import { describe, expect, test } from 'vitest'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'

const SERVED: ObfuscateOptions = { preset: 'light', parameters: ['ward'] }

function protect(source: string, options: ObfuscateOptions = SERVED) {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function complaintsOf(source: string, options: ObfuscateOptions = SERVED): string[] {
  const result = obfuscate(source, options)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

const ADDRESS = 'https://chat.example/api/webhooks/123/secret'
const BOUNTY = `local name, bounty, nothing = 'Ann', 45000, nil
local function two() return 'one', 'other' end
local sent = LRM_SEND_WEBHOOK("${ADDRESS}", {
  username = "Cat Delivery",
  embeds = {{
    title = "High bounty of %SCRIPT_NAME%",
    description = "Bounty: " .. LRM_SANITIZE(bounty, "[0-9]{1,6}") .. "!",
    color = -16711680,
    footer = nothing,
    fields = { { name = "Caught", value = WARD_CLEAN(name, '[a-zA-Z]{3,40}'), inline = true }, nil },
    url = two(),
    empty = {},
    extra = 'a' .. 'b' .. bounty / 2 .. name,
    off = nil,
  }},
})
print(sent)
WARD_WEBHOOK('${ADDRESS}?second', { content = 'plain' })
if WARD_OBFUSCATED then WARD_WEBHOOK('${ADDRESS}', { content = name, flags = 1.5 }) end`

const BODY = {
  members: [
    ['username', 'Cat Delivery'],
    [
      'embeds',
      {
        list: [
          {
            members: [
              ['title', 'High bounty of %SCRIPT_NAME%'],
              ['description', { text: ['Bounty: ', 0, '!'] }],
              ['color', -16711680],
              ['footer', { value: 1 }],
              [
                'fields',
                {
                  list: [
                    {
                      members: [
                        ['name', 'Caught'],
                        ['value', { value: 2 }],
                        ['inline', true],
                      ],
                    },
                  ],
                },
              ],
              ['url', { value: 3 }],
              ['empty', { list: [] }],
              ['extra', { text: ['a', 'b', 4, 5] }],
            ],
          },
        ],
      },
    ],
  ],
}

/** Runs a script as the server does, and prints the messages that the script sends. */
const served = (code: string) => `return (function(...) ${code} end)()({ send = function(n, ...)
  local words = { n, select('#', ...), ... }
  for i = 1, 2 + words[2] do words[i] = type(words[i]) .. ' ' .. tostring(words[i]) end
  print(table.concat(words, '; ')) return true end })`

describe('a webhook call in a script', () => {
  test('leaves its URL and the constant fields of its table to the server', () => {
    const { messages, code } = protect(BOUNTY, { ...SERVED, passes: { 'encrypt-strings': false } })
    expect(code).toMatch(/send/)
    expect(code).not.toMatch(/chat\.example|Delivery|Bounty|username|Caught|0-9|16711680/)
    const [first, second, third] = messages
    expect(first).toMatchObject({ line: 3, column: 14, address: ADDRESS, body: BODY })
    expect(first?.values).toMatchObject([
      { pattern: '[0-9]{1,6}', line: 7, column: 46 },
      { pattern: null, line: 9, column: 14 },
      { pattern: '[a-zA-Z]{3,40}', line: 10, column: 54 },
      { pattern: null, line: 11, column: 14 },
      { pattern: null, line: 13, column: expect.any(Number) },
      { pattern: null, line: 13, column: expect.any(Number) },
    ])
    expect(second).toMatchObject({ address: `${ADDRESS}?second`, body: { members: [['content', 'plain']] } })
    expect(third?.body).toEqual({
      members: [
        ['content', { value: 0 }],
        ['flags', 1.5],
      ],
    })
  })

  test.each(HOSTS)('sends its number and its values at every preset, on %s', async (host) => {
    const programs = presets.map(({ id }) => ({
      name: id,
      code: served(protect(BOUNTY, { ...SERVED, preset: id }).code),
    }))
    for (const { name, error, output } of await runLua(host, programs)) {
      expect([name, error]).toEqual([name, null])
      expect(output.split('\n').slice(0, 4)).toEqual([
        'number 1; number 6; string 45000; nil nil; string Ann; string one; string 22500; string Ann',
        'true',
        'number 2; number 0',
        'number 3; number 1; string Ann',
      ])
    }
  })

  test("also splits Luau's interpolated strings into constants and values", () => {
    const source = `local n = 3 L7_SEND_WEBHOOK('${ADDRESS}', { content = \`\\u{e9} {n} of {L7_SANITIZE(n, '.')}\` })`
    const [message] = protect(source, { ...SERVED, target: 'luau' }).messages
    expect(message?.body).toEqual({ members: [['content', { text: ['é ', 0, ' of ', 1, ''] }]] })
    expect(message?.values.map(({ pattern }) => pattern)).toEqual([null, '.'])
  })

  test("is kept, while the author's fallback for the unprotected file is dropped", () => {
    const source = `LRM_SEND_WEBHOOK = LRM_SEND_WEBHOOK or function() end
LRM_SANITIZE = LRM_SANITIZE or function(x) return x end
LRM_SEND_WEBHOOK('${ADDRESS}', { content = LRM_SANITIZE(x, '.') })`
    expect(protect(source).messages).toHaveLength(1)
  })
})

describe('a webhook call is rejected with its position and a fix', () => {
  test.each([
    [
      "local t = {}\nWARD_WEBHOOK('https://a.b', t)",
      "line 2, column 1: 'WARD_WEBHOOK' takes a URL and a table",
    ],
    ["WARD_WEBHOOK(a, { content = '' })", 'takes a URL and a table, both written inline'],
    ["WARD_WEBHOOK('https://a.b', { 'x' })", "line 1, column 29: the table of 'WARD_WEBHOOK' is the message"],
    ["WARD_WEBHOOK('https://a.b', {})", 'needs named fields'],
    [
      "WARD_WEBHOOK('https://a.b', { a = 1, { 'x' } })",
      'line 1, column 38: a table in a message must be a list',
    ],
    [
      "WARD_WEBHOOK('https://a.b', { [k] = 1 })",
      'line 1, column 32: a field name in a message must be a string literal',
    ],
    ["WARD_WEBHOOK('https://a.b', { a = '\\255' })", 'must be UTF-8'],
    [
      "WARD_WEBHOOK('https://a.b', { a = WARD_CLEAN(x) })",
      "line 1, column 35: 'WARD_CLEAN' takes an expression",
    ],
    [
      "WARD_WEBHOOK('https://a.b', { a = WARD_CLEAN(x, p) })",
      'and a pattern, which must be a string literal',
    ],
    ["local x = WARD_CLEAN(y, '.')", "line 1, column 11: 'WARD_CLEAN' validates a value in a message"],
    ["WARD_WEBHOOK('https://a.b', { a = #WARD_CLEAN(y, '.') })", 'line 1, column 36'],
    ['local f = WARD_WEBHOOK f()', 'must be called directly'],
    [
      `${"WARD_WEBHOOK('https://a.b', { a = 1 })\n".repeat(11)}`,
      'line 11, column 1: a script can have at most 10',
    ],
    [`WARD_WEBHOOK('https://a.b', { a = { ${'x,'.repeat(51)} } })`, 'a message can have at most 50 values'],
  ])('%s', (source, complaint) => {
    expect(complaintsOf(source)).toContainEqual(expect.stringContaining(complaint))
  })

  test('in a build without a server, which has nowhere to keep the URL', () => {
    expect(complaintsOf(`WARD_WEBHOOK('${ADDRESS}', { content = 'x' })`, {})).toEqual([
      "line 1, column 1: 'WARD_WEBHOOK' requires the server, which stores the URL and sends the message: upload the script, because a standalone file cannot send",
    ])
  })
})

test('a Discord webhook URL in plain code yields a warning with its line and a fix', () => {
  const { report } = protect(`local x = 1\nlocal url = '${ADDRESS}'`, {})
  expect(report.warnings).toContainEqual(
    expect.stringMatching(/^line 2: a Discord webhook URL is in the script.*WARD_WEBHOOK/),
  )
  const sent = protect(`WARD_WEBHOOK('${ADDRESS}', { content = 'see /api/webhooks/' })`)
  expect(sent.report.warnings).toEqual([])
})
