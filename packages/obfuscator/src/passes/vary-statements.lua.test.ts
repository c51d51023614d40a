/** Statement forms have no observable effect, and builds with different seeds rarely share them. */

import { describe, expect, test } from 'vitest'
import { shingles } from '../../attacks/likeness.ts'
import { once } from '../../test/once.ts'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import type { ObfuscateOptions } from '../options.ts'

const SOURCE = `
  local order = {}
  local meta = {}
  local function note(name) return function(a, b) order[#order + 1] = name .. (a.name or b) .. (b.name or b) return a.size < b.size end end
  meta.__lt, meta.__le = note('lt'), note('le')
  meta.__eq = function(a, b) order[#order + 1] = 'eq' .. a.name .. b.name return a.size == b.size end
  local function make(name, size) return setmetatable({ name = name, size = size }, meta) end
  local small, large = make('small', 1), make('large', 2)
  print(small < large, small > large, small <= large, small >= large, small == large, small ~= large)
  local function called(name, value) order[#order + 1] = name return value end
  print(called('first', 1) < called('second', 2), 5 > called('third', 3), called('fourth', nil) == nil, 'x' ~= called('fifth', 'x'))
  local zero = 0
  local nan = zero / zero
  if nan < 1 then print('less') else print('not less') end
  if not (nan >= 1) then print('neither') else print('more') end
  local function guard(n)
    if n == 1 then return 'one' end
    local text, rest = tostring(n), (function() return n, n end)()
    if n == 2 and rest then return text, 'two' end
    if n == 3 then if text then return 'three' end end
    for i = 1, n do if i > 3 then return i end end
  end
  for n = 1, 5 do print(guard(n)) end
  local function find(list)
    local i = 0
    repeat
      i = i + 1
      local value = list[i]
      if value == 'bad' then return 'found it', i end
      local isLast = value == nil
    until isLast
    return 'nothing', i
  end
  print(find({ 'good', 'bad' })) print(find({ 'good', 'fine' }))
  local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end
  local a, b, c = depth(3), (depth)(4)
  local d, e = 1, 2, called('sixth')
  print(a, b, c, d, e, table.concat(order, ' '))`

function protect(seed: number, passes: ObfuscateOptions['passes'] = {}): string {
  const result = obfuscate(SOURCE, { preset: 'light', seed, passes })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.code
}

const builds = once(() =>
  Array.from({ length: 20 }, (_, seed) => ({ name: String(seed), code: protect(seed) })),
)

describe.each(HOSTS)('on %s', (host) => {
  test('twenty builds behave like the source, in the same order of evaluation', async () => {
    const [wanted, ...found] = await runLua(host, [{ name: 'source', code: SOURCE }, ...builds()])
    expect(wanted?.error).toBeNull()
    for (const each of found) expect(each).toEqual({ ...wanted, name: each.name })
  })
})

test('attributes stay in front of their declaration', () => {
  const source = '@native local function twice(n) return n * 2 end print(twice(21))'
  for (let seed = 0; seed < 8; seed += 1) {
    const result = obfuscate(source, { preset: 'light', target: 'luau', seed })
    expect(result).toMatchObject({ code: expect.stringMatching(/@native local function/) })
  }
})

test('the pass makes two builds at the lightest preset less similar, apart from their names and values', async () => {
  const sample = {
    name: 'forms',
    source: SOURCE,
    secrets: {
      executed: new Set<string>(),
      cold: new Set<string>(),
      names: new Set<string>(),
      numbers: new Set<number>(),
    },
  }
  const differenceOf = async (seed: number, passes: ObfuscateOptions['passes']) => {
    const built = { code: protect(seed, passes), sibling: protect(seed + 1, passes) }
    return (await shingles.run(sample, built, 'lua5.1')).score
  }
  for (let seed = 1; seed < 9; seed += 2) {
    const plain = await differenceOf(seed, { 'vary-statements': false })
    expect(await differenceOf(seed, {})).toBeGreaterThan(plain + 0.03)
  }
})
