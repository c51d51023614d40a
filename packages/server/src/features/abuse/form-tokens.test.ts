/** A form is valid only in the browser that it was rendered for. */
import { createSecretKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { formToken, isFormToken } from './form-tokens.ts'

const KEY = createSecretKey(Buffer.alloc(32, 7))
const TOKEN = formToken(KEY, 'cookie')

it('a form token of the same browser is accepted', () => {
  expect(isFormToken(KEY, 'cookie', TOKEN)).toBe(true)
})

it.each([
  ['the token of another browser', 'other', TOKEN],
  ['a truncated token', 'cookie', TOKEN.slice(0, -1)],
  ['an extended token', 'cookie', `${TOKEN}A`],
  ['characters that no token contains', 'cookie', 'ä'.repeat(11)],
  ['a missing token', 'cookie', undefined],
  ['an empty token without a cookie', '', ''],
])('%s is rejected as a form token', (_, cookie, given) => {
  expect(isFormToken(KEY, cookie, given)).toBe(false)
})

it('a form token signed with the key of another server is rejected', () => {
  expect(isFormToken(createSecretKey(Buffer.alloc(32, 8)), 'cookie', TOKEN)).toBe(false)
})
