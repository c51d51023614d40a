/** Chooses a command's server and token. */

import { type Connection, connect, isServiceError, v1MeRevoke } from '@scriptward/sdk'
import { Fault, NOT_ALLOWED, noService, UNAVAILABLE, usage } from '../faults.ts'
import type { ProjectSettings } from '../source/project-file.ts'
import { type Credential, type Credentials, readCredentials } from './credentials.ts'

const LOCAL = 'http://127.0.0.1:8080'

type Env = Readonly<Record<string, string | undefined>>

export type Wanted = {
  readonly env: Env
  /** The value of `--url`. */
  readonly url: string | undefined
  readonly settings: ProjectSettings | undefined
}

/** The result has no trailing slash. */
export async function addressOf({ env, url, settings }: Wanted): Promise<string> {
  const given =
    url || env.SCRIPTWARD_URL || settings?.service || (await readCredentials(env)).current || LOCAL
  return readAddress(given)
}

function readAddress(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw usage(`'${text}' is not a URL. Pass one such as https://ward.example.com or ${LOCAL}.`)
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/**
 * Environment variables for the token, in order of precedence. All except the first are old names, which
 * still work but are no longer documented.
 */
export const TOKEN_VARIABLES = ['SCRIPTWARD_TOKEN', 'SCRIPTWARD_KEY', 'SCRIPTWARD_API_KEY'] as const

/** A token and its source. */
export type Found = {
  readonly token: string
  readonly from: (typeof TOKEN_VARIABLES)[number] | 'login'
  /** Set for tokens from `scriptward login`. */
  readonly credential?: Credential
}

/**
 * Finds a token in the environment or from `scriptward login`. A token from the environment is sent only to
 * this machine or to a URL from `--url` or the environment. Otherwise, the `scriptward.json` of a cloned
 * repository could redirect it to another server.
 */
export async function findToken(address: string, wanted: Wanted): Promise<Found> {
  const { env } = wanted
  const from = TOKEN_VARIABLES.find((name) => env[name]) ?? 'SCRIPTWARD_TOKEN'
  const token = env[from]
  if (token) {
    if (wanted.url || env.SCRIPTWARD_URL || isLoopback(address)) return { token: token.trim(), from }
    throw usage(`${from} is set without a server URL. Set SCRIPTWARD_URL too, or pass --url ${address}.`)
  }
  const credential = credentialFor(address, await readCredentials(env))
  if (credential !== undefined) return { token: credential.token, from: 'login', credential }
  throw new Fault(
    NOT_ALLOWED,
    `You are not signed in to ${address}. Run 'scriptward login --url ${address}', or set SCRIPTWARD_URL and SCRIPTWARD_TOKEN.`,
  )
}

export function credentialFor(address: string, { services }: Credentials): Credential | undefined {
  return Object.hasOwn(services, address) ? services[address] : undefined
}

export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

export type OpenConnection = { readonly token?: string; readonly signal: AbortSignal }

/** Aborting the signal cancels every request of the connection. */
export function openConnection(baseUrl: string, { token, signal }: OpenConnection): Connection {
  return connect({
    baseUrl,
    ...(token === undefined ? {} : { apiKey: token }),
    fetch: async (request, init) => {
      const own = init?.signal ?? (request instanceof Request ? request.signal : undefined)
      const signals = { signal: own ? AbortSignal.any([signal, own]) : signal }
      return expectService(await fetch(request, { ...init, ...signals, redirect: 'manual' }), baseUrl)
    },
  })
}

/**
 * Treats redirects as errors: following one could send the token to another host, and would turn a POST into
 * a GET.
 */
function expectService(answer: Response, url: string): Response {
  const { ok, status, headers } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    throw new Fault(
      UNAVAILABLE,
      `${url} redirects to ${new URL(location, url).origin}. Pass that URL instead.`,
    )
  if (ok && !headers.get('content-type')?.startsWith('application/json'))
    throw new Fault(UNAVAILABLE, noService(url))
  return answer
}

/** Time limit for cleanup requests, which continue after Ctrl-C. */
export const LAST_MS = 30_000

/** Also succeeds if the token was already invalid. */
export async function revokeOwn(url: string, token: string): Promise<void> {
  const client = openConnection(url, { token, signal: AbortSignal.timeout(LAST_MS) })
  await v1MeRevoke({ client, throwOnError: true }).catch((error) => {
    if (!isServiceError(error, 'unauthorized')) throw error
  })
}
