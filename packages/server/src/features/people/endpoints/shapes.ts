/** Request fields for signing in. */
import { Type } from 'typebox'

/** Maximum body size in bytes. Browsers that aren't signed in send only small requests. */
export const AUTH_BODY_LIMIT = 4096

/** Accepts any string. The password rules are checked only when a password is chosen. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'password of 12 to 128 characters that is not too common',
  examples: ['correct horse battery staple'],
})
export const Link = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'last path segment of the link',
  examples: ['q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c'],
})
export const Language = Type.String({
  maxLength: 35,
  pattern: '^([a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*)?$',
  description: 'language tag, such as de or pt-BR. An empty string removes it',
  examples: ['de'],
})
