/**
 * Tests the maximum recursion depth of a protected script. Every call uses slots of the host's stack, and a
 * virtualized function uses more slots than its source. docs/obfuscator.md contains the figures.
 */

import { describe, expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'

const FLOOD_FILL = `
  local seen, deepest = {}, 0
  local function fill(x, y, depth)
    if x < 1 or y < 1 or x > 500 or y > 500 then return end
    local key = x * 1000 + y
    if seen[key] then return end
    seen[key] = true
    if depth > deepest then deepest = depth end
    fill(x + 1, y, depth + 1)
    fill(x - 1, y, depth + 1)
    fill(x, y + 1, depth + 1)
    fill(x, y - 1, depth + 1)
  end
  pcall(fill, 1, 1, 1)
  print(deepest)`

const SUM = `
  local deepest = 0
  local function sum(n)
    deepest = n
    return 1 + sum(n + 1)
  end
  pcall(sum, 1)
  print(deepest)`

const CALL_IN_A_LOOP = `
  local deepest = 0
  local function visit(node, depth)
    if depth > deepest then deepest = depth end
    for _, child in ipairs(node) do visit(child, depth + 1) end
  end
  local node = {}
  node[1] = node
  pcall(visit, node, 1)
  print(deepest)`

/** The minimum depths with the presets `light`, `balanced`, `strong` and `max`. */
type Depths = readonly [number, number, number, number]
type Row = { readonly host: Host; readonly name: string; readonly source: string; readonly least: Depths }

// Lua 5.1 and Luau limit the number of calls instead of the stack size.
const rows: readonly Row[] = [
  { host: 'luajit', name: 'a flood fill', source: FLOOD_FILL, least: [10_800, 8100, 8100, 8100] },
  { host: 'luajit', name: 'a sum', source: SUM, least: [21_700, 21_700, 9300, 9300] },
  { host: 'luajit', name: 'a call in a loop', source: CALL_IN_A_LOOP, least: [7200, 4600, 4000, 4000] },
  { host: 'lua5.4', name: 'a flood fill', source: FLOOD_FILL, least: [199_000, 142_000, 142_000, 142_000] },
  { host: 'lua5.4', name: 'a sum', source: SUM, least: [499_000, 499_000, 166_000, 166_000] },
  {
    host: 'lua5.4',
    name: 'a call in a loop',
    source: CALL_IN_A_LOOP,
    least: [99_000, 71_000, 62_000, 62_000],
  },
  { host: 'lua5.1', name: 'a flood fill', source: FLOOD_FILL, least: [16_300, 16_300, 16_300, 16_300] },
  { host: 'luau', name: 'a flood fill', source: FLOOD_FILL, least: [19_900, 19_900, 19_900, 19_900] },
]

async function depthsOf(host: Host, source: string, preset: string): Promise<number[]> {
  const target = host === 'lua5.4' ? 'lua54' : 'any'
  const programs = seeds.map((seed) => {
    const result = obfuscate(source, { preset, target, seed })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    return { name: String(seed), code: result.code }
  })
  return (await runLua(host, programs)).map(({ output }) => Number.parseInt(output, 10))
}

describe.each(['light', 'balanced', 'strong', 'max'].map((preset, i) => ({ preset, i })))(
  'recursion at $preset',
  ({ preset, i }) => {
    test.each(rows)('$name reaches its depth on $host', async ({ host, source, least }) => {
      const depths = await depthsOf(host, source, preset)
      expect(Math.min(...depths)).toBeGreaterThanOrEqual(least[i] as number)
    })
  },
)
