/** An error's message identifies it on every host and in every version. */
import { describe, expect, test } from 'vitest'
import { messageIdentity, messageOf } from './message.ts'

describe('the message', () => {
  test.each([
    ["Garden:12: attempt to index local 'a' (a nil value)", "attempt to index local 'a' (a nil value)"],
    ['Garden:lib/shop.lua:12: no rake', 'no rake'],
    ['[string "Garden"]:12: Garden:3: no rake', 'no rake'],
    ['\n  no rake: 12 left\nstack traceback:', 'no rake: 12 left'],
    ['https://example.com:80: closed', 'https://example.com:80: closed'],
    ['', 'no message'],
    ['Garden:12: ', 'no message'],
  ])('of %j is %j', (text, message) => expect(messageOf(text)).toBe(message))

  test('has a limited length', () => expect(messageOf('x'.repeat(1000))).toHaveLength(300))
})

describe('the same error has the same identity', () => {
  test.each([
    [
      'of an index on each host',
      "attempt to index field 'price' (a nil value)",
      "attempt to index a nil value (field 'price')",
      "attempt to index nil with 'gold'",
    ],
    [
      'of a call on each host',
      "attempt to call global 'buy' (a nil value)",
      "attempt to call a nil value (global 'buy')",
      'attempt to call a nil value',
    ],
    [
      'of arithmetic on each host',
      "attempt to perform arithmetic on local 'a' (a nil value)",
      "attempt to perform arithmetic on a nil value (local 'a')",
      'attempt to perform arithmetic (add) on nil and number',
    ],
    [
      'of an argument on each host',
      "bad argument #1 to 'insert' (table expected, got nil)",
      "invalid argument #1 to 'insert' (table expected, got nil)",
      "missing argument #1 to 'insert' (table expected)",
    ],
    [
      'of a loop on each host',
      "'for' limit must be a number",
      "bad 'for' limit (number expected, got nil)",
      "invalid 'for' limit (number expected, got nil)",
    ],
    ['with another number', 'only 3 of 5 rakes', 'only 12 of 40.5 rakes'],
    ['with another quoted part', 'no \'rake\' in "shed"', 'no \'spade\' in "house"'],
    ['with another address', 'table: 0x55f0aa is bad', 'table: 0x7fffee12 is bad'],
  ])('%s', (_, ...messages) => {
    expect(new Set(messages.map(messageIdentity)).size).toBe(1)
  })

  test('and a different message has a different one', () => {
    expect(messageIdentity('no rake')).not.toBe(messageIdentity('no spade'))
    expect(messageIdentity('attempt to index a nil value')).not.toBe(
      messageIdentity('attempt to call a nil value'),
    )
  })
})
