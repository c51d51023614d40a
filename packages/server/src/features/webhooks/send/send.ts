/**
 * Sends one message to one URL and returns the response: limited in time and size, pinned to a checked IP
 * address, without redirects, proxies or keep-alive. `features/webhooks/retry.ts` decides when to retry.
 */

import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { type AddressRules, hostOf, isBlocked, isPrivate, readAddress } from './address.ts'
import { BlockedHost, type Resolve, type ResolvedAddress, resolveHost } from './resolve.ts'

export type Message = {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Reply = {
  readonly status: number
  /** The first 64 KiB of the response body. */
  readonly text: string
  readonly headers: IncomingHttpHeaders
}
/** `error` is for the webhook's owner and reveals nothing about the operator's network. */
export type SendOutcome = Reply | { readonly error: string }
/** Sends a message. Resolves with an error if `stopped` aborts first. Never rejects. */
export type Send<M = Message> = (message: M, stopped?: AbortSignal) => Promise<SendOutcome>

export type Sending = {
  readonly rules: AddressRules
  readonly resolve: Resolve
  readonly totalMs?: number
  readonly connectMs?: number
}

const TOTAL_MS = 15_000
const CONNECT_MS = 5000
const MAX_BYTES = 65_536
const STOPPED = 'the server was stopped'

export function sender({ rules, resolve, totalMs = TOTAL_MS, connectMs = CONNECT_MS }: Sending): Send {
  return async (message, stopped) => {
    const url = readAddress(message.address, rules)
    if (typeof url === 'string') return { error: `the address ${url}` }
    if (stopped?.aborted) return { error: STOPPED }
    const ending = new AbortController()
    const stop = (reason: string) => ending.abort(new Error(reason))
    const giveUp = () => stop(STOPPED)
    stopped?.addEventListener('abort', giveUp)
    const total = setTimeout(stop, totalMs, `no complete response within ${totalMs / 1000} s`)
    const connect = setTimeout(stop, connectMs, `no connection within ${connectMs / 1000} s`)
    try {
      const addresses = await abortable(resolveHost(hostOf(url), rules, resolve), ending.signal)
      const agent = agentFor(url, addresses, rules)
      return await exchange({ url, message, agent }, ending.signal, () => clearTimeout(connect))
    } catch (error) {
      return { error: describeError(error, ending.signal) }
    } finally {
      clearTimeout(total)
      clearTimeout(connect)
      stopped?.removeEventListener('abort', giveUp)
    }
  }
}

type Call = {
  readonly url: URL
  readonly message: Message
  readonly agent: Agent
}

function exchange(call: Call, signal: AbortSignal, onConnected: () => void): Promise<Reply> {
  const { url, message, agent } = call
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const body = Buffer.from(message.body)
    const headers = { ...message.headers, 'content-length': body.length, connection: 'close' }
    const sent = request(url, { method: 'POST', headers, agent, signal }, (response) =>
      readText(response).then((text) => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
        sent.destroy()
      }, reject),
    )
    sent.on('socket', (socket) =>
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Uses a separate agent for each message. The agent checks the IP addresses again when it connects. */
function agentFor(url: URL, addresses: readonly ResolvedAddress[], rules: AddressRules): Agent {
  const allowIPAddressList = addresses
    .map(({ address }) => address)
    .filter((address) => isPrivate(address) && !isBlocked(address, rules))
  const options = { allowIPAddressList, allowMetaIPAddress: false, lookup: pinned(addresses) }
  return url.protocol === 'https:'
    ? new RequestFilteringHttpsAgent(options)
    : new RequestFilteringHttpAgent(options)
}

/**
 * Returns a lookup function that resolves to the checked IP addresses, so that the name can't resolve to
 * others a moment later.
 */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Stops reading at the limit. A longer response still counts. */
async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8')
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

/** Omits IP addresses and ports, because a name may resolve to an address on the operator's own network. */
function describeError(error: unknown, signal: AbortSignal): string {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason.message
  if (error instanceof BlockedHost) return error.message
  const { code = '' } = error as NodeJS.ErrnoException
  return FAILURES[code] ?? (code.startsWith('HPE_') ? 'the response was not HTTP' : tlsOrNetwork(code))
}

const FAILURES: Readonly<Record<string, string>> = {
  '': 'the host name could not be resolved',
  ENOTFOUND: 'the host name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the host could not be reached',
}

function tlsOrNetwork(code: string): string {
  return /CERT|TLS|SSL|SIGNED|ISSUER/.test(code)
    ? `TLS error (${code}): check the host's certificate`
    : `the connection failed (${code})`
}
