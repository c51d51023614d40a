/** Endpoints that let users approve a token for the command line on their machine. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { allowCommandLine } from '../../access/command-lines.ts'
import { tokenMembers } from '../../access/endpoints.ts'

const allow = endpoint({
  name: 'v1.auth.commandLine',
  summary: 'Authorize a command-line client',
  description:
    "Called by the page `/dashboard/#/command-line` after the user has approved the request. Returns a URL on the user's machine, `http://127.0.0.1:port/`, with a single-use code that is valid for a minute. The program listening there exchanges the code for a token at `/v1/tokens/exchange`, using its verifier. The token can't exceed the user's own permissions.",
  example: {
    body: {
      name: 'Command line on ada-laptop',
      scopes: ['scripts:read', 'scripts:write'],
      port: 49_152,
      state: 'bm90IGEgc2VjcmV0IHN0YXRl',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    },
  },
  method: 'POST',
  path: '/v1/auth/command-line',
  auth: 'person',
  scope: 'tokens:write',
  requiresRecentAuth: true,
  body: shape.members({
    ...tokenMembers,
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'port that the program listens on' }),
    state: Type.String({
      minLength: 16,
      maxLength: 128,
      pattern: '^[\\w-]+$',
      description: 'random value chosen by the program and returned to it for comparison',
    }),
    code_challenge: Type.String({
      minLength: 43,
      maxLength: 43,
      pattern: '^[\\w-]+$',
      description: 'SHA-256 hash of the verifier in base64url (RFC 7636, S256)',
    }),
  }),
  response: Type.Object({
    success: shape.Yes,
    redirect_to: Type.String({
      description: 'URL to redirect the browser to',
      examples: ['http://127.0.0.1:49152/?code=q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c&state=…'],
    }),
  }),
  failures: { too_many_tokens: 0 },
  async handle({ subject, caller, body }, deps) {
    const { port, state, projects = null, networks = null, expires_at = null, ...rest } = body
    const allowed = { ...rest, projects, networks, expires_at }
    const code = await allowCommandLine(deps, subject, { caller, allowed })
    if (code instanceof Refused) return code
    return { redirect_to: `http://127.0.0.1:${port}/?${new URLSearchParams({ code, state })}` }
  },
})

export const commandLine: readonly Endpoint[] = [allow]
