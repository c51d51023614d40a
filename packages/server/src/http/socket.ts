/**
 * The only file that knows the WebSocket library: takes connections over from the HTTP server, holds them to time and
 * size, and hands texts to the domain. What the texts mean is in `domain/connect.ts` and `protocol/session-socket.ts`.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import {
  AUTH_MS,
  CLOSE_CODES,
  type CloseReason,
  MAX_FRAME_CHARACTERS,
} from '@scriptward/client/live-messages'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { Deps } from '../deps.ts'
import { connect } from '../domain/connect.ts'
import type { SessionSocket, Wire } from '../protocol/session-socket.ts'

export const SOCKET_PATH = '/client/v1/ws'

export type Upgrade = { readonly socket: Socket; readonly head: Buffer }

/** What the library refuses by itself is closed with its own codes, so its bound lies beyond ours. */
const LIBRARY_LIMITS = {
  maxPayload: 2 * MAX_FRAME_CHARACTERS,
  maxFragments: 64,
  closeTimeout: 5000,
  perMessageDeflate: false,
  // Frames are ASCII, which opening them finds out.
  skipUTF8Validation: true,
}

export function isSocketRequest({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === SOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** What all connections share. */
type Host = {
  readonly deps: Deps
  readonly failed: (thrown: unknown) => void
  /** Those that have not said who they are; the others are sessions, which are closed as such. */
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

  /** `failed` is told what went wrong while somebody was let in; he is closed with "try again later". */
  constructor(deps: Deps, failed: (thrown: unknown) => void) {
    this.#host = { deps, failed, unknown: new Set() }
  }

  accept(request: IncomingMessage, { socket, head }: Upgrade): void {
    this.#server.handleUpgrade(request, socket, head, (connection) => connection.begin(this.#host, socket))
  }

  close(): void {
    for (const connection of this.#host.unknown) connection.close(CLOSE_CODES.restart)
    this.#server.close()
  }
}

type State = SessionSocket | 'expected' | 'opening' | 'refused'

/**
 * One of many thousands that are idle: it takes what the library tells by its one method for that instead of holding a
 * function for each event. The first text says who it is; until that is settled none may follow.
 */
class SessionConnection extends WebSocket implements Wire {
  #host: Host | undefined
  #socket: Socket | undefined
  #session: State = 'expected'
  #tooLate: NodeJS.Timeout | undefined

  begin(host: Host, socket: Socket): void {
    this.#host = host
    this.#socket = socket
    host.unknown.add(this)
    this.#tooLate = setTimeout(() => this.#close('timeout'), AUTH_MS)
  }

  /** Nobody else listens, and an error that is not heard would end the process: the library closes what breaks its rules. */
  override emit(event: string | symbol, ...told: unknown[]): boolean {
    const host = this.#host
    if (host === undefined) return false
    if (event === 'message') this.#hear(host, told[0] as RawData, told[1] as boolean)
    if (event === 'ping' || event === 'pong') this.#spend(host)
    if (event === 'close') this.#closed(host)
    return true
  }

  carry(text: string): void {
    this.send(text)
  }

  end(code: number, last?: string): void {
    // Both leave in one write, which is most of what the end of thousands costs.
    this.#socket?.cork()
    if (last !== undefined) this.send(last)
    this.close(code)
    this.#socket?.uncork()
  }

  get waiting(): number {
    return this.bufferedAmount
  }

  #hear(host: Host, data: RawData, isBinary: boolean): void {
    if (isBinary) return void this.#close('bad_frame')
    const text = textOf(data)
    const session = this.#session
    if (typeof session === 'object') return void session.receive(text, host.deps.now())
    if (session === 'opening') return void this.#close('bad_frame')
    if (session === 'refused' || this.readyState !== WebSocket.OPEN) return
    if (text.length > MAX_FRAME_CHARACTERS) return void this.#close('too_large')
    this.#open(host, text).catch((thrown: unknown) => {
      host.failed(thrown)
      this.#close('overloaded')
    })
  }

  async #open(host: Host, text: string): Promise<void> {
    this.#session = 'opening'
    const outcome = await connect(host.deps, text, this)
    this.#known(host)
    this.#session = typeof outcome === 'string' ? 'refused' : outcome
    if (typeof outcome === 'string') return void this.#close(outcome)
    if (this.readyState !== WebSocket.OPEN) outcome.closed(host.deps.now())
  }

  #known({ unknown }: Host): void {
    unknown.delete(this)
    clearTimeout(this.#tooLate)
    this.#tooLate = undefined
  }

  #spend({ deps }: Host): void {
    if (typeof this.#session === 'object') this.#session.spend(deps.now())
  }

  #closed(host: Host): void {
    this.#known(host)
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
