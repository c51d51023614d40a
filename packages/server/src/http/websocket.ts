/**
 * Handles the WebSockets of sessions, separately from Fastify: upgrades them, limits the size of their
 * messages and the time until they authenticate, and passes on the messages. `features/sessions/connect.ts`
 * and `protocol/sessions/socket.ts` handle the messages.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import {
  AUTH_MS,
  CLOSE_CODES,
  type CloseReason,
  MAX_FRAME_CHARACTERS,
} from '@scriptward/client/live-messages'
import type { Logger } from 'pino'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { Refused } from '../api/refusals.ts'
import type { Deps } from '../deps.ts'
import { limitAddress } from '../features/abuse/attempts.ts'
import { connect } from '../features/sessions/connect.ts'
import type { SessionSocket, Wire } from '../protocol/sessions/socket.ts'
import { logFailure, requestIdOf } from './log.ts'
import { endSpan, RequestSpans } from './request-spans.ts'
import { commonHeaders, refuseThrown, writeRefusal } from './respond.ts'

const SOCKET_PATH = '/client/v1/ws'

/** The library closes connections with its own codes, so its limits are higher than ours. */
const LIBRARY_LIMITS = {
  maxPayload: 2 * MAX_FRAME_CHARACTERS,
  maxFragments: 64,
  closeTimeout: 5000,
  perMessageDeflate: false,
  // Frames are ASCII, which decryption verifies.
  skipUTF8Validation: true,
}

export function isSocketRequest({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === SOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** This is shared by all connections. */
type Host = {
  readonly deps: Deps
  readonly log: Logger
  /**
   * Connections that have not authenticated yet. All other connections are sessions, which are closed
   * separately.
   */
  readonly unknown: Set<SessionConnection>
}

export class SessionSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    WebSocket: SessionConnection,
    ...LIBRARY_LIMITS,
  })
  readonly #host: Host
  readonly #spans: RequestSpans
  readonly #isTrusted: (address: string, hop: number) => boolean

  constructor(deps: Deps, log: Logger) {
    this.#host = { deps, log, unknown: new Set() }
    this.#spans = new RequestSpans(deps.spans, deps.config)
    this.#isTrusted = proxyAddr.compile([...deps.config.trustProxy])
  }

  /** Upgrades a request to a WebSocket unless its IP address opens too many connections. */
  async accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const requestId = requestIdOf(request)
    const { headers } = request
    const span = this.#spans.begin({ method: 'GET', headers, route: SOCKET_PATH, id: requestId })
    const { traceId: trace_id } = span
    const log = this.#host.log.child({ request_id: requestId, ...(trace_id !== undefined && { trace_id }) })
    const start = performance.now()
    socket.on('error', destroySocket)
    const refused = await this.#admit(proxyAddr(request, this.#isTrusted), log)
    const status = refused?.status ?? 101
    endSpan(span, status)
    logUpgrade(log, status, performance.now() - start)
    if (refused !== undefined)
      return void socket.end(writeRefusal(refused, requestId, commonHeaders(this.#host.deps.config)))
    socket.off('error', destroySocket)
    this.#server.handleUpgrade(request, socket, head, (connection) => connection.begin(this.#host, socket))
  }

  close(): void {
    for (const connection of this.#host.unknown) connection.close(CLOSE_CODES.restart)
    this.#server.close()
  }

  async #admit(address: string, log: Logger): Promise<Refused | undefined> {
    try {
      return await limitAddress(this.#host.deps, 'connectAddress', address)
    } catch (thrown) {
      logFailure(log, { route: SOCKET_PATH, secrets: [] }, thrown)
      return refuseThrown(thrown)
    }
  }
}

/** The `ws` library handles errors after the upgrade. */
function destroySocket(this: Socket): void {
  this.destroy()
}

function logUpgrade(log: Logger, status: number, ms: number): void {
  const level = status < 400 ? 'debug' : 'info'
  log[level]({ method: 'GET', route: SOCKET_PATH, status, ms: Math.round(ms * 10) / 10 }, 'request')
}

type State = SessionSocket | 'expected' | 'opening' | 'refused'

/**
 * The process may have many thousands of idle connections, so each of them overrides `emit` instead of
 * registering a listener for each event. The first message authenticates the connection. Until authentication
 * completes, no other message may follow.
 */
class SessionConnection extends WebSocket implements Wire {
  #host: Host | undefined
  #socket: Socket | undefined
  #session: State = 'expected'
  #authTimer: NodeJS.Timeout | undefined

  begin(host: Host, socket: Socket): void {
    this.#host = host
    this.#socket = socket
    host.unknown.add(this)
    this.#authTimer = setTimeout(() => this.#close('timeout'), AUTH_MS)
  }

  /**
   * An error without a listener would end the process. The library closes a connection that violates the
   * protocol.
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    const host = this.#host
    if (host === undefined) return false
    if (event === 'message') this.#receive(host, args[0] as RawData, args[1] as boolean)
    if (event === 'ping' || event === 'pong') this.#spend(host)
    if (event === 'close') this.#closed(host)
    return true
  }

  carry(text: string): void {
    this.send(text)
  }

  end(code: number, last?: string): void {
    // Sends the last message and the close frame in one write, because writes account for most of the cost of
    // closing thousands of connections.
    this.#socket?.cork()
    if (last !== undefined) this.send(last)
    this.close(code)
    this.#socket?.uncork()
  }

  get waiting(): number {
    return this.bufferedAmount
  }

  #receive(host: Host, data: RawData, isBinary: boolean): void {
    if (isBinary) return void this.#close('bad_frame')
    const text = textOf(data)
    const session = this.#session
    if (typeof session === 'object') return void session.receive(text, host.deps.now())
    if (session === 'opening') return void this.#close('bad_frame')
    if (session === 'refused' || this.readyState !== WebSocket.OPEN) return
    if (text.length > MAX_FRAME_CHARACTERS) return void this.#close('too_large')
    this.#open(host, text).catch((thrown: unknown) => {
      logFailure(host.log, { route: SOCKET_PATH, secrets: [] }, thrown)
      this.#close('overloaded')
    })
  }

  async #open(host: Host, text: string): Promise<void> {
    this.#session = 'opening'
    const outcome = await connect(host.deps, text, this)
    this.#settle(host)
    this.#session = typeof outcome === 'string' ? 'refused' : outcome
    if (typeof outcome === 'string') return void this.#close(outcome)
    if (this.readyState !== WebSocket.OPEN) outcome.closed(host.deps.now())
  }

  #settle({ unknown }: Host): void {
    unknown.delete(this)
    clearTimeout(this.#authTimer)
    this.#authTimer = undefined
  }

  #spend({ deps }: Host): void {
    if (typeof this.#session === 'object') this.#session.spend(deps.now())
  }

  #closed(host: Host): void {
    this.#settle(host)
    if (typeof this.#session === 'object') this.#session.closed(host.deps.now())
  }

  #close(reason: CloseReason): void {
    this.close(CLOSE_CODES[reason])
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('latin1')
  return Buffer.isBuffer(data) ? data.toString('latin1') : Buffer.from(data).toString('latin1')
}
