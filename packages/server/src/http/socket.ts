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
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
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

export class SessionSockets {
  readonly #server = new WebSocketServer({ noServer: true, clientTracking: true, ...LIBRARY_LIMITS })
  readonly #deps: Deps
  readonly #failed: (thrown: unknown) => void

  /** `failed` is told what went wrong while somebody was let in; he is closed with "try again later". */
  constructor(deps: Deps, failed: (thrown: unknown) => void) {
    this.#deps = deps
    this.#failed = failed
  }

  accept(request: IncomingMessage, { socket, head }: Upgrade): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => hold(this.#deps, { ws, socket }, this.#failed))
  }

  /** Closes those too that have not said who they are. */
  close(): void {
    for (const ws of this.#server.clients) ws.close(CLOSE_CODES.restart)
    this.#server.close()
  }

  /** Whoever did not close until now. */
  terminate(): void {
    for (const ws of this.#server.clients) ws.terminate()
  }
}

/** A connection and what carries it. */
type Held = { readonly ws: WebSocket; readonly socket: Socket }

/** The first text says who it is; until that is settled none may follow. */
function hold(deps: Deps, held: Held, failed: (thrown: unknown) => void): void {
  const { ws } = held
  const wire = wireOf(held)
  const close = (reason: CloseReason) => ws.close(CLOSE_CODES[reason])
  let session: SessionSocket | 'expected' | 'opening' | 'refused' = 'expected'
  const tooLate = setTimeout(() => close('timeout'), AUTH_MS)
  const open = async (text: string) => {
    session = 'opening'
    const outcome = await connect(deps, text, wire)
    clearTimeout(tooLate)
    session = typeof outcome === 'string' ? 'refused' : outcome
    if (typeof outcome === 'string') return close(outcome)
    if (ws.readyState !== ws.OPEN) outcome.closed(deps.now())
  }
  ws.on('message', (data, isBinary) => {
    if (isBinary) return close('bad_frame')
    const text = textOf(data)
    if (typeof session === 'object') return session.receive(text, deps.now())
    if (session === 'opening') return close('bad_frame')
    if (session === 'refused' || ws.readyState !== ws.OPEN) return
    if (text.length > MAX_FRAME_CHARACTERS) return close('too_large')
    open(text).catch((thrown: unknown) => {
      failed(thrown)
      close('overloaded')
    })
  })
  const countControl = () => void (typeof session === 'object' && session.spend(deps.now()))
  ws.on('ping', countControl).on('pong', countControl)
  ws.on('close', () => {
    clearTimeout(tooLate)
    if (typeof session === 'object') session.closed(deps.now())
  })
  // The library closes what breaks its rules; unheard, the event would end the process.
  ws.on('error', () => {})
}

function wireOf({ ws, socket }: Held): Wire {
  return {
    send: (text) => ws.send(text),
    close: (code, last) => {
      // Both leave in one write, which is most of what the end of thousands costs.
      socket.cork()
      if (last !== undefined) ws.send(last)
      ws.close(code)
      socket.uncork()
    },
    get waiting() {
      return ws.bufferedAmount
    },
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('latin1')
  return Buffer.from(data as ArrayBuffer).toString('latin1')
}
