/** Tokens of an account: credentials of software that may do less than its API key. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { limitAddress } from '../abuse/attempts.ts'
import { AUTH_BODY_LIMIT } from '../people/endpoints/shapes.ts'
import { exchangeCode } from './command-lines.ts'
import { ALL_SCOPES, type Scope } from './scopes.ts'
import { createToken, editToken, getToken, listTokens, revokeToken, rotateToken } from './tokens.ts'

const MAX_PROJECTS = 100
const MAX_NETWORKS = 100
const EXAMPLE_SCOPES = ['scripts:read', 'scripts:write']
const EXAMPLE_NETWORKS = ['203.0.113.0/24', '2001:db8::/48']

const Scopes = Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: [...ALL_SCOPES] }), {
  minItems: 1,
  maxItems: ALL_SCOPES.length,
  description: 'what it may do, all of it among your own scopes',
  examples: [EXAMPLE_SCOPES],
})
const Projects = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MAX_PROJECTS,
  description: 'ids of the only projects that it reaches; null for all',
})
const Networks = Type.Array(Type.String({ maxLength: 60 }), {
  minItems: 1,
  maxItems: MAX_NETWORKS,
  description: 'addresses and blocks that it may be used from; null for all',
  examples: [EXAMPLE_NETWORKS],
})
const ExpiresAt = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799_999,
  description: 'milliseconds since 1970, in the future; null for never',
  examples: [1_798_761_600_000],
})
const limits = {
  projects: shape.maybe(Projects),
  networks: shape.maybe(Networks),
  expires_at: shape.maybe(ExpiresAt),
}
/** What a token is made of. */
export const tokenMembers = { name: shape.Name, scopes: Scopes, ...limits }

const Token = shape.named('Token', {
  id: Type.String({ examples: ['tok_0VMc4VLkH7rAAAAAAAAAAA'] }),
  name: Type.String({ examples: ['CI of the shop'] }),
  start: Type.String({ description: 'how its secret begins', examples: ['swt_k3Jd'] }),
  scopes: Type.Array(Type.String(), { examples: [EXAMPLE_SCOPES] }),
  projects: shape.nullable(Type.Array(Type.String(), { description: 'null for all' })),
  networks: shape.nullable(
    Type.Array(Type.String(), { description: 'null for all', examples: [EXAMPLE_NETWORKS] }),
  ),
  expires_at: shape.nullable(Type.Integer({ description: 'null for never' })),
  created_at: Type.Integer(),
  created_by: shape.nullable(
    Type.String({
      description:
        'the person who made or last rotated it, also through a token of theirs; null when it was the API key',
      examples: ['psn_0VMc4VLkC9wFgHiJkLmNoP'],
    }),
  ),
  last_used_at: shape.nullable(Type.Integer({ description: 'to the minute' })),
  last_used_network: shape.nullable(Type.String()),
  previous_until: shape.nullable(
    Type.Integer({ description: 'until when the secret before the last rotation works' }),
  ),
})
const Secret = Type.String({
  description: 'swt_ and 46 characters; in this answer and nowhere else',
  examples: ['swt_k3JdW0n8sQyR5tUvXz1aBcDeFgHiJkLmNoPqRsTu4VwXyZ'],
})
const WithSecret = Type.Object({ success: shape.Yes, token: Token, secret: Secret })
const TokenParams = Type.Object({ token_id: Type.String() })

const list = endpoint({
  name: 'v1.tokens.list',
  summary:
    'List the tokens of the account. Callers who are limited to some projects see the tokens within these.',
  description:
    'Names, scopes, limits and last use of every token, without the secrets, which are stored as hashes only. `last_used_at` and `last_used_network` tell which of them nobody needs any more.',
  method: 'GET',
  path: '/v1/tokens',
  auth: 'customer',
  scope: 'tokens:read',
  narrows: true,
  query: shape.CursorPage,
  response: Type.Object({
    success: shape.Yes,
    tokens: Type.Array(Token),
    total: shape.Count,
    next: shape.Next,
  }),
  handle: ({ subject: customer, caller, query }, deps) =>
    listTokens(deps, { customer, caller }, shape.given(query)),
})

const create = endpoint({
  name: 'v1.tokens.create',
  summary:
    'Create a token. It can do no more than you: its scopes and projects are among yours, and a token makes none that works in more networks or longer than itself.',
  description:
    'Give each program a token of its own, with no more scopes than it needs, so that one can be revoked without stopping the others. The secret is in this answer and nowhere else; a lost one is replaced with `rotate`. An account has at most 100 tokens.',
  example: {
    body: { name: 'CI of the shop', scopes: ['scripts:read', 'scripts:write'], networks: ['203.0.113.0/24'] },
  },
  method: 'POST',
  path: '/v1/tokens/new',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_made',
  narrows: true,
  fresh: true,
  body: shape.members(tokenMembers),
  response: WithSecret,
  failures: { too_many_tokens: 0 },
  handle: ({ subject: customer, caller, body }, deps) => {
    const { projects = null, networks = null, expires_at = null, ...rest } = body
    return createToken(deps, { customer, caller }, { ...rest, projects, networks, expires_at })
  },
})

const get = endpoint({
  name: 'v1.tokens.get',
  summary: 'Get a token, without its secret.',
  description:
    'What one token may do, where from, until when, and when it was last used. `start` shows how its secret begins, which is how you find the token of a secret that turned up somewhere.',
  method: 'GET',
  path: '/v1/tokens/:token_id',
  auth: 'customer',
  scope: 'tokens:read',
  narrows: true,
  params: TokenParams,
  response: Type.Object({ success: shape.Yes, token: Token }),
  async handle({ subject: customer, caller, params }, deps) {
    const token = await getToken(deps, { customer, caller }, params.token_id)
    return token instanceof Refused ? token : { token }
  },
})

const edit = endpoint({
  name: 'v1.tokens.edit',
  summary:
    'Edit a token: members that are absent stay; null lifts a limit. Its secret stays; what comes out may not go beyond what you may do yourself.',
  description:
    'Changes what the token may do from its next request on; programs that use it need no new secret. Lists replace those before. You cannot give more than you may do yourself.',
  example: { body: { scopes: ['scripts:read'], expires_at: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/tokens/:token_id/edit',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_edited',
  narrows: true,
  fresh: true,
  params: TokenParams,
  body: shape.members({ name: Type.Optional(shape.Name), scopes: Type.Optional(Scopes), ...limits }),
  response: Type.Object({ success: shape.Yes, token: Token }),
  failures: { cannot_edit_nothing: 0 },
  async handle({ subject: customer, caller, params, body }, deps) {
    const token = await editToken(deps, { customer, caller }, { ...body, id: params.token_id })
    return token instanceof Refused ? token : { token }
  },
})

const rotate = endpoint({
  name: 'v1.tokens.rotate',
  summary:
    'Give a token another secret. The former one ends at once, or after overlap_ms; it needs every right that the token has.',
  description:
    'For a secret that may be known to others, or that is simply old: id, name, scopes and limits stay, only the secret changes. With `overlap_ms` the former secret goes on working for up to a day, so that a program can be changed without a gap. Whoever rotates a token has its secret, so it ends when they leave the account.',
  example: { body: { overlap_ms: 3_600_000 } },
  method: 'POST',
  path: '/v1/tokens/:token_id/rotate',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_rotated',
  narrows: true,
  fresh: true,
  params: TokenParams,
  body: shape.members({ overlap_ms: shape.maybe(shape.Overlap) }),
  response: WithSecret,
  failures: { token_expired: 0 },
  handle: ({ subject: customer, caller, params, body }, deps) =>
    rotateToken(deps, { customer, caller }, { id: params.token_id, overlapMs: body.overlap_ms ?? 0 }),
})

const revoke = endpoint({
  name: 'v1.tokens.revoke',
  summary: 'Revoke a token for good. Its streams end within a second.',
  description:
    'The token is refused from now on and disappears from the list; this cannot be undone. Streams and long requests that it opened end within a second. What it created stays.',
  method: 'POST',
  path: '/v1/tokens/:token_id/revoke',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_revoked',
  narrows: true,
  params: TokenParams,
  response: shape.Done,
  async handle({ subject: customer, caller, params }, deps) {
    return (await revokeToken(deps, { customer, caller }, params.token_id)) ?? {}
  },
})

const exchange = endpoint({
  name: 'v1.tokens.exchange',
  summary: 'Exchange the code that a person allowed a command line for its token.',
  description:
    'For programs on a machine of the person. Make a verifier of 43 to 128 random characters, listen on a port of 127.0.0.1, and open `/dashboard/#/command-line?name=…&scopes=…&port=…&state=…&code_challenge=…` in the browser, where `code_challenge` is the SHA-256 of the verifier in base64url. When the person allows it, the browser comes to your port with `code` and `state`. A code counts once and for a minute, and with its verifier alone.',
  example: {
    body: {
      code: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
  method: 'POST',
  path: '/v1/tokens/exchange',
  auth: 'none',
  scope: null,
  event: 'token_made',
  body: shape.members({
    code: Type.String({ minLength: 1, maxLength: 100, description: 'as the browser brought it' }),
    code_verifier: Type.String({
      minLength: 43,
      maxLength: 128,
      pattern: '^[\\w.~-]+$',
      description: 'what the challenge was made of',
    }),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: WithSecret,
  failures: { code_gone: 0, too_many_tokens: 1 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? exchangeCode(deps, body),
})

export const tokens: readonly Endpoint[] = [list, create, get, edit, rotate, revoke, exchange]
