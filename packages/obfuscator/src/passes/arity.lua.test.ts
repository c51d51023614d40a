/** Tests that functions keep their number of parameters, because scripts can read it. */

import { expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'

const PLACES: readonly (readonly [NonNullable<ObfuscateOptions['target']>, Host, string])[] = [
  ['luau', 'luau', "debug.info(f, 'a')"],
  ['luajit', 'luajit', "debug.getinfo(f, 'u').nparams"],
  ['lua54', 'lua5.4', "debug.getinfo(f, 'u').nparams"],
]

test.each(presets.flatMap(({ id }) => PLACES.map((place) => [id, ...place] as const)))(
  'a function has as many parameters as in the source at %s for %s',
  async (preset, target, host, count) => {
    const source = `local function f(a, b) local c = a return c end print((${count}), f(1, 2))`
    const result = obfuscate(source, { preset, target })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    const [ran] = await runLua(host, [{ name: 'f', code: result.code }])
    expect(ran?.output.split('\n')[0]).toBe('2\t1')
  },
)
