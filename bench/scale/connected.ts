/**
 * Simulates a script with a session, which behaves like `packages/client/lua/session.lua`. It exchanges real
 * encrypted frames and reconnects after a disconnect.
 */
import WebSocket from 'ws'
import {
  type DirectionKeys,
  formatNumbered,
  openFrame,
  sealFrame,
  wsAad,
  wsKeys,
} from '../../packages/client/src/live.ts'
import { PING_MS, type ServerFrame } from '../../packages/client/src/live-messages.ts'
import { seal } from '../../packages/client/src/wire.ts'
import type { Instance } from '../sessions-server.ts'
import { type Tally, wordsOf } from './tally.ts'

export type Line = {
  readonly url: string
  /**
   * The connection's source address. The simulation needs several addresses, because each has a limited
   * number of ports.
   */
  readonly localAddress: string
  /** IP address of the client, as the proxy reports it. */
  readonly address: string
  readonly tally: Tally
}

const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
const PATIENCE_MS = 10_000
const QUIET_MS = 2.5 * PING_MS

type Talk = { readonly ws: WebSocket; readonly keys: DirectionKeys; sent: number; received: number }

export class ConnectedScript {
  readonly #exec: string
  readonly #key: Buffer
  readonly #line: Line
  #epoch = 0
  #sid: string | undefined
  #failures = 0
  #lostAt: number | undefined
  #talk: Talk | undefined
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false
  #ready: () => void = () => {}

  constructor({ exec, ws }: Instance, line: Line) {
    this.#exec = exec
    this.#key = Buffer.from(ws, 'hex')
    this.#line = line
  }

  /** Resolves when the session is established. */
  start(): Promise<void> {
    this.#connect()
    return new Promise((resolve) => {
      this.#ready = resolve
    })
  }

  get state(): 'waits' | 'well' | 'failing' | 'ended' {
    if (this.#hasEnded) return 'ended'
    if (this.#lostAt !== undefined) return 'failing'
    return this.#sid === undefined ? 'waits' : 'well'
  }

  #connect(): void {
    this.#epoch += 1
    const { url, localAddress, address } = this.#line
    const ws = new WebSocket(`${url.replace('http', 'ws')}/client/v1/ws`, {
      perMessageDeflate: false,
      localAddress,
      headers: { 'x-forwarded-for': address },
    })
    const talk: Talk = { ws, keys: wsKeys(this.#key, this.#epoch), sent: 1, received: 0 }
    this.#talk = talk
    this.#expectWithin(PATIENCE_MS)
    ws.on('open', () => ws.send(this.#first(talk)))
    ws.on('message', (data) => this.#accept(talk, String(data)))
    ws.on('error', (error) => this.#drop(talk, wordsOf(error)))
    ws.on('close', (code) => this.#drop(talk, `closed with ${code}`))
  }

  #first({ keys }: Talk): string {
    const auth = JSON.stringify({ t: 'auth', ...(this.#sid !== undefined && { resume: this.#sid }) })
    const box = seal(keys.c2s, 1, wsAad('c', this.#exec), auth)
    return formatNumbered({ exec: this.#exec, n: this.#epoch, box })
  }

  #accept(talk: Talk, text: string): void {
    if (talk !== this.#talk) return
    talk.received += 1
    const opened = openFrame(talk.keys.s2c, wsAad('s', this.#exec), talk.received, text)
    if (opened) this.#obey(talk, JSON.parse(opened.toString()) as ServerFrame)
    else this.#drop(talk, 'a frame does not open')
  }

  #obey(talk: Talk, frame: ServerFrame): void {
    this.#line.tally.heard += 1
    this.#expectWithin(QUIET_MS)
    if (frame.t === 'ready') this.#begin(frame.sid, frame.resumed)
    if (frame.t === 'ping') this.#send(talk, { t: 'pong', n: frame.n })
    if (frame.t === 'cmd') this.#send(talk, { t: 'res', id: frame.id, ok: true, data: { heard: frame.key } })
    if (frame.t === 'kick') this.#end(frame.reason)
  }

  #begin(sid: string, isResumed: boolean): void {
    if (this.#lostAt !== undefined) {
      const ms = performance.now() - this.#lostAt
      this.#line.tally.isBack({ ms, silentMs: ms, isResumed })
    }
    this.#sid = sid
    this.#lostAt = undefined
    this.#failures = 0
    this.#ready()
  }

  #send(talk: Talk, frame: object): void {
    talk.sent += 1
    talk.ws.send(sealFrame(talk.keys.c2s, wsAad('c', this.#exec), talk.sent, JSON.stringify(frame)))
  }

  #expectWithin(ms: number): void {
    clearTimeout(this.#timer)
    const talk = this.#talk
    this.#timer = setTimeout(() => talk && this.#drop(talk, 'silent'), ms)
  }

  #drop(talk: Talk, words: string): void {
    if (talk !== this.#talk || this.#hasEnded) return
    this.#talk = undefined
    clearTimeout(this.#timer)
    talk.ws.terminate()
    this.#line.tally.failed(words)
    if (this.#sid !== undefined) this.#lostAt ??= performance.now()
    const pause = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0
    this.#failures += 1
    setTimeout(() => this.#connect(), pause * (0.8 + Math.random() * 0.4))
  }

  #end(reason: string): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#talk?.ws.close()
    this.#line.tally.stopped(reason)
  }
}
