/** Data at rest can only be decrypted with the key, kind and ID that it was encrypted for. */
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeSealer, type SealingKeys } from './seal.ts'

const NAMES = ['source', 'provider', 'answer', 'instance', 'page', 'boot', 'webhook'] as const
const newKeys = () =>
  Object.fromEntries(NAMES.map((name) => [name, createSecretKey(randomBytes(32))])) as SealingKeys
const keys = newKeys()
const sealer = makeSealer({ versions: [keys], current: 0 }, randomBytes)
const seal = (text: string) => sealer.seal('source', 'scr_1', text)

test.each(['', 'print("hi")', 'local naïve = "日本" -- 🙂', 'x'.repeat(100_000)])(
  'an encrypted string decrypts to the original',
  (text) => {
    expect(sealer.openText('source', 'scr_1', seal(text))).toBe(text)
  },
)

test('ciphertext reveals nothing of its content and differs each time', () => {
  const [one, other] = [seal('local secret = 1'), seal('local secret = 1')]
  expect(one.includes('secret')).toBe(false)
  expect(one.equals(other)).toBe(false)
})

test('ciphertext does not decrypt with another key, kind or ID, or after any modification', () => {
  const sealed = seal('print(1)')
  expect(() =>
    makeSealer({ versions: [newKeys()], current: 0 }, randomBytes).open('source', 'scr_1', sealed),
  ).toThrow()
  expect(() => sealer.open('source', 'scr_2', sealed)).toThrow()
  expect(() => sealer.open('test', 'scr_1', sealed)).toThrow()
  expect(() => sealer.open('execAnswer', 'scr_1', sealed)).toThrow()
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => sealer.open('source', 'scr_1', changed)).toThrow()
  }
})

// Content encrypted by earlier versions: one sample of every kind that the database stores, with its key and
// additional data.
test.each([
  ['source', 'source', 'id'],
  ['test', 'source', 'test id'],
  ['files', 'source', 'files id'],
  ['serviceKey', 'source', 'service key id'],
  ['apiKey', 'source', 'id'],
  ['providerData', 'provider', 'id'],
  ['storedResponse', 'answer', 'id'],
  ['instanceSecrets', 'instance', 'instance id secrets'],
  ['beatStates', 'instance', 'instance id beats'],
  ['ownVisit', 'page', 'key of a visit'],
] as const)('a stored value of the kind %s still decrypts', (kind, key, aad) => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keys[key], nonce).setAAD(Buffer.from(aad))
  const sealed = Buffer.concat([nonce, cipher.update('old'), cipher.final(), cipher.getAuthTag()])
  expect(sealer.openText(kind, 'id', sealed)).toBe('old')
})

test.each(['bootSecret', 'execAnswer'] as const)('%s already stored in Valkey still decrypts', (kind) => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keys[kind === 'bootSecret' ? 'boot' : 'answer'], nonce)
  const sealed = Buffer.concat([nonce, cipher.update('old'), cipher.final(), cipher.getAuthTag()])
  expect(sealer.openText(kind, 'id', sealed)).toBe('old')
})

test('data encrypted with earlier key versions still decrypts, and the current version encrypts', () => {
  const versions = [keys, newKeys(), newKeys()]
  const sealers = [0, 1, 2].map((current) => makeSealer({ versions, current }, randomBytes))
  for (const one of sealers) {
    const sealed = one.seal('source', 'scr_1', 'print(1)')
    const text = one.sealText('event', 'evt_1', '{}')
    for (const other of sealers) {
      expect(other.openText('source', 'scr_1', sealed)).toBe('print(1)')
      expect(other.openText('event', 'evt_1', text)).toBe('{}')
    }
  }
  const newest = sealers[2]?.seal('source', 'scr_1', 'print(1)') ?? Buffer.of()
  const former = makeSealer({ versions: versions.slice(0, 2), current: 1 }, randomBytes)
  expect(() => former.open('source', 'scr_1', newest)).toThrow()
})

test('data of the first version decrypts even when its nonce begins like a later version number', () => {
  const nonce = (count: number) => Buffer.alloc(count, 0).fill(1, 1, 2)
  const old = makeSealer({ versions: [keys], current: 0 }, nonce)
  const sealed = old.seal('source', 'scr_1', 'old')
  expect(sealed.readUInt16BE(0)).toBe(1)
  const sealerNow = makeSealer({ versions: [keys, newKeys()], current: 1 }, randomBytes)
  expect(sealerNow.openText('source', 'scr_1', sealed)).toBe('old')
})
