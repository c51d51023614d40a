/** A real receiver of webhooks on loopback, and the worker's rounds as a test wants them: one after the other. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sender } from '../../src/webhooks/request.ts'
import { dnsResolver } from '../../src/webhooks/resolve.ts'
import type { Sender } from '../../src/webhooks/sender.ts'
import { signedSend } from '../../src/webhooks/sign.ts'
import { type Delivering, type WebhookWorker, webhookWorker } from '../../src/workers/deliver-webhooks.ts'
import type { TestServer } from '../harness.ts'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON. */
  readonly body: Readonly<Record<string, unknown>>
}
export type Receiver = {
  readonly port: number
  /** Of the generic form. */
  readonly url: string
  /** Of the chat form, with {@link WEBHOOKS} as settings. */
  readonly chatUrl: string
  readonly received: readonly Received[]
  /** Ends the connections that are open. */
  cut(): void
  close(): Promise<void>
}
export type Answer = (received: Received, response: ServerResponse) => void

const CHAT_HOST = '127.0.0.9'
/** Settings under which a service reaches receivers on loopback. */
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

/** Answers by `answer`, which a test may replace by what this gives back. */
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

/** On every address of loopback. */
export async function listen(listener: RequestListener): Promise<Pick<Receiver, 'port' | 'cut' | 'close'>> {
  const server = createServer(listener).listen(0, '0.0.0.0')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** As a process that starts, sends what is due and ends would do it. */
export async function deliver(server: TestServer): Promise<void> {
  const failures: unknown[] = []
  const worker = workerOf(server, realSender(server), { failed: (error) => void failures.push(error) })
  await runAll(worker)
  await worker.close()
  if (failures.length > 0) throw failures[0]
}

/** Begins everything that is due. */
export async function runAll(worker: WebhookWorker): Promise<void> {
  while (await worker.run(new AbortController().signal));
}

/** Waits for what it sends for ever, unless told otherwise. */
export function workerOf(
  { deps }: TestServer,
  sender: Sender,
  changes: Partial<Delivering> = {},
): WebhookWorker {
  const given = {
    sender,
    failed: () => {},
    patience: () => new Promise<void>(() => {}),
    lull: async () => {},
  }
  return webhookWorker(deps, { ...given, ...changes })
}

/** Sends in the test's own thread, since a test may need hundreds of them. */
export function realSender({ deps }: TestServer): Sender {
  const { privateKey } = deps.protocol.keyring.webhookSigning
  const send = sender({ rules: deps.config, resolve: dnsResolver(deps.config) })
  return { send: signedSend(send, privateKey), stop: async () => {} }
}
