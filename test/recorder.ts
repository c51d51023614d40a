/** A local proxy between a client and the server that records traffic and can replace responses. */
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { FrameRelay } from './frame-relay.ts'

export type Recorded = {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly status: number
  readonly answer: string
}

/**
 * Returns the response to send instead of the server's response, or undefined to send the server's response.
 */
export type Replace = (url: string, answer: string) => string | undefined

type Sent = { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer }
type Answered = { status: number; headers: IncomingHttpHeaders; answer: Buffer }

export class Recorder {
  readonly exchanges: Recorded[] = []
  /** Number of upcoming responses from `/exec` to drop by closing the connection. */
  loses = 0
  readonly sessions: FrameRelay
  readonly #target: string
  readonly #server: Server

  constructor(target: string, replace: Replace = () => undefined) {
    this.#target = target
    this.sessions = new FrameRelay(target)
    this.#server = createServer(async (incoming, outgoing) => {
      const { method = 'GET', url = '/', headers } = incoming
      const body = await readAll(incoming)
      const { status, headers: answered, answer } = await this.#forward({ method, url, headers, body })
      const given = answer.toString('latin1')
      const text = replace(url, given) ?? given
      this.exchanges.push({ method, url, body: body.toString('latin1'), status, answer: text })
      if (url.includes('/exec') && this.loses-- > 0) return void incoming.socket.destroy()
      delete answered['content-length']
      outgoing.writeHead(status, answered).end(text, 'latin1')
    })
  }

  async listen(): Promise<this> {
    this.sessions.attach(this.#server)
    await listenOnFreePort(this.#server)
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.sessions.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Keeps the client's Host header, as a reverse proxy does, so that the client returns to this proxy. */
  #forward({ method, url, headers, body }: Sent): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const onward = request(this.#target + url, { method, headers }, async (reply) => {
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, answer: await readAll(reply) })
      })
      onward.on('error', reject)
      onward.end(body)
    })
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
