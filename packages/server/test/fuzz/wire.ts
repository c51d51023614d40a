/** Sends requests verbatim: paths are not normalized, and only the headers required by HTTP are added. */
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Received } from './verdict.ts'

/** Timeout for a hung request. */
const MAX_MS = 240_000
/** How long to read streaming responses, which would continue until the reader disconnects. */
const GLANCE_MS = 20

export type Outgoing = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #port: string

  constructor(serverUrl: string) {
    this.#port = new URL(serverUrl).port
  }

  send({ method, path, headers, body }: Outgoing): Promise<Received> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: { ...headers, ...length },
      })
      sent.setTimeout(MAX_MS, () => sent.destroy(new Error('there is no answer')))
      sent.on('error', reject)
      sent.on('response', (message) => read(message).then(resolve, reject))
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function read(message: IncomingMessage): Promise<Received> {
  const { statusCode: status = 0, headers } = message
  const isEndless = headers['content-type']?.startsWith('text/event-stream') ?? false
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    const done = () => resolve({ status, headers, text: Buffer.concat(chunks).toString() })
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', done)
    message.on('error', reject)
    message.on('close', () => (isEndless ? done() : reject(new Error('the answer broke off'))))
    if (isEndless) setTimeout(() => message.destroy(), GLANCE_MS)
  })
}
