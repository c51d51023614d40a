/** Which service a command asks, and what opens it there. */

import { type Connection, connect } from '@scriptward/sdk'
import { type Credentials, readCredentials } from './credentials.ts'
import { Fault, NOT_ALLOWED, usage } from './faults.ts'
import type { ProjectSettings } from './project-file.ts'

export const LOCAL = 'http://127.0.0.1:8080'

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

export function readAddress(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw usage(`'${text}' is not an address: give one such as https://ward.example.com or ${LOCAL}.`)
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/**
 * Of the environment or of `login`. A token of the environment goes only to an address that was given with it, or to
 * this machine: otherwise the file of somebody's repository could have it sent elsewhere.
 */
export async function tokenFor(address: string, wanted: Wanted): Promise<string> {
  const { env } = wanted
  const token = env.SCRIPTWARD_TOKEN || env.SCRIPTWARD_KEY
  if (token) {
    if (wanted.url || env.SCRIPTWARD_URL || isLoopback(address)) return token.trim()
    throw usage(
      `SCRIPTWARD_TOKEN is set, but not for which service: set SCRIPTWARD_URL too, or give --url ${address}.`,
    )
  }
  const found = credentialFor(address, await readCredentials(env))
  if (found !== undefined) return found
  throw new Fault(
    NOT_ALLOWED,
    `You are not signed in to ${address}. Run 'scriptward login --url ${address}', or set SCRIPTWARD_URL and SCRIPTWARD_TOKEN.`,
  )
}

function credentialFor(address: string, { services }: Credentials): string | undefined {
  return Object.hasOwn(services, address) ? services[address]?.token : undefined
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

export type OpenConnection = { readonly token?: string; readonly signal: AbortSignal }

/** Every request ends with the command. */
export function openConnection(baseUrl: string, { token, signal }: OpenConnection): Connection {
  return connect({
    baseUrl,
    ...(token === undefined ? {} : { apiKey: token }),
    fetch: (request, init) => {
      const own = init?.signal ?? (request instanceof Request ? request.signal : undefined)
      return fetch(request, { ...init, signal: own ? AbortSignal.any([signal, own]) : signal })
    },
  })
}
