/** A form is valid only in the browser that it was rendered for. */
import { createSecretKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { formToken, isFormToken } from './form-tokens.ts'

const KEY = createSecretKey(Buffer.alloc(32, 7))
const TOKEN = formToken(KEY, 'cookie')

it('accepts the token of the same browser', () => {
  expect(isFormToken(KEY, 'cookie', TOKEN)).toBe(true)
})

it.each([
  ['the token of another browser', 'other', TOKEN],
  ['a token cut short', 'cookie', TOKEN.slice(0, -1)],
  ['a token made longer', 'cookie', `${TOKEN}A`],
  ['as many bytes that are none', 'cookie', 'ä'.repeat(11)],
  ['no token', 'cookie', undefined],
  ['an empty token', '', ''],
])('does not take %s', (_, cookie, given) => {
  expect(isFormToken(KEY, cookie, given)).toBe(false)
})

it('rejects a token signed with the key of another service', () => {
  expect(isFormToken(createSecretKey(Buffer.alloc(32, 8)), 'cookie', TOKEN)).toBe(false)
})
