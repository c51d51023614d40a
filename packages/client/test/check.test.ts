/** Runs the test vectors for signed responses on every host that has a check library. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deviceComponent, openAnswer } from '../check/check.js'
import vectors from '../check/vectors.json' with { type: 'json' }
import { type LuaRuntime, luaString, RUNTIMES } from './run-lua.ts'

const { question, text, signature, public_key, device, asked } = vectors
const good = { text, signature, publicKeys: ['A'.repeat(43), public_key], question }

it('JavaScript identifies a device as in the vectors and accepts their answer', async () => {
  expect(await deviceComponent(question.project_id, device)).toBe(question.fingerprint)
  expect(await openAnswer(good)).toMatchObject({ success: true, asked, note: 'for Ä' })
})

it('JavaScript rejects the answer with any byte changed', async () => {
  for (let at = 0; at < text.length; at += 7) {
    const changed = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)
    await expect(openAnswer({ ...good, text: changed })).rejects.toMatchObject({ kind: 'forged' })
  }
})

/** Builds an answer with these fields, signed with the test's own key. */
function signedWith(members: object): { text: string; key: string; signature: string } {
  const pair = generateKeyPairSync('ed25519')
  const key = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')
  const own = JSON.stringify({ ...members, nonce: question.nonce, asked })
  const signed = sign(null, Buffer.from(`lp1 check\0${own}`), pair.privateKey).toString('base64url')
  return { text: own, key, signature: `ed25519=${signed}` }
}

const LABELS = { tags: ['vip', 'ä "b"'], metadata: { guild: 'red', ranks: [1, 2] } }

it('JavaScript returns the tags and the public metadata of a key', async () => {
  const { key, ...given } = signedWith(LABELS)
  expect(await openAnswer({ ...given, publicKeys: [key], question })).toMatchObject(LABELS)
})

const library = readFileSync(new URL('../generated/check.lua', import.meta.url), 'utf8')

/** Defines `unhex`, a Lua function that the expressions from `luaString` call. */
const UNHEX =
  "local function unhex(s) return (s:gsub('..', function(h) return string.char(tonumber(h, 16)) end)) end"

/** Returns the value of each expression, with the library as `check`. */
async function evaluate(runtime: LuaRuntime, expressions: readonly string[], before = ''): Promise<string[]> {
  const lines = expressions.map((expression) => `print((${expression}))`).join('\n')
  const text = `${before}\n${UNHEX}\nlocal check = (function(...)\n${library}\nend)()\n${lines}\n`
  return (await runtime.run(text)).trim().split('\n')
}

const luaTable = (members: Readonly<Record<string, string | null>>) =>
  `{${Object.entries(members)
    .map(([name, value]) => `${name}=${value === null ? 'nil' : luaString(value)}`)
    .join(',')}}`
const opened = (
  given: { text?: string; signature?: string; key?: string; question?: typeof question },
  member = 'reason',
) => {
  const asked = luaTable(given.question ?? question)
  const [said, signed] = [given.text ?? text, given.signature ?? signature].map(luaString)
  return `(check.open(${asked}, ${said}, ${signed}, {'AA', ${luaString(given.key ?? public_key)}}) or {}).${member}`
}

/**
 * Adds the order of the group to the second half of the signature. A careless verifier would still accept it.
 */
function malleated(signed: string): string {
  const bytes = Buffer.from(signed.replace('ed25519=', ''), 'base64url')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
  const second = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
  return `ed25519=${Buffer.concat([bytes.subarray(0, 32), second]).toString('base64url')}`
}

describe.each(RUNTIMES)('the key check library on $name', (runtime) => {
  it.skipIf(runtime.missing !== undefined)(
    'identifies a device as in the vectors and accepts their answer',
    async () => {
      const named = `check.component(${luaString(question.project_id)}, ${luaString(device)})`
      expect(await evaluate(runtime, [named, opened({})])).toEqual([question.fingerprint, 'valid'])
    },
  )

  it.skipIf(runtime.missing !== undefined)(
    'accepts an answer only unchanged, from the known key and for the question asked',
    async () => {
      const flipped = (encoded: string, at: number) =>
        encoded.slice(0, at) + (encoded[at] === 'B' ? 'C' : 'B') + encoded.slice(at + 1)
      const forged = [
        opened({ text: text.replace('valid', 'valix') }),
        opened({ text: `${text} ` }),
        ...[10, 40, 60, 80].map((at) => opened({ signature: flipped(signature, at) })),
        opened({ signature: malleated(signature) }),
        opened({ signature: '' }),
        opened({ signature: signature.replace('ed25519=', '') }),
        opened({ key: flipped(public_key, 20) }),
        opened({ key: '' }),
        opened({ question: { ...question, key: 'another' } }),
        opened({ question: { ...question, nonce: 'another-nonce-of-24-characters' } }),
      ]
      expect(await evaluate(runtime, forged)).toEqual(forged.map(() => 'nil'))
    },
  )

  it.skipIf(runtime.missing !== undefined)(
    'verifies signatures made by Node, for strings of any length',
    async () => {
      const expressions = Array.from({ length: 12 }, (_, i) =>
        opened(signedWith({ reason: `${i}`, note: randomBytes(i * 17).toString('hex') })),
      )
      expect(await evaluate(runtime, expressions)).toEqual(expressions.map((_, i) => `${i}`))
    },
  )

  it.skipIf(runtime.missing !== undefined)('returns the tags and the public metadata of a key', async () => {
    const answer = signedWith(LABELS)
    const members = ['tags[2]', 'tags[3]', 'metadata.guild', 'metadata.ranks[2]']
    const given = await evaluate(
      runtime,
      members.map((member) => opened(answer, member)),
    )
    expect(given).toEqual(['ä "b"', 'nil', 'red', '2'])
  })

  it.skipIf(runtime.missing !== undefined).each([
    ['', ''],
    [', without files and a clock', 'io, os = nil, nil'],
    [
      ', without files and where pcall catches nothing',
      'io, pcall = nil, function(call, ...) return true, call(...) end',
    ],
  ])('builds questions that the server can read, with a new nonce each time%s', async (_, before) => {
    const ask = `check.question(${luaTable({ project_id: 'prj_1', key: 'k"ey' })})`
    const [one, two] = (await evaluate(runtime, [ask, ask], before)).map((line) => JSON.parse(line))
    expect(one).toEqual({ project_id: 'prj_1', key: 'k"ey', claim: false, nonce: expect.any(String) })
    expect(one.nonce).toMatch(/^[\w-]{32}$/)
    expect(two.nonce).not.toBe(one.nonce)
  })
})
