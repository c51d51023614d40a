/** What a request shows of who sends it: an API key or a token, or the cookie of a sign-in. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../api/endpoint.ts'
import type { Refused } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import type { Credential } from '../features/access/credential.ts'
import { cookieOf } from '../features/people/endpoints/own-cookie.ts'

/** An API key or a token that the service made. */
const CREDENTIAL = /^swt?_[A-Za-z0-9]{20,}$/

type Asking = Pick<Endpoint, 'auth' | 'method' | 'changes'>

/**
 * The credential from where an endpoint of this kind takes it, but for the body; whether it is valid is not asked here. A
 * path and the member `api_key` carry an API key only, as the interface says.
 */
export function findCredential(
  config: Config,
  { auth, changes }: Asking,
  { headers, params, query }: FastifyRequest,
): Credential | Refused | undefined {
  if (auth === 'none' || auth === 'client') return undefined
  if (auth === 'customerByPathKey') return keyOf((params as Readonly<Record<string, string>>).api_key)
  const token = tokenOf(headers)
  if (token !== undefined) return credentialOf(token)
  const key = auth === 'account' ? apiKeyIn(query) : undefined
  return keyOf(key) ?? (changes ? undefined : cookieOf(config, headers))
}

/** The API key or token as it was sent in a header. */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { token, authorization } = headers
  if (typeof token === 'string') return token
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** The parameters of the path as a message may repeat them: without the credential, which somebody may send as an id. */
export function shownParams({
  headers,
  params,
  query,
}: Pick<FastifyRequest, 'headers' | 'params' | 'query'>): object {
  const own = [tokenOf(headers), apiKeyIn(query)]
  // A path that cannot be decoded has none.
  const given = (params ?? {}) as Readonly<Record<string, string>>
  const shown = Object.entries(given).map(
    ([name, value]) => [name, own.includes(value) || CREDENTIAL.test(value) ? '…' : value] as const,
  )
  return Object.fromEntries(shown)
}

/** The key in a query or a body, where the interface calls it a parameter. */
export function apiKeyIn(members: unknown): string | undefined {
  if (typeof members !== 'object' || members === null || !Object.hasOwn(members, 'api_key')) return undefined
  const { api_key } = members as { api_key: unknown }
  return typeof api_key === 'string' ? api_key : undefined
}

export function keyOf(text: string | undefined): Credential | undefined {
  return text === undefined ? undefined : { kind: 'key', text }
}

function credentialOf(text: string): Credential {
  return { kind: text.startsWith('swt_') ? 'token' : 'key', text }
}
