/**
 * Tests what virtualized code guarantees besides equivalent behavior. It reveals none of the author's names
 * and constants, and it loads wherever the source loads, at any length. Functions that stay native are
 * reported.
 */

import { describe, expect, test } from 'vitest'
import { HOSTS, runAlone, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import type { ObfuscateOptions } from '../options.ts'

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { preset: 'strong', ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

const many = (text: string, count: number) => text.repeat(count)

/** Runs the source and the output, and expects the same results. */
async function expectSame(source: string, hosts = HOSTS): Promise<void> {
  for (const host of hosts) {
    const codes = [source, protect(source).code]
    const [before, after] = await runLua(
      host,
      codes.map((code, i) => ({ name: String(i), code })),
    )
    expect([host, after?.error, after?.output]).toEqual([host, null, before?.output])
  }
}

describe('readable remains', () => {
  const source = `
    local Account = {} Account.__index = Account
    function Account.new(secretName) return setmetatable({ secretName = secretName, balance = 987654 }, Account) end
    function Account:withdraw(secretAmount)
      for attempt = 1, 3 do
        if secretAmount > self.balance then return nil, 'secret limit' end
        self.balance = self.balance - secretAmount
        self:notify('secret event ' .. attempt, 0.0625)
      end
      return self.balance
    end
    function Account:notify(secretText, secretShare) secretLog = secretText return secretShare * 31337 end
    print(Account.new('secret owner'):withdraw(1000))`

  test.each(['any', 'lua51', 'luajit'])(
    'virtualized code contains no name, field, method, string or number of the script, for target %s',
    (target) => {
      expect(protect(source, { target }).code).not.toMatch(
        /secret|Account|balance|withdraw|notify|987654|31337|0\.0625|print|setmetatable\(\{/i,
      )
    },
  )

  test('only loops over iterators stay native', () => {
    const { code } = protect(
      'local s = 0 for i = 1, 9 do s = s + i end while s > 3 do s = s - 2 end repeat s = s + 1 until s > 5 return s',
    )
    const own = code.slice(code.lastIndexOf('while true'))
    expect(own).not.toMatch(/\bfor\b|\brepeat\b|while(?! true)/)
  })
})

describe('argument lists', () => {
  test.each(['any', 'lua51', 'luajit', 'luau'])(
    "a method receives all values of '...' after a long argument, for target %s",
    async (target) => {
      const method = `m = function(self, text, ...)
        local n = select('#', ...) return text .. n .. (n > 0 and tostring((select(n, ...))) or '') end`
      const long = `tostring(1) .. 'x' .. tostring(2) .. tostring(#tostring(3))`
      const source = `local o = { ${method} } local q = { o = o } local function f(...)
        local a = o:m(${long}, ...) local b = q.o:m(${long}, ...) print(a) print(b) end f(7, nil, 9) f()`
      const host = ({ lua51: 'lua5.1', luajit: 'luajit' } as const)[target as string] ?? 'luau'
      const [found] = await runLua(host, [{ name: target, code: protect(source, { target }).code }])
      const lines = ['1x2139', '1x2139', '1x210', '1x210']
      expect([found?.error, found?.output.split('\n').slice(0, 4)]).toEqual([null, lines])
    },
  )
})

describe('selection of functions', () => {
  test('every function is virtualized and counted in the report', () => {
    const { report } = protect('local function a() end function b() return function() end end return a')
    expect(report.virtualized).toBe(3)
    expect(report.warnings).toEqual([])
  })

  test.each([
    ['goto', 'local function f() goto done ::done:: return 1 end return f()', 'luajit'],
    ['@native', '@native local function f() return 1 end return f()', 'luau'],
  ])('a function with %s stays native, and the report says so', (_, source, target) => {
    const { report } = protect(source, { target })
    expect(report.virtualized).toBe(0)
    expect(report.warnings[0]).toContain('1 function is not virtualized')
  })

  test('the report lists the deepest loops, except those that the author keeps fast', () => {
    const loops = (count: number) => `${'for i = 1, 9 do\n'.repeat(count)} print(i) ${'end '.repeat(count)}`
    const kept = `local kept = WARD_NO_VIRTUALIZE(function() ${loops(4)} end)`
    const source = `local function two()\n${loops(2)} end\n${kept}\n${loops(3)} ${loops(1)} return two, kept`
    expect(protect(source).report.warnings).toEqual([
      expect.stringMatching(/^2 nested loops run virtualized; .* line 12, line 3:/),
    ])
    expect(protect(source, { preset: 'balanced' }).report.warnings).toEqual([])
  })

  test('a source that its host rejects is rejected, even if its virtualized code could run', () => {
    const locals = Array.from({ length: 201 }, (_, i) => `local v${i} = ${i}`).join('\n')
    expect(obfuscate(locals, { preset: 'strong' })).toHaveProperty('errors')
  })
})

describe('host limits', () => {
  test('closures share their variables even if there are more variables than registers', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `v${i}`)
    const declared = names.map((name, i) => `local ${name} = ${i}`).join('\n')
    const closures = [0, 99, 100, 149].map((i) => `function() v${i} = v${i} + 1 return v${i} end`).join(', ')
    await expectSame(
      `${declared}\nlocal fs = { ${closures} }\nfor _, f in ipairs(fs) do print(f(), f()) end print(v0, v99, v100, v149)`,
    )
  })

  test('a virtualized chunk of thousands of statements loads', async () => {
    const lines = Array.from(
      { length: 6000 },
      (_, i) => `t[${i % 40}] = (t[${i % 40}] or ${i}) + #'s${i}' if t[1] == ${i} then print(${i}) end`,
    )
    await expectSame(`local t = {}\n${lines.join('\n')}\nprint(t[0], t[39])`, ['lua5.1', 'luajit'])
  })

  test('a virtualized loop of a thousand statements loads', async () => {
    const lines = Array.from(
      { length: 1500 },
      (_, i) => `s = (s * ${i} + i) % 65521 if s == ${i} then break end`,
    )
    await expectSame(`local s = 1 for i = 1, 3 do\n${lines.join('\n')}\nend print(s)`, ['lua5.1', 'luajit'])
  })

  test.each([
    ['branches', (body: string) => `if a then ${many(`elseif a then ${body} `, 600)} end`],
    ['a loop', (body: string) => `while a do ${many(`${body} `, 300)} end`],
    [
      'a loop in a function',
      (body: string) => `return function() while a do ${many(`${body} `, 250)} end end`,
    ],
    ['a loop over pairs', (body: string) => `for k, v in b do ${many(`${body} `, 400)} end`],
  ])('%s full of hidden names and strings loads on LuaJIT, whose jumps are limited', async (_, around) => {
    const bodies = ['a = b.c.d', 'f("a", "b", "c", "d", "e")', 't["x"] = { a = "p", b = "q", c = "r" }']
    for (const body of bodies) {
      const code = protect(around(body)).code
      const load = "local chunk, problem = loadstring((io.read('*a'))) print(chunk and 'loads' or problem)"
      expect([body, (await runAlone('luajit', ['-e', load], code)).slice(0, 200)]).toEqual([body, 'loads\n'])
    }
  })

  test('virtualized nested functions load at any depth', async () => {
    const depth = 40
    const source = `return (${'function() return ('.repeat(depth)}function() return 7 end${')() end'.repeat(depth)})()`
    await expectSame(source)
  })
})

describe('hot loops', () => {
  const source = `
    local function slow(n) local t = 0 for i = 1, n do t = t + i end return t end
    local function fast(n) local t = 0 for i = 1, n do for j = 1, n do t = t + i * j end end return t end
    print(slow(10), fast(10))`
  const hot = (depth: string) => protect(source, { passes: { virtualize: { 'hot-loops': depth } } })

  test('the option hot-loops keeps functions with loops of that depth native, and no others', () => {
    expect(['never', '2', '3'].map((depth) => hot(depth).report.virtualized)).toEqual([2, 1, 2])
    expect(hot('2').report.warnings).toEqual([])
    expect(hot('3').report.warnings.join()).toContain('the nested loop at line 3 runs virtualized')
  })

  const skipping = `local function f(n)
    local t = 0
    for i = 1, n do if i % 2 == 0 then continue end t = t + i end
    return t
  end
  print(f(10))`

  test('a loop with continue is one loop, not two, for hot-loops, balanced and the report', () => {
    const { report } = protect(skipping, { passes: { virtualize: { 'hot-loops': '2' } } })
    expect([report.virtualized, report.warnings]).toEqual([1, []])
    expect(protect(skipping).report.warnings).toEqual([])
    expect(protect(skipping, { preset: 'balanced' }).code).toMatch(/for \w+=[^=]*do repeat if/)
  })

  test('functions that hot-loops keeps native behave the same', async () => {
    const [wanted, ...found] = await runLua('lua5.1', [
      { name: 'source', code: source },
      { name: 'functions', code: hot('2').code },
      {
        name: 'chunk',
        code: protect(`for i = 1, 2 do for j = 1, 2 do print(i, j) end end ${source}`, {
          passes: { virtualize: { 'hot-loops': '2' } },
        }).code,
      },
    ])
    expect(found[0]).toMatchObject({ error: null, output: wanted?.output })
    expect(found[1]?.output).toBe(`1\t1\n1\t2\n2\t1\n2\t2\n${wanted?.output}`)
  })
})

describe('the balanced preset', () => {
  const balanced = { preset: 'balanced', target: 'lua51', passes: { integrity: false } }

  test('keeps innermost loops native and hides their constants', () => {
    const source = `local function sum(secretList) local total = 0 for i = 1, 9 do for j = 1, #secretList do total = total + secretList[j] * 31337 end end return total end print(sum({ 1, 2 }))`
    const { code, report } = protect(source, balanced)
    expect(report.virtualized).toBe(1)
    expect(code).toContain('while true')
    const strong = protect(source, { target: 'lua51', passes: { integrity: false } })
    const counted = (text: string) => text.match(/\bfor \w+=1,#/g)?.length ?? 0
    expect(counted(code)).toBe(counted(strong.code) + 1)
    expect(code).not.toMatch(/secret|31337|print/)
  })

  test('keeps tiny functions native, which strong virtualizes', () => {
    const source = 'local function add(a, b) return a + b end return add(1, 2)'
    expect(protect(source, balanced).report).toMatchObject({ virtualized: 0, warnings: [] })
    expect(protect(source).report.virtualized).toBe(1)
  })
})

test('a loop over an iterator with an early exit runs all its iterations, regardless of where its words are in the stream', async () => {
  const source = 'for _, v in ipairs({ 1, 2, 3 }) do if v > 5 then break end if v ~= 2 then print(v) end end'
  const builds = Array.from({ length: 40 }, (_, seed) => ({
    name: String(seed),
    code: protect(source, { seed }).code,
  }))
  for (const { name, error, output } of await runLua('lua5.1', builds))
    expect([name, error, output]).toEqual([name, null, '1\n3\nreturned'])
})
