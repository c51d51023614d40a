/**
 * Parameter counts reveal nothing about functions, except for a few with more parameters than all others.
 */

import { expect, test } from 'vitest'
import { readTree } from '../../attacks/tree.ts'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { rewrite } from '../syntax/walk.ts'

const SOURCE = `
  local function none() return 'none' end
  local function two(a, b) return a, b end
  local function nine(a, b, c, d, e, f, g, h, i) return i, a end
  local function rest(a, ...) return a, select('#', ...) end
  local full = { two(1, 2, 3, 4, 5, 6, 7, 8, 9) }
  return none(1, 2), #full, nine(1, 2, 3, 4, 5, 6, 7, 8, 9), rest(1, nil, nil), (two(1)), select('#', none(nil))`

function protect(preset: string): string {
  const result = obfuscate(SOURCE, { preset })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.code
}

test.each(['balanced', 'strong', 'max'])(
  'all functions have the same number of parameters, except those with more and those with ..., at %s',
  (preset) => {
    const counts: number[] = []
    rewrite(readTree(protect(preset)), {
      FunctionExpression: ({ parameters, isVararg }) => void (isVararg || counts.push(parameters.length)),
    })
    const [first = 0] = counts.filter((count) => count < 9)
    expect(first).toBeGreaterThan(2)
    expect([...new Set(counts)].toSorted()).toEqual([first, 9])
  },
)

test.each(HOSTS)('functions with added parameters return the same, on %s', async (host) => {
  const [before, after] = await runLua(host, [
    { name: 'before', code: SOURCE },
    { name: 'after', code: protect('strong') },
  ])
  expect(before?.error).toBeNull()
  expect(after).toEqual({ ...before, name: 'after' })
})
