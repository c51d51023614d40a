/** Tests `WARD_REPORT`: its calls in a build, its behavior without a server, and its misuse. */
import { describe, expect, test } from 'vitest'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'

const SOURCE = `WARD_REPORT = WARD_REPORT or function() end
local function two() return 'first', { never = 'sent' } end
local ok, problem = pcall(error, 'broken', 0)
WARD_REPORT(problem, { place = 'shop' })
WARD_REPORT(two())
print(select('#', WARD_REPORT(nil)), ok)`

function protect(source: string, options: ObfuscateOptions) {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.code
}
const complaintsOf = (source: string) => {
  const result = obfuscate(source)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

const LOADER = `{ report = function(...)
  local problem, tags = ...
  print(select('#', ...), problem, type(tags) == 'table' and tags.place)
end }`

describe.each(HOSTS)('on %s', (host) => {
  test.each(presets.map(({ id }) => id))(
    'reports to the loader, and does nothing without one, at %s',
    async (preset) => {
      const built = protect(SOURCE, { preset, seed: 5, parameters: ['ward'] })
      const start = (ward: string) => `(function(...)\n${built}\nend)()(${ward})`
      const alone = protect(SOURCE, { preset, seed: 5 })
      const codes = [start(LOADER), start('{}'), alone, SOURCE]
      const outcomes = await runLua(
        host,
        codes.map((code, i) => ({ name: `${i}`, code })),
      )
      expect(outcomes.map(({ error }) => error)).toEqual([null, null, null, null])
      const silent = '0\tfalse'
      expect(outcomes.map(({ output }) => output.replace(/\n(returned)?$/, ''))).toEqual([
        `2\tbroken\tshop\n1\tfirst\tfalse\n1\tnil\tfalse\n${silent}`,
        ...[silent, silent, silent],
      ])
    },
  )
})

test.each([
  ['WARD_REPORT()', "'WARD_REPORT' takes an error"],
  ['WARD_REPORT(1, 2, 3)', "'WARD_REPORT' takes an error"],
  ['local f = WARD_REPORT f()', 'must be called directly'],
])('%s is an error', (source, complaint) => {
  expect(complaintsOf(source)).toEqual([expect.stringContaining(complaint)])
})
