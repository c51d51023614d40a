/**
 * Tests that decrypted strings equal the originals at every length. Decryption processes eight bytes at a
 * time, and splits long strings into several buffers.
 */

import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'
import { createRandom } from '../random.ts'

const LONG = [255, 256, 257, 300, 303, 511, 4099, 11_999, 16_384, 20_001, 50_003]
const random = createRandom(1, 'texts')
const textOf = (length: number) =>
  Array.from({ length }, () => `\\${String(random.int(0, 255)).padStart(3, '0')}`).join('')
const texts = [...Array.from({ length: 40 }, (_, length) => length), ...LONG].map(textOf)

/** Prints a checksum of each string instead of the string itself. */
const SOURCE = `
  local function sum(text)
    local found = 0
    for i = 1, #text do found = (found * 31 + text:byte(i)) % 1000003 end
    return found
  end
  ${texts.map((text) => `do local text = "${text}" print(#text, sum(text)) end`).join('\n')}`

const builds = once(() =>
  presets.flatMap(({ id: preset }) =>
    seeds.map((seed) => {
      const result = obfuscate(SOURCE, { preset, seed })
      if ('errors' in result) throw new Error(JSON.stringify(result.errors))
      return { name: `${preset} ${seed}`, code: result.code }
    }),
  ),
)

describe.each<Host>([...HOSTS, 'lua5.4'])('on %s', (host) => {
  test('decrypted strings of every length equal the originals at every preset', async () => {
    const [wanted, ...found] = await runLua(host, [{ name: 'source', code: SOURCE }, ...builds()])
    expect(wanted?.error).toBeNull()
    for (const each of found) expect(each).toEqual({ ...wanted, name: each.name })
  })
})
