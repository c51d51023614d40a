/**
 * A running instance from its client's perspective: the heartbeat ratchet and the connections, built on the
 * client role of the wire package. It sends exactly what the test specifies, even if no loader would.
 */
import { once } from 'node:events'
import {
  beatAad,
  beatKeys,
  COPIED_COUNTER,
  END_COUNTER,
  endAad,
  formatNumbered,
  nextBeatKey,
  openFrame,
  sealFrame,
  wsAad,
  wsKeys,
} from '@scriptward/client/live'
import { type BeatReply, LIVE_LOADER_BUILD, type ServerFrame } from '@scriptward/client/live-messages'
import type { Grant, Hello } from '@scriptward/client/messages'
import { fromB64u, open, openPayload, type SessionKeys, seal, sessionKeys } from '@scriptward/client/wire'
import WebSocket from 'ws'
import { unpack } from '../../src/features/builds/lz4.ts'
import { helloFor, openAnswer, type Plain, type ProtocolClient } from './client.ts'

const CAPS = { ws: true, raw: false, lz4: true, buffer: false, post: true, max_body: 65_536 }
export const LIVE: Partial<Hello> = { lb: LIVE_LOADER_BUILD, caps: CAPS }

/** Runs a script as a loader with heartbeats and sessions would. Throws if the run is denied. */
export async function run(
  client: ProtocolClient,
  scriptId: string,
  changes: Partial<Hello> = {},
  headers: Record<string, string> = {},
): Promise<Running> {
  const hello = helloFor(scriptId, { ...LIVE, ...changes })
  const { body, keys } = await client.request(await client.boot(scriptId), hello)
  const answer = await client.post('/exec', body, headers)
  const { reply } = openAnswer(keys, answer)
  if (!reply.ok) throw new Error(`denied: ${reply.reason}`)
  return new Running(client, reply, sessionKeys(keys.prk, bytes(reply.gn)), answer.text)
}

export class Running {
  readonly grant: Grant
  readonly keys: SessionKeys
  readonly client: ProtocolClient
  readonly #answer: string
  /** The ratchet state after the last answered heartbeat, and that heartbeat's number. */
  state: Buffer
  n = 0
  epoch = 0

  constructor(client: ProtocolClient, grant: Grant, keys: SessionKeys, answer: string) {
    this.client = client
    this.grant = grant
    this.keys = keys
    this.#answer = answer
    this.state = keys.beat
  }

  get exec(): string {
    return this.grant.exec
  }

  /** A copy that continues from the same state, as a copied process would. */
  copy(): Running {
    const copied = new Running(this.client, this.grant, this.keys, this.#answer)
    return Object.assign(copied, { state: this.state, n: this.n, epoch: this.epoch })
  }

  /** Returns a heartbeat's body, by default the next heartbeat's. */
  beatBody(up = 1, { n = this.n + 1, state = this.state, more = {} } = {}): string {
    const { exec } = this
    const box = seal(beatKeys(state).c2s, 0, beatAad(exec, n), JSON.stringify({ up, ...more }))
    return formatNumbered({ exec, n, box })
  }

  send(body: string, path: 'beat' | 'end' = 'beat'): Promise<Plain> {
    return this.client.post(`/${path}`, body)
  }

  /** Decrypts the response to the next heartbeat without advancing. */
  open(text: string, counter = 0, { n = this.n + 1, state = this.state } = {}): BeatReply {
    const box = fromB64u(text.replace(/^lp1\./, ''))
    const opened = box && open(beatKeys(state).s2c, counter, beatAad(this.exec, n), box)
    if (!opened) throw new Error(`the answer does not open: ${text.slice(0, 300)}`)
    return JSON.parse(opened.toString()) as BeatReply
  }

  openCopied(text: string): BeatReply {
    return this.open(text, COPIED_COUNTER)
  }

  /** Sends a heartbeat and advances. */
  async beat(up = 1): Promise<BeatReply> {
    return this.accept((await this.send(this.beatBody(up))).text)
  }

  accept(text: string): BeatReply {
    const reply = this.open(text)
    if (reply.ok) {
      this.state = nextBeatKey(this.state, bytes(reply.r))
      this.n += 1
    }
    return reply
  }

  /**
   * The response to a heartbeat in one word: `ok`, the reason for a kick, or the type of an unencrypted
   * error.
   */
  async verdict(): Promise<string> {
    const { status, text } = await this.send(this.beatBody())
    if (status !== 200) return (JSON.parse(text) as { error: { type: string } }).error.type
    const reply = this.accept(text)
    return reply.ok ? 'ok' : reply.kick.reason
  }

  endBody(n = this.n + 1, state = this.state, more = {}): string {
    const text = JSON.stringify({ up: 2, ...more })
    const box = seal(beatKeys(state).c2s, END_COUNTER, endAad(this.exec, n), text)
    return formatNumbered({ exec: this.exec, n, box })
  }

  /** Connects with the next epoch. `auth` holds fields of the first frame. */
  async connect(url: string, auth: object = {}): Promise<Socket> {
    this.epoch += 1
    return Socket.open(url, this, { epoch: this.epoch, auth })
  }

  /** Decrypts the script with a key from a frame. */
  openScript(pk: string): string {
    const { exec, payload } = this.grant
    const block = openPayload(bytes(pk), exec, 0, bytes(this.#answer.split('.')[2] ?? ''))
    if (!block) throw new Error('the payload does not open')
    return unpack(block, payload.size)
  }
}

type Opening = { readonly epoch: number; readonly auth: object }
type Waiter = { readonly type: string; readonly resolve: (frame: ServerFrame) => void }

/**
 * A connection that decrypts every frame from the server in order, and keeps the frames that the test has not
 * yet waited for.
 */
export class Socket {
  readonly ws: WebSocket
  readonly frames: ServerFrame[] = []
  readonly closed: Promise<number>
  readonly #waiters: Waiter[] = []
  readonly #exec: string
  readonly #keys: ReturnType<typeof wsKeys>
  #in = 1
  #out = 2

  static async open(url: string, running: Running, { epoch, auth }: Opening): Promise<Socket> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/client/v1/ws`)
    const socket = new Socket(ws, running, epoch)
    await once(ws, 'open')
    ws.send(firstFrame(running, epoch, auth))
    return socket
  }

  constructor(ws: WebSocket, running: Running, epoch: number) {
    this.ws = ws
    this.#exec = running.exec
    this.#keys = wsKeys(running.keys.ws, epoch)
    this.closed = once(ws, 'close').then(([code]) => code as number)
    ws.on('error', () => {})
    ws.on('message', (data) => this.#take(String(data)))
  }

  /** Returns the next frame of this type, waiting for the frame if necessary. */
  frame<T extends ServerFrame['t']>(type: T): Promise<Extract<ServerFrame, { t: T }>> {
    const at = this.frames.findIndex((frame) => frame.t === type)
    if (at >= 0) return Promise.resolve(this.frames.splice(at, 1)[0] as Extract<ServerFrame, { t: T }>)
    return new Promise((resolve) =>
      this.#waiters.push({ type, resolve: resolve as (frame: ServerFrame) => void }),
    )
  }

  /** Encrypts this frame with the next counter, without sending it. */
  seal(frame: object): string {
    return sealFrame(this.#keys.c2s, wsAad('c', this.#exec), this.#out++, JSON.stringify(frame))
  }

  send(frame: object): void {
    this.ws.send(this.seal(frame))
  }

  #take(text: string): void {
    const opened = openFrame(this.#keys.s2c, wsAad('s', this.#exec), this.#in, text)
    if (!opened) throw new Error('a frame of the server does not open')
    this.#in += 1
    const frame = JSON.parse(opened.toString()) as ServerFrame
    const at = this.#waiters.findIndex(({ type }) => type === frame.t)
    if (at < 0) this.frames.push(frame)
    else this.#waiters.splice(at, 1)[0]?.resolve(frame)
  }
}

/** Returns the close code that the server uses for a connection whose first message is `first`. */
export async function closeCodeAfter(url: string, first: string | Buffer): Promise<number> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/client/v1/ws`)
  await once(ws, 'open')
  ws.send(first)
  const [code] = (await once(ws, 'close')) as [number]
  return code
}

export function firstFrame({ exec, keys }: Running, epoch: number, auth: object = {}): string {
  const text = JSON.stringify({ t: 'auth', ...auth })
  const box = seal(wsKeys(keys.ws, epoch).c2s, 1, wsAad('c', exec), text)
  return formatNumbered({ exec, n: epoch, box })
}

function bytes(text: string): Buffer {
  const decoded = fromB64u(text)
  if (!decoded) throw new Error('not base64url')
  return decoded
}
