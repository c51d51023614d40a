/** Relays the WebSocket frames of a proxy, records them, and lets tests tamper with them. */
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import WebSocket, { WebSocketServer } from 'ws'

export type Side = 'client' | 'server'
export type Frame = { readonly from: Side; readonly text: string }

/** Returns the frames to send instead of the received frame, in order. */
export type Attack = (frame: Frame) => readonly string[]

export class FrameRelay {
  readonly frames: Frame[] = []
  /** Number of opened connections. */
  connections = 0
  attack: Attack = ({ text }) => [text]
  readonly #target: string
  readonly #server = new WebSocketServer({ noServer: true })

  /** `target` is the URL of the server. */
  constructor(target: string) {
    this.#target = target.replace(/^http/, 'ws')
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#server.handleUpgrade(request, socket, head, (near) => {
        this.connections += 1
        void this.#join(near, new WebSocket(this.#target + request.url))
      }),
    )
  }

  close(): void {
    for (const near of this.#server.clients) near.terminate()
  }

  async #join(near: WebSocket, far: WebSocket): Promise<void> {
    const early: string[] = []
    const keep = (data: unknown) => void early.push(String(data))
    near.on('message', keep)
    await once(far, 'open')
    near.off('message', keep)
    this.#pass({ from: 'client', source: near, sink: far })
    this.#pass({ from: 'server', source: far, sink: near })
    for (const text of early) near.emit('message', text)
  }

  #pass({ from, source, sink }: { from: Side; source: WebSocket; sink: WebSocket }): void {
    source.on('error', () => {})
    source.on('message', (data) => {
      const frame = { from, text: String(data) }
      this.frames.push(frame)
      for (const text of this.attack(frame)) if (sink.readyState === sink.OPEN) sink.send(text)
    })
    source.on('close', (code) => (code >= 4000 ? sink.close(code) : sink.terminate()))
  }
}
