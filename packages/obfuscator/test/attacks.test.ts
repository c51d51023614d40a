/**
 * Tests the attacks: each one recovers everything from an unprotected or poorly protected program. The
 * strongest preset resists the quick attacks as documented.
 */

import { describe, expect, test } from 'vitest'
import type { Attack, Build, Sample } from '../attacks/attack.ts'
import { listAttacks, readSamples } from '../attacks/list.ts'
import { copiesOf } from '../attacks/marks.ts'
import { readSample } from '../attacks/sample.ts'
import { obfuscate } from '../src/index.ts'
import { once, onceEach } from './once.ts'
import { serve, withChannel, withoutGrant } from './served.ts'

const SECONDS = 4

const samples: readonly Sample[] = await readSamples()
const attacks = listAttacks(SECONDS)

const attackOf = (id: string) => attacks.find((each) => each.id === id) as Attack

const built = onceEach<Build>((source) => {
  const [code = '', sibling = ''] = [1, 2].map((seed) => {
    const result = obfuscate(source, { seed })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    return result.code
  })
  return { code, sibling }
})

/** This attack needs strings that are hidden from hooks, which an unprotected program does not have. */
const ON_BADLY_PROTECTED = 'T3'

describe('each attack recovers everything it can from an unprotected program', () => {
  test.each(attacks.filter(({ id }) => id !== ON_BADLY_PROTECTED))(
    'attack $id recovers everything from an unprotected program: $name',
    async (attack) => {
      for (const sample of samples) {
        const { score } = await attack.run(sample, { code: sample.source, sibling: sample.source }, 'lua5.1')
        expect([sample.name, score]).toEqual([sample.name, 0])
      }
    },
  )

  test('attack T3 recovers strings built by library functions', async () => {
    const sample = await readSample(
      'spelled',
      "local key = 'a secret key' local other = 'another one' print(#key + #other)",
    )
    const codes = (text: string) => [...text].map((each) => each.charCodeAt(0)).join(',')
    const letters = [...'another one'].map((each) => `string.char(${each.charCodeAt(0)})`).join('..')
    const code = `local key = string.char(${codes('a secret key')}) local other = ${letters} print(#key + #other)`
    expect((await attackOf('T3').run(sample, { code, sibling: code }, 'lua5.1')).score).toBe(0)
  })

  test('attack T19 distinguishes copies with reordered statements', async () => {
    const sample = await readSample('ordered', "local a = 'first text' local b = 'other text' print(#a, #b)")
    const other = sample.source.replace(/(local a .*?) (local b .*?) (print)/, '$2 $1 $3')
    const build = { code: sample.source, sibling: sample.source, copies: [sample.source, other] as const }
    expect((await attackOf('T19').run(sample, build, 'lua5.1')).score).toBeGreaterThan(0.5)
  })

  test('attack T5 recovers strings that a table decrypts on access', async () => {
    const sample = await readSample('lazy', "if #{ ... } > 5 then print('never printed') end")
    const code = `local t = setmetatable({}, { __index = function(_, i) return ('detnirp reven'):reverse() end })
      function ask(n) if n > 5 then print(t[1]) end end ask(0)`
    expect((await attackOf('T5').run(sample, { code, sibling: code }, 'lua5.1')).score).toBe(0)
  })
})

describe('the strongest preset', () => {
  const lifted = once(lift)

  test.each([
    ['T1', 1],
    ['T2', 0.88],
    ['T3', 1],
    ['T4', 0.7],
    ['T5', 1],
    ['T7', 0.45],
    ['T9', 0.32],
    ['T10', 0.84],
    ['T14', 1],
    ['T15', 1],
    ['T18', 0.5],
  ])('at the strongest preset, attack %s scores at least %d in every program', async (id, least) => {
    for (const sample of samples) {
      const { score, evidence } = await attackOf(id).run(sample, built(sample.source), 'lua5.1')
      expect([sample.name, evidence, score >= least]).toEqual([sample.name, evidence, true])
    }
  })

  test('at the strongest preset, attack T6 recovers only strings that are not behind comparisons with integers and strings', async () => {
    const sample = await readSample(
      'compared',
      `local function guarded(count, word)
        if count == 31337 then return 'text behind a number' end
        if word ~= 'the longer word' then return 'another word' end
        return 'text behind a word'
      end
      local function ordered(count) if count > 9 then return 'text behind an order' end return 'few' end
      print(guarded(1, 'word'), ordered(1))`,
    )
    const { evidence } = await attackOf('T6').run(sample, built(sample.source), 'lua5.1')
    expect(evidence).toBe('1 of 3: "text behind an order"')
  })

  test('attack T16 recovers unreached code at the strongest preset and, with server keys, the code that a single key opens', async () => {
    const { strong, granted } = await lifted()
    expect(strong).toMatch(/^2 of 2 cold strings, 1 of 1 numbers/)
    // The other string is locked twice, by the server and by a compared string, and the attack does not
    // combine the two keys.
    expect(granted).toMatch(/^1 of 2 cold strings, 1 of 1 numbers/)
  })

  test('attack T16 recovers no string that only the server can decrypt, whether or not a comparison also locks it', async () => {
    expect((await lifted()).refused).toMatch(/^0 of 2 cold strings/)
  })
})

test('attack T16 recovers no string, number or flow of a server-locked function, even with the key, because it cannot read bytecode', async () => {
  const source = `local check = WARD_ENCFUNC(function(key, level)
      if #key ~= 29 then return 'a short key', 4071 end
      local sum = 1234
      for i = 1, #key do
        local code = key:byte(i)
        if code > 2048 then sum = sum + code * 3001 elseif code < level then sum = sum - 2002 end
      end
      local function verdict(total)
        while total > 9973 do total = total - 9973 end
        if total == level then return 'a good key' end
        return 'a wrong key', 5005
      end
      return verdict(sum)
    end)
    print(type(check))`
  const sample = await readSample('locked', source.replace('WARD_ENCFUNC', ''))
  const served = serve(source, { seed: 1 })
  const run = (code: string) => attackOf('T16').run(sample, { code, sibling: code }, 'lua5.1')
  for (const code of [withChannel(served), withoutGrant(served)]) {
    expect((await run(code)).evidence).toMatch(/^0 of 3 cold strings, 0 of 7 numbers, 0\.\d of 3 functions$/)
  }
})

/** How much of the watermark one build keeps depends on chance: 0.02 to 0.82 in 24 builds of this script. */
test('attack T19 leaves a watermark in copies of a script, on average over four builds', async () => {
  const sample = samples.find(({ name }) => name.startsWith('ledger')) as Sample
  let total = 0
  for (const seed of [1, 2, 3, 4]) {
    const result = obfuscate(sample.source, { seed, slots: 512 })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    const copies = copiesOf(result.code, result.slots)
    expect(copies[0]).not.toBe(copies[1])
    const build = { code: result.code, sibling: '', copies }
    total += (await attackOf('T19').run(sample, build, 'lua5.1')).score
  }
  expect(total / 4).toBeGreaterThan(0.1)
})

/** Returns the findings of attack T16 in a script with strings that are never reached at run time. */
async function lift(): Promise<Record<'strong' | 'granted' | 'refused', string>> {
  const sample = await readSample(
    'guarded',
    `local function price(level, word)
      if level > 31337 then print('text behind an order') return 1 end
      if word == 'few' then print('text behind a word') return 2 end
      return 0
    end
    print(price(1, 'word'), price(2, 'few' .. 1))`,
  )
  const served = serve(sample.source, { seed: 1 })
  const run = async (code: string) =>
    (await attackOf('T16').run(sample, { code, sibling: code }, 'lua5.1')).evidence
  return {
    strong: await run(built(sample.source).code),
    granted: await run(withChannel(served)),
    refused: await run(withoutGrant(served)),
  }
}
