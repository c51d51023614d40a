/** Which service a command asks, and what opens it there. */

import { type Connection, connect, isServiceError, v1MeRevoke } from '@scriptward/sdk'
import { Fault, NOT_ALLOWED, noService, UNAVAILABLE, usage } from '../faults.ts'
import type { ProjectSettings } from '../source/project-file.ts'
import { type Credential, type Credentials, readCredentials } from './credentials.ts'

const LOCAL = 'http://127.0.0.1:8080'

type Env = Readonly<Record<string, string | undefined>>

export type Wanted = {
  readonly env: Env
  /** `--url`. */
  readonly url: string | undefined
  readonly settings: ProjectSettings | undefined
}

/** An address without a slash at its end. */
export async function addressOf({ env, url, settings }: Wanted): Promise<string> {
  const given =
    url || env.SCRIPTWARD_URL || settings?.service || (await readCredentials(env)).current || LOCAL
  return readAddress(given)
}

function readAddress(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw usage(`'${text}' is not an address: give one such as https://ward.example.com or ${LOCAL}.`)
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** The first that is set counts. The others are former names, which no document has any more. */
export const TOKEN_VARIABLES = ['SCRIPTWARD_TOKEN', 'SCRIPTWARD_KEY', 'SCRIPTWARD_API_KEY'] as const

/** What opens a service, and where it came from. */
export type Found = {
  readonly token: string
  readonly from: (typeof TOKEN_VARIABLES)[number] | 'login'
  /** Of `login`. */
  readonly credential?: Credential
}

/**
 * Of the environment or of `login`. A token of the environment goes only to an address that was given with it, or to
 * this machine: otherwise the file of somebody's repository could have it sent elsewhere.
 */
export async function findToken(address: string, wanted: Wanted): Promise<Found> {
  const { env } = wanted
  const from = TOKEN_VARIABLES.find((name) => env[name]) ?? 'SCRIPTWARD_TOKEN'
  const token = env[from]
  if (token) {
    if (wanted.url || env.SCRIPTWARD_URL || isLoopback(address)) return { token: token.trim(), from }
    throw usage(
      `${from} is set, but not for which service: set SCRIPTWARD_URL too, or give --url ${address}.`,
    )
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

/** Whether only this machine reaches the address. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

export type OpenConnection = { readonly token?: string; readonly signal: AbortSignal }

/** Every request ends with the command. */
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

/** A redirect would take the token elsewhere and make another request of a change. */
function expectService(answer: Response, url: string): Response {
  const { ok, status, headers } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    throw new Fault(
      UNAVAILABLE,
      `${url} leads on to ${new URL(location, url).origin}: give that address instead.`,
    )
  if (ok && !headers.get('content-type')?.startsWith('application/json'))
    throw new Fault(UNAVAILABLE, noService(url))
  return answer
}

/** For what must not be left half done, also after Ctrl-C. */
export const LAST_MS = 30_000

/** Ends a token. One that counts no more has ended already. */
export async function revokeOwn(url: string, token: string): Promise<void> {
  const client = openConnection(url, { token, signal: AbortSignal.timeout(LAST_MS) })
  await v1MeRevoke({ client, throwOnError: true }).catch((error) => {
    if (!isServiceError(error, 'unauthorized')) throw error
  })
}
