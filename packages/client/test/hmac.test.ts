/** The hand-made HMAC against the test cases of RFC 4231 and against Node's own. */
import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { makeHmac } from '../src/hmac.ts'

it.each([
  [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('answers what RFC 4231 says for the key %o', (key, text, expected) => {
  expect(makeHmac(key)(text).toString('hex')).toBe(expected)
})

it.each(['', 'a', 'ä €', 'long '.repeat(1000)])('answers as Node does for %j', (text) => {
  const key = Buffer.alloc(64, 0xa5)
  expect(makeHmac(key)(text)).toEqual(createHmac('sha256', key).update(text).digest())
})

it('hashes a key that is longer than a block first, as Node does', () => {
  const key = Buffer.alloc(65, 0xa5)
  expect(makeHmac(key)('text')).toEqual(createHmac('sha256', key).update('text').digest())
})
