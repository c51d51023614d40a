/**
 * Tests `WARD_VARY` from upload to trace: every key runs with its own numbers, so that a lifted copy can be
 * traced.
 */
import { beforeAll, expect, test } from 'vitest'
import { lift } from '../packages/obfuscator/attacks/lift/lifter.ts'
import { type Host, runLua } from '../packages/obfuscator/test/run-lua.ts'
import { withoutGrant } from '../packages/obfuscator/test/served.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../packages/server/test/protocol/client.ts'

const { at } = serverOn(sqlite)

const SOURCE = `if not WARD_OBFUSCATED then WARD_VARY = function(v) return v end end
local speed = WARD_VARY(61.25, 0.01)
local function jump(n)
  if n > WARD_VARY(3.5, 0.1) then return n * WARD_VARY(100, 20) end
  return WARD_VARY(-0.75, 0.05)
end
print(string.format('%.9g %.9g %.9g', speed, jump(1), jump(4)))`

/** 3.5 is not listed, because the script only compares it with a value and never prints it. */
const [VALUES, TOLERANCES] = [
  [61.25, -0.75, 400],
  [0.01, 0.05, 80],
]
const USERS = 12

type Copy = { readonly key: string; readonly text: string; readonly numbers: readonly number[] }
type Traced = {
  readonly versions: readonly Record<string, unknown>[]
  readonly accused: readonly Record<string, unknown>[]
  readonly candidates: readonly {
    readonly user_key: string
    readonly likelihood: number
    readonly named: boolean
  }[]
}

let owner: Owner
let script = ''
let copies: readonly Copy[] = []

beforeAll(async () => {
  const owned = await createOwner(at(), { tier: 0 })
  owner = owned.owner
  script = await createScript(owner, owned.project, { script: SOURCE })
  const client = new ProtocolClient(at().url)
  const run = async (key: string) => {
    const {
      reply,
      keys,
      script: text,
    } = await client.run(script, { key, fp: { machine_id: component(key) } })
    if (!reply.ok) throw new Error(reply.reason)
    return text ?? (await client.fetchScript(keys, reply))
  }
  const served: { key: string; text: string }[] = []
  for (let i = 0; i < USERS; i++) {
    const key = await createUser(owner, owned.project)
    served.push({ key, text: await run(key) })
  }
  // Runs the first key again, which must get the same numbers.
  served.push({ key: served[0]?.key ?? '', text: await run(served[0]?.key ?? '') })
  const numbers = await numbersOf('lua5.1', served)
  copies = served.map((one, i) => ({ ...one, numbers: numbers[i] ?? [] }))
})

async function numbersOf(host: Host, texts: readonly { readonly text: string }[]) {
  const programs = texts.map(({ text }, i) => ({ name: `${i}`, code: withoutGrant({ code: text }) }))
  return (await runLua(host, programs)).map(({ output, error }) => {
    expect(error).toBeNull()
    return (output.split('\n')[0] ?? '').split(' ').map(Number)
  })
}

async function trace(text: string): Promise<Traced> {
  at().clock.now += 60_000
  const { status, body } = await owner.post(`/v1/scripts/${script}/trace`, { text })
  expect(status).toBe(200)
  return body as Traced
}

/** Returns a copy as a thief might publish it: rewritten so that only the numbers of the original remain. */
const stolen = ([speed = 0, low = 0, high = 0]: readonly number[]) =>
  `local xx_1 = ${speed}\nreturn function(v) return v > 9 and v * ${high / 4} or ${low} end`

test('every key has its own numbers within the tolerance, in all of its runs and on all hosts', async () => {
  const own = copies.slice(0, USERS)
  expect(new Set(own.map(({ numbers }) => numbers[0])).size).toBeGreaterThan(USERS / 2)
  for (const { numbers } of own) {
    expect(numbers).toHaveLength(VALUES.length)
    numbers.forEach((each, i) => {
      expect(Math.abs(each - (VALUES[i] as number))).toBeLessThanOrEqual((TOLERANCES[i] as number) + 1e-9)
    })
  }
  expect(copies.at(-1)?.text).not.toBe(copies[0]?.text)
  expect(copies.at(-1)?.numbers).toEqual(copies[0]?.numbers)
  for (const host of ['luajit', 'luau'] as const)
    expect(await numbersOf(host, own)).toEqual(own.map(({ numbers }) => numbers))
})

test('a copy that keeps nothing but the numbers identifies its key, with the number of varied numbers needed', async () => {
  for (const { key, numbers } of copies.slice(0, 4)) {
    const { versions, accused, candidates } = await trace(stolen(numbers))
    expect(accused).toEqual([])
    expect(versions).toMatchObject([{ version: 1, slots_read: 0, numbers: 4, numbers_needed: 2 }])
    expect(candidates.filter(({ named }) => named)).toMatchObject([
      { user_key: key, version: 1, numbers_matched: 3 },
    ])
    expect(candidates[0]?.likelihood).toBeGreaterThan(0.999)
  }
})

test('a lifted copy identifies its key', async () => {
  const { key, text } = copies[1] as Copy
  const { lines } = await lift(withoutGrant({ code: text }), 'lua5.1')
  const { candidates } = await trace(lines.join('\n'))
  expect(candidates.filter(({ named }) => named)).toMatchObject([{ user_key: key, numbers_matched: 4 }])
})

test('a single number yields candidates with a likelihood, and identifies nobody', async () => {
  const { key, numbers } = copies[2] as Copy
  const { candidates } = await trace(`x = ${numbers[0]}`)
  expect(candidates.map(({ user_key }) => user_key)).toContain(key)
  expect(candidates.every(({ named, likelihood }) => !named && likelihood < 0.999)).toBe(true)
})

test('a mix of the numbers of two keys identifies no third key', async () => {
  const [a, b] = [copies[3] as Copy, copies[4] as Copy]
  const mixed = `local t = { ${a.numbers[0]}, ${a.numbers[1]}, ${b.numbers[1]}, ${(b.numbers[2] ?? 0) / 4} }`
  const named = (await trace(mixed)).candidates.filter((each) => each.named).map(({ user_key }) => user_key)
  expect(named.every((each) => each === a.key || each === b.key)).toBe(true)
})

test('the source, a rounded copy and an unrelated string identify nobody', async () => {
  for (const text of [
    SOURCE,
    stolen([61.25, -0.75, 400]),
    'local x = 61.3 + 4',
    `local far = { 61.2655, -0.9 }`,
  ])
    expect(await trace(text)).toMatchObject({ versions: [], accused: [], candidates: [] })
})

test('an unchanged copy is still traced by its slots, without candidates', async () => {
  const { accused, candidates } = await trace(copies[5]?.text ?? '')
  expect([accused, candidates]).toMatchObject([[{ user_key: copies[5]?.key }], []])
})

test('the report states how many keys the numbers can distinguish', async () => {
  const { body } = await owner.get(`/v1/scripts/${script}/versions/1`)
  const { report } = body.version as { report: Record<string, unknown> }
  expect(report.variedNumbers).toBe(4)
  expect(report.variedKeys).toBeGreaterThan(1000)
  expect(report.tracing).toBe(
    'identifies the key of an unchanged copy; after decompilation, the 4 WARD_VARY numbers identify the key among any number of keys',
  )
})
