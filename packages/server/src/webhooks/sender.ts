/**
 * Sends messages in a thread of its own: a connection for each message is a signature, a TLS handshake and a lot of short-lived objects, for
 * all of which whoever asks something of the service would wait.
 */
import type { KeyObject } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { AddressRules } from './address.ts'
import type { Send, SendOutcome } from './request.ts'
import type { Given, Order, Sent } from './sender-thread.ts'
import type { Unsigned } from './sign.ts'

export type Sender = {
  readonly send: Send<Unsigned>
  /** Gives up what is under way; nothing is to be sent afterwards. */
  stop(): Promise<void>
}

const THREAD = new URL('./sender-thread.ts', import.meta.url)

/** A message is rejected when its thread ends before it has told what came back; the next one has a new thread. */
export class ThreadSender implements Sender {
  readonly #given: Given
  readonly #waiting = new Map<number, PromiseWithResolvers<SendOutcome>>()
  #last = 0
  #thread: Worker | undefined

  constructor({ webhookAllowCidr, webhookAllowHttp, webhookChatHosts }: AddressRules, privateKey: KeyObject) {
    this.#given = { rules: { webhookAllowCidr, webhookAllowHttp, webhookChatHosts }, privateKey }
  }

  send(message: Unsigned): Promise<SendOutcome> {
    const waiting = Promise.withResolvers<SendOutcome>()
    this.#last += 1
    this.#waiting.set(this.#last, waiting)
    this.#thread ??= this.#start()
    const order: Order = { id: this.#last, message }
    this.#thread.postMessage(order)
    return waiting.promise
  }

  async stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    this.#endAll(({ resolve }) => resolve({ error: 'the service was stopped' }))
    await thread?.terminate()
  }

  /** With the first message: a service that sends none holds neither the thread nor the libraries of it. */
  #start(): Worker {
    const thread = new Worker(THREAD, { workerData: this.#given })
    thread.unref()
    thread.on('message', ({ id, outcome }: Sent) => this.#take(id)?.resolve(outcome))
    thread.on('error', (error: Error) => this.#end(thread, error))
    thread.on('exit', () => this.#end(thread, new Error('the thread that sends webhooks ended')))
    return thread
  }

  #take(id: number): PromiseWithResolvers<SendOutcome> | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #end(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#endAll(({ reject }) => reject(error))
  }

  #endAll(settle: (waiting: PromiseWithResolvers<SendOutcome>) => void): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const waiting of all) settle(waiting)
  }
}
