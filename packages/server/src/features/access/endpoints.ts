/** Endpoints for tokens: credentials for software, with fewer permissions than the account's API key. */
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
  description: 'scopes of the token, which must be a subset of your own',
  examples: [EXAMPLE_SCOPES],
})
const Projects = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MAX_PROJECTS,
  description: 'IDs of the projects the token can access. Null for access to all projects',
})
const Networks = Type.Array(Type.String({ maxLength: 60 }), {
  minItems: 1,
  maxItems: MAX_NETWORKS,
  description: 'IP addresses and CIDR blocks the token can be used from. Null for no restriction',
  examples: [EXAMPLE_NETWORKS],
})
const ExpiresAt = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799_999,
  description:
    'time the token expires, in Unix milliseconds. It must be in the future. Null for a token that never expires',
  examples: [1_798_761_600_000],
})
const limits = {
  projects: shape.maybe(Projects),
  networks: shape.maybe(Networks),
  expires_at: shape.maybe(ExpiresAt),
}
export const tokenMembers = { name: shape.Name, scopes: Scopes, ...limits }

const Token = shape.named('Token', {
  id: Type.String({ examples: ['tok_0VMc4VLkH7rAAAAAAAAAAA'] }),
  name: Type.String({ examples: ['Shop CI'] }),
  start: Type.String({ description: 'first characters of the secret', examples: ['swt_k3Jd'] }),
  scopes: Type.Array(Type.String(), { examples: [EXAMPLE_SCOPES] }),
  projects: shape.nullable(
    Type.Array(Type.String(), {
      description: 'IDs of the projects the token can access. Null if it can access all projects',
    }),
  ),
  networks: shape.nullable(
    Type.Array(Type.String(), {
      description: 'networks the token can be used from. Null if it can be used from any network',
      examples: [EXAMPLE_NETWORKS],
    }),
  ),
  expires_at: shape.nullable(
    Type.Integer({ description: 'time the token expires, in Unix milliseconds. Null if it never expires' }),
  ),
  created_at: Type.Integer(),
  created_by: shape.nullable(
    Type.String({
      description:
        'person who created or last rotated the token, directly or through one of their tokens. Null if the API key was used',
      examples: ['psn_0VMc4VLkC9wFgHiJkLmNoP'],
    }),
  ),
  last_used_at: shape.nullable(Type.Integer({ description: 'time of the last use, to the minute' })),
  last_used_network: shape.nullable(Type.String()),
  previous_until: shape.nullable(Type.Integer({ description: 'time at which the previous secret expires' })),
})
const Secret = Type.String({
  description: 'secret of the token, swt_ followed by 46 characters. Only returned here',
  examples: ['swt_k3JdW0n8sQyR5tUvXz1aBcDeFgHiJkLmNoPqRsTu4VwXyZ'],
})
const WithSecret = Type.Object({ success: shape.Yes, token: Token, secret: Secret })
const TokenParams = Type.Object({ token_id: Type.String() })

const list = endpoint({
  name: 'v1.tokens.list',
  summary: 'List tokens',
  description:
    'Returns all tokens of the account with their scopes, limits and last use. Secrets are only stored as hashes and never returned. `last_used_at` and `last_used_network` show which tokens are no longer in use. Callers limited to certain projects see only tokens limited to those projects.',
  method: 'GET',
  path: '/v1/tokens',
  auth: 'customer',
  scope: 'tokens:read',
  filtersByProject: true,
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
  summary: 'Create a token',
  description:
    "Create one token per program, with only the scopes it needs, so that you can revoke it without affecting others. The secret is only returned here; replace a lost one with `rotate`. A token can't exceed its creator's access: its scopes and projects must be a subset of yours, and a token created with another token can't allow more networks or expire later than that token. An account can have up to 100 tokens.",
  example: {
    body: { name: 'Shop CI', scopes: ['scripts:read', 'scripts:write'], networks: ['203.0.113.0/24'] },
  },
  method: 'POST',
  path: '/v1/tokens/new',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_made',
  filtersByProject: true,
  requiresRecentAuth: true,
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
  summary: 'Retrieve a token',
  description:
    'Returns the scopes, limits and last use of a token, without its secret. `start` contains the first characters of the secret, so you can identify a token from a leaked secret.',
  method: 'GET',
  path: '/v1/tokens/:token_id',
  auth: 'customer',
  scope: 'tokens:read',
  filtersByProject: true,
  params: TokenParams,
  response: Type.Object({ success: shape.Yes, token: Token }),
  async handle({ subject: customer, caller, params }, deps) {
    const token = await getToken(deps, { customer, caller }, params.token_id)
    return token instanceof Refused ? token : { token }
  },
})

const edit = endpoint({
  name: 'v1.tokens.edit',
  summary: 'Update a token',
  description:
    'Changes the name, scopes or limits of a token, effective with its next request. The secret stays the same. Omitted fields are unchanged, null removes a limit, and lists replace the previous ones. You cannot grant more than your own permissions.',
  example: { body: { scopes: ['scripts:read'], expires_at: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/tokens/:token_id/edit',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_edited',
  filtersByProject: true,
  requiresRecentAuth: true,
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
  summary: 'Rotate a token',
  description:
    "Replaces a token's secret; its ID, name, scopes and limits stay the same. Rotate a token when its secret is old or may have leaked. The previous secret stops working immediately, or after `overlap_ms` (up to 24 hours), so that you can update a program without downtime. You need every permission the token has. Whoever rotates a token knows its secret, so the token is revoked if they leave the account.",
  example: { body: { overlap_ms: 3_600_000 } },
  method: 'POST',
  path: '/v1/tokens/:token_id/rotate',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_rotated',
  filtersByProject: true,
  requiresRecentAuth: true,
  params: TokenParams,
  body: shape.members({ overlap_ms: shape.maybe(shape.Overlap) }),
  response: WithSecret,
  failures: { token_expired: 0 },
  handle: ({ subject: customer, caller, params, body }, deps) =>
    rotateToken(deps, { customer, caller }, { id: params.token_id, overlapMs: body.overlap_ms ?? 0 }),
})

const revoke = endpoint({
  name: 'v1.tokens.revoke',
  summary: 'Revoke a token',
  description:
    'Revokes a token permanently and removes it from the list. Its streams and long-running requests end within a second. Resources it created are not affected.',
  method: 'POST',
  path: '/v1/tokens/:token_id/revoke',
  auth: 'customer',
  scope: 'tokens:write',
  event: 'token_revoked',
  filtersByProject: true,
  params: TokenParams,
  response: shape.Done,
  async handle({ subject: customer, caller, params }, deps) {
    return (await revokeToken(deps, { customer, caller }, params.token_id)) ?? {}
  },
})

const exchange = endpoint({
  name: 'v1.tokens.exchange',
  summary: 'Exchange a command-line code for a token',
  description:
    "Use this in programs that run on the user's machine. Generate a verifier of 43 to 128 random characters, listen on a port of 127.0.0.1, and open `/dashboard/#/command-line?name=…&scopes=…&port=…&state=…&code_challenge=…` in the browser, where `code_challenge` is the SHA-256 hash of the verifier in base64url. When the user approves, the browser is redirected to your port with `code` and `state`. A code can be exchanged once, within a minute, and only together with its verifier.",
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
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'code from the redirect',
    }),
    code_verifier: Type.String({
      minLength: 43,
      maxLength: 128,
      pattern: '^[\\w.~-]+$',
      description: 'verifier that the code challenge was created from',
    }),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: WithSecret,
  failures: { code_gone: 0, too_many_tokens: 1 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? exchangeCode(deps, body),
})

export const tokens: readonly Endpoint[] = [list, create, get, edit, rotate, revoke, exchange]
