/** Texts at rest: only the key and the noun that they were sealed for open them again. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openText, SEAL_NONCE_BYTES, sealText } from './sealing.ts'

const key = randomBytes(32)
const seal = (text: string) => sealText(key, 'scr_1', text, randomBytes(SEAL_NONCE_BYTES))

describe('a sealed text', () => {
  test.each(['', 'print("hi")', 'local naïve = "日本" -- 🙂', 'x'.repeat(100_000)])(
    'opens to what it was',
    (text) => {
      expect(openText(key, 'scr_1', seal(text))).toBe(text)
    },
  )

  test('shows nothing of its text and differs each time', () => {
    const [one, other] = [seal('local secret = 1'), seal('local secret = 1')]
    expect(one.includes('secret')).toBe(false)
    expect(one.equals(other)).toBe(false)
  })

  test('is refused with another key, for another noun and after any change', () => {
    const sealed = seal('print(1)')
    expect(() => openText(randomBytes(32), 'scr_1', sealed)).toThrow()
    expect(() => openText(key, 'scr_2', sealed)).toThrow()
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => openText(key, 'scr_1', changed)).toThrow()
    }
  })
})
