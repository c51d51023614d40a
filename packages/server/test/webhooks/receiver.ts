/** Starts a real webhook receiver on loopback, and runs the delivery worker one round at a time. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import {
  type WebhookJob,
  type WebhookWorker,
  webhookWorker,
} from '../../src/features/webhooks/deliver-webhooks.ts'
import { dnsResolver } from '../../src/features/webhooks/send/resolve.ts'
import { type Send, sender } from '../../src/features/webhooks/send/send.ts'
import { signedSend, type Unsigned } from '../../src/features/webhooks/send/sign.ts'
import type { TestServer } from '../harness.ts'
import { listenOnFreePort } from '../ports.ts'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body parsed as JSON. */
  readonly body: Readonly<Record<string, unknown>>
}
export type Receiver = {
  readonly port: number
  /** URL for the generic format. */
  readonly url: string
  /** URL for the Discord format, if {@link WEBHOOKS} are the settings. */
  readonly chatUrl: string
  readonly received: readonly Received[]
  /** Closes the open connections. */
  cut(): void
  close(): Promise<void>
}
export type Answer = (received: Received, response: ServerResponse) => void

const CHAT_HOST = '127.0.0.9'
/** Settings that let a server reach receivers on loopback. */
export const WEBHOOKS = {
  webhookAllowCidr: ['127.0.0.0/8'],
  webhookAllowHttp: true,
  webhookChatHosts: [CHAT_HOST],
  webhookSecret: 'master-secret-of-the-tests',
} as const

export const ok: Answer = (_received, response) => void response.end('fine')
export const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Answer =>
  (_received, response) =>
    void response.writeHead(code, headers).end(text)

/** Starts a receiver that responds with `answer`. A test can replace `answer` on the returned receiver. */
export async function startReceiver(first: Answer = ok): Promise<Receiver & { answer(next: Answer): void }> {
  let answer = first
  const received: Received[] = []
  const { port, cut, close } = await listen((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
      received.push(one)
      answer(one, response)
    })
  })
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    chatUrl: `http://${CHAT_HOST}:${port}/api/webhooks/1/token`,
    received,
    cut,
    close,
    answer: (next) => {
      answer = next
    },
  }
}

/** Listens on every loopback address. */
export async function listen(listener: RequestListener): Promise<Pick<Receiver, 'port' | 'cut' | 'close'>> {
  const server = createServer(listener)
  return {
    port: await listenOnFreePort(server, '0.0.0.0'),
    cut: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Simulates a process that starts, sends due events and stops. */
export async function deliver(server: TestServer): Promise<void> {
  const failures: unknown[] = []
  const worker = workerOf(server, realSend(server), { failed: (error) => void failures.push(error) })
  await runAll(worker)
  await worker.close()
  if (failures.length > 0) throw failures[0]
}

/** Starts every due delivery. */
export async function runAll(worker: WebhookWorker): Promise<void> {
  while (await worker.run(new AbortController().signal));
}

/** Waits for deliveries indefinitely, unless `changes` sets `patience`. */
export function workerOf(
  { deps }: TestServer,
  send: Send<Unsigned>,
  changes: Partial<WebhookJob> = {},
): WebhookWorker {
  const patience = () => new Promise<void>(() => {})
  return webhookWorker(deps, { send, failed: () => {}, patience, ...changes })
}

/** On a busy machine, a connection may take longer than the server allows. */
export const PATIENT = { totalMs: 120_000, connectMs: 120_000 } as const

/** Sends over real sockets, as the server does, but more patiently. */
export function realSend({ deps }: TestServer): Send<Unsigned> {
  const send = sender({ rules: deps.config, resolve: dnsResolver(deps.config), ...PATIENT })
  return signedSend(send, deps.secrets.webhooks.signing.privateKey)
}
