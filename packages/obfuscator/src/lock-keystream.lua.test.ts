/**
 * Tests server-locked code. With the server's key streams, the code runs as before. The output reveals none
 * of the locked code. Without the key streams, the output fails with a clear message.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { lockFunctions } from '../test/lock-functions.ts'
import { once, onceEach } from '../test/once.ts'
import { HOSTS, type Host, type Program, runLua } from '../test/run-lua.ts'
import { SEED, seeds } from '../test/seeds.ts'
import { padsOf, type Served, serve, withChannel } from '../test/served.ts'
import { obfuscate } from './index.ts'
import { lengthOfLock, openLock } from './lock-keystream.ts'
import { presets } from './options.ts'

const FAILED = 'scriptward: this code runs only with a key from its server'

const PROGRAM = `
local calls = 0
local function counted() calls = calls + 1 return calls end
local treasure = WARD_ENCFUNC(function(x, ...)
  local list = { name = 'golden \\0\\200\\255 crown', 424242 }
  for i = 1, 2 do list[#list + 1] = 'coin number ' .. i * 1000 .. x end
  local function inner(y) if y == 'inner word' then return 'deep treasure', -7654321 end return ('upper me'):upper() end
  return list.name, list[1] + counted(), table.concat(list, ','), inner(x), select('#', ...)
end)
local other = LPH_ENCFUNC(function() return 'another treasure' end)
local function kind(value)
  if value == nil then return nil, 'a value is missing' end
  if value > 100 then print('a large value', value * 3000) return 'large'
  elseif value > 10 then return 'medium value', 2222 else print('small: the else arm') end
  while true do if value then print('in a loop') break end end
  if value == 1 then local t = { message = 'a table text', [77] = true } return t.message, t[77] end
end
local function seek(list, wanted)
  for i, value in ipairs(list) do if value == wanted then return i end end
  local message = 'the end of a search'
  return message, 123456
end
print(seek({ 'a', 'b' }, 'b')) print(seek({ 'a', 'b' }, 'c'))
for i = 1, 3 do if i == 2 then print('told in a loop', i) end end
print(treasure('a', nil, nil)) print(treasure('inner word')) print(other(), counted())
print(kind(nil)) print(kind(500)) print(kind(50)) print(kind(1)) print(kind(2))
print(pcall(function() if calls > 0 then error('a cold failure', 0) end end))
return ...`

describe('a program built with a server key', () => {
  const builds = once(() =>
    presets.flatMap(({ id }) =>
      seeds.map((seed) => ({ name: id, code: withChannel(serve(PROGRAM, { preset: id, seed })) })),
    ),
  )

  test.each(HOSTS)('a program behaves the same at every preset, on %s', async (host) => {
    const plain = PROGRAM.replaceAll(/(WARD|LPH)_ENCFUNC/g, '')
    const [original, ...outcomes] = await runLua(host, [{ name: 'original', code: plain }, ...builds()])
    expect(original?.error).toBeNull()
    for (const { name, error, output } of outcomes)
      expect([name, error, output]).toEqual([name, null, original?.output])
  })

  test('a program also runs on Lua 5.4', async () => {
    const plain = { name: 'original', code: PROGRAM.replaceAll(/(WARD|LPH)_ENCFUNC/g, '') }
    const [original, found] = await runLua('lua5.4', [
      plain,
      { name: 'max', code: withChannel(serve(PROGRAM)) },
    ])
    expect([found?.error, found?.output]).toEqual([null, original?.output])
  })

  const folder = new URL('../test/conformance/', import.meta.url)
  const programs = readdirSync(folder)
    .filter((name) => !/^(lua|environments|main-vararg)/.test(name))
    .map((name) => ({ name, code: readFileSync(new URL(name, folder), 'latin1') }))
  const atMax = once(() =>
    programs.map(({ name, code }) => ({ name, code: withChannel(serve(code, { seed: SEED })) })),
  )
  // Programs that already reach a host limit have no room for locks, which is reported as an error.
  const lockable = programs.filter(({ name }) => !/^(limits|registers-full|upvalues-full)\.lua$/.test(name))
  const withLocks = onceEach((preset) =>
    lockable.map(({ name, code }) => {
      const built = serve(lockFunctions(code), { preset, seed: SEED })
      return { name: `${name} at ${preset}`, code: withChannel(built) }
    }),
  )

  test.each(HOSTS)('all conformance programs behave the same at max, on %s', async (host) => {
    await expectSame(host, programs, atMax())
  })

  test.each(HOSTS)(
    'all conformance programs behave the same with a separate lock for each function, on %s',
    async (host) => {
      for (const preset of ['balanced', 'max']) await expectSame(host, lockable, withLocks(preset))
    },
  )
})

/** Skips programs that fail on this host even without protection. */
async function expectSame(host: Host, programs: readonly Program[], protectedPrograms: readonly Program[]) {
  const wanted = await runLua(host, programs)
  const found = await runLua(host, protectedPrograms)
  for (const [i, { name, error, output }] of found.entries()) {
    if (wanted[i]?.error !== null) continue
    expect([name, error, output]).toEqual([name, null, wanted[i]?.output])
  }
}

function plaintexts({ code, pads, locks }: Served): string[] {
  return locks.map((lock, i) => {
    const text = Buffer.from(code.slice(lock.at, lock.at + lengthOfLock(lock)), 'latin1')
    return Buffer.from(openLock(text, pads[i] ?? new Uint8Array())).toString('latin1')
  })
}

describe('without the server key', () => {
  const SECRETS =
    /treasure|golden|crown|coin number|424242|7654321|large value|medium value|value is missing|cold failure|end of a search|123456|told in/

  test('the output reveals nothing about the locked code, even without the other passes', () => {
    const passes = { 'encrypt-strings': false, 'encode-numbers': false, virtualize: false }
    expect(serve(PROGRAM, { passes }).code).not.toMatch(SECRETS)
    const { passes: _, ...unlocked } = { passes }
    const plain = obfuscate(PROGRAM.replaceAll(/(WARD|LPH)_ENCFUNC/g, ''), {
      preset: 'max',
      ...unlocked,
      passes: { ...passes, 'lock-values': false },
    })
    expect('code' in plain && plain.code).toMatch(SECRETS)
  })

  test('constant indexes do not reveal the order in which the code uses the constants', () => {
    const words = Array.from({ length: 12 }, (_, i) => `word ${String.fromCharCode(97 + i)}`)
    const source = `local f = WARD_ENCFUNC(function(p) ${words.map((each) => `p('${each}')`).join(' ')} end)`
    const orders = [1, 2, 3].map((seed) => {
      const [, text = ''] = plaintexts(serve(source, { seed }))
      return [...text.matchAll(/word [a-l]/g)].map(([word]) => word)
    })
    for (const order of orders) {
      expect([...order].sort()).toEqual(words)
      expect(order).not.toEqual(words)
    }
  })

  const behindWord = (text: string) => `if p == 'seven herons' then return '${text}' end`

  test.each([
    ['strings behind a compared string', behindWord('golden egg'), behindWord('egg golden')],
    ['numbers, including small ones', 'for i = 1, 3 do p(i == 1) end', 'for i = 4, 5 do p(i == 6) end'],
    ['which constants are equal', "p('one') p('two') p('two')", "p('one') p('two') p('one')"],
  ])('the code around a lock does not reveal %s', (_, body, other) => {
    const around = (text: string) => {
      const { code, locks } = serve(`return WARD_ENCFUNC(function(p) ${text} end)`, { seed: 1 })
      const rest = locks.reduceRight(
        (left, lock) => left.slice(0, lock.at) + left.slice(lock.at + lengthOfLock(lock)),
        code,
      )
      return rest.replaceAll(/\s+/g, ' ')
    }
    expect(around(other)).toBe(around(body))
  })

  test('line breaks do not reveal which statement of locked code runs first', () => {
    const source = `return WARD_ENCFUNC(function(p)\n  one = p(1)\n  two = p(2)\n  three = p(3)\n  four = p(4)\nend)`
    const apart = [1, 2, 3, 4, 5, 6].map((seed) => {
      const { code } = serve(source, { seed, passes: { 'hide-globals': false } })
      const found = [...code.matchAll(/(\n?)\s*\b(one|two|three|four)=/g)]
      expect(found.map(([, , name]) => name).sort()).toEqual(['four', 'one', 'three', 'two'])
      return found.find(([, lineEnd]) => lineEnd === '')?.[2]
    })
    expect(new Set(apart)).not.toEqual(new Set(['one']))
  })

  test('the report counts each server-locked and each compared constant once', () => {
    const source = `local f = WARD_ENCFUNC(function(p) p('one text', 77) p('one text', 78) end)
      local function g(p, word) if word == 'seven herons' then p('behind the word', 79) end end
      return f, g, 'open to all'`
    const result = obfuscate(source, { preset: 'max', parameters: [], seed: 1, servicePad: padsOf('secret') })
    expect('report' in result && result.report).toMatchObject({ served: 1, locked: 3, compared: 2 })
  })

  test('block offsets do not reveal the exact length of a string', () => {
    const sizeWith = (text: string) =>
      serve(`return function(x) if x then return '${text}' end end`, { seed: 1 }).pads[1]?.length
    expect(sizeWith('a few words')).toBe(sizeWith('so it is'))
    expect(sizeWith('a few words'.repeat(9))).not.toBe(sizeWith('so it is'))
  })

  test.each(HOSTS)(
    'without key streams the rest runs, and locked code raises an error that can be caught, on %s',
    async (host) => {
      const source = `local f = WARD_ENCFUNC(function() return 'treasure' end)
      local function g(x) if x then print('never to be seen') end return 'open' end
      print(g(false), pcall(g, true)) print(pcall(f))`
      const { code, pads } = serve(source)
      const wrong = pads.map((pad) => pad.map((byte) => byte ^ 1))
      const [bare, tampered, refused] = await runLua(host, [
        { name: 'no channel', code: `return (function(...) ${code} end)()(...)` },
        { name: 'wrong pads', code: withChannel({ code, pads: wrong }) },
        { name: 'refused', code: withChannel({ code, pads }, 'false') },
      ])
      for (const each of [bare, tampered]) {
        expect(each?.error).toBeNull()
        expect(each?.output).toMatch(`open\tfalse\t${FAILED}\nfalse\t${FAILED}`)
      }
      expect(refused?.output).toMatch('open\tfalse\tno lease for 2\nfalse\tno lease for 1')
    },
  )

  test('a lock does not stay open: the key stream is requested on every call', async () => {
    const source = `local f = WARD_ENCFUNC(function() return 'treasure' end)
      print(f()) closed = true print(pcall(f)) closed = false print(f())`
    const [outcome] = await runLua('lua5.1', [
      { name: 'lease', code: withChannel(serve(source), 'not closed') },
    ])
    expect(outcome?.output).toBe('treasure\nfalse\tno lease for 1\ntreasure\nreturned')
  })
})

test('with the same seed, another server key yields another output, and its key streams do not open this one', async () => {
  const source = "return WARD_ENCFUNC(function() return 'treasure' end)()"
  const [one, other] = [serve(source), serve(source, {}, 'another secret')]
  expect(one.code).not.toBe(other.code)
  expect(serve(source).code).toBe(one.code)
  const [outcome] = await runLua('lua5.1', [
    { name: 'mixed', code: withChannel({ code: one.code, pads: other.pads }) },
  ])
  expect(outcome?.error).toBe(FAILED)
})

test('a server key removes the warning about a key in the output, and servicePad requires parameters', () => {
  const source = "return WARD_ENCFUNC(function() return 'treasure' end)()"
  expect(serve(source).warnings).toBe('')
  expect(obfuscate(source, { servicePad: padsOf('secret') })).toEqual({
    errors: [{ param: 'parameters', message: 'parameters must be given together with servicePad' }],
  })
})

test('a script without locked code needs no key streams and has no channel', () => {
  const { code, pads } = serve('print(1 + 1) return ...')
  expect(pads).toEqual([])
  expect(code).not.toMatch(/^local \w+,\w+=\.\.\./)
})
