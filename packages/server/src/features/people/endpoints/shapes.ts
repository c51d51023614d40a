/** Members of what people send to sign in. */
import { Type } from 'typebox'

/** What a browser sends before anything is known of it is small. */
export const AUTH_BODY_LIMIT = 4096

/** Any text: what a password must be is said when one is chosen. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'a new one has 12 to 128 characters and is not among the commonest',
  examples: ['correct horse battery staple'],
})
export const Link = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'what stands behind the last / of the link',
  examples: ['q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c'],
})
export const Language = Type.String({
  maxLength: 35,
  pattern: '^([a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*)?$',
  description: 'a language tag such as de or pt-BR; the empty text means none',
  examples: ['de'],
})
