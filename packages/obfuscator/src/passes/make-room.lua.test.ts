/**
 * Tests that scripts with many locals in the main chunk get the same protection as other scripts, although
 * protection adds locals to the main chunk.
 */

import { describe, expect, test } from 'vitest'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'

const locals = (count: number) => Array.from({ length: count }, (_, i) => `local v${i} = ${i}`).join('\n')
const scriptOf = (count: number) => `${locals(count)}
local f = WARD_ENCFUNC(function(x) return x .. 'the secret text' .. v3 end)
print(f('a'), select('#', ...), v${count - 1})
return 'result', nil`

function protect(count: number, preset: string) {
  const result = obfuscate(scriptOf(count), { preset })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

describe.each(presets.map(({ id }) => id))('a script with 198 locals at %s', (preset) => {
  test.each(HOSTS)('behaves like its source on %s', async (host) => {
    const code = `local function main(...) ${protect(198, preset).code}
end print(select('#', main(1, nil)), (main(1, nil)))`
    const [ran] = await runLua(host, [{ name: 'a', code }])
    const line = 'athe secret text3\t2\t197\n'
    expect(ran).toMatchObject({ error: null, output: expect.stringMatching(`^(${line}){2}2\tresult`) })
  })

  test('hides the literals that its author marked', () => {
    const marked = `${locals(199)}\nprint(WARD_ENCSTR('secret text'), WARD_ENCNUM(31337))`
    const result = obfuscate(marked, { preset })
    expect('errors' in result ? result.errors : result.code).not.toMatch(/secret|31337/)
  })

  test('gets the same protection as a script with few locals', () => {
    const [many, few] = [protect(198, preset), protect(20, preset)]
    expect(many.code).not.toContain('secret')
    expect(many.report.warnings).toEqual(
      few.report.warnings.map((each) => each.replace('line 21', 'line 199')),
    )
    expect(many.report.virtualized >= few.report.virtualized).toBe(true)
  })
})
