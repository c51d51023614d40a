// Simulates the server after a grant, for tests of the loader: heartbeats, end messages and sessions. It
// depends only on live.ts. Tests choose its responses, and it records everything that it receives.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { lockKey, sealLease } from '../src/leases.ts'
import * as live from '../src/live.ts'
import {
  type AuthFrame,
  type BeatAccepted,
  type BeatAnswer,
  type BeatAsk,
  type ChangingVariables,
  type ErrorReport,
  type Kick,
  kick,
  readBeat,
  type ServerFrame,
  type SessionCall,
} from '../src/live-messages.ts'
import type { ProbeAnswer } from '../src/probe.ts'
import { open, type SessionKeys, seal, toB64u } from '../src/wire.ts'

/**
 * How the peer treats a heartbeat: an `unheard` heartbeat never reaches the server, and the response to a
 * `lost` heartbeat never reaches the client.
 */
export type BeatChoice = 'unheard' | 'lost' | Kick | { next?: number; vars?: ChangingVariables }

export interface LiveScene {
  beat: (n: number) => BeatChoice
  /** Delay until the next heartbeat, sent in responses that accept a heartbeat. */
  next: number
  /** Whether to accept the WebSocket with this number. */
  admit: (count: number) => boolean
  /** Runs the server's side of an established session until it ends or closes. */
  session: (session: PeerSession) => unknown
  /** Whether `ready` contains the payload's key. */
  payloadKey: boolean
  /** Whether to respond to heartbeats as if the run had been copied. */
  copied: boolean
  /** Service key of the version, for heartbeats that request locks. */
  serviceKey: Buffer | undefined
  /** Milliseconds until the key of a requested lock is available; 0 if it is available now. */
  leaseIn: ((lock: number) => number) | undefined
  /** Whether sessions accept calls. */
  calls: boolean
  /** Whether sessions accept error reports. */
  errors: boolean
  /** Handles a call over a session. */
  call: (session: PeerSession, call: SessionCall) => void
  /** Answers a server function call. */
  answer: (ask: BeatAsk) => BeatAnswer
}

interface Run {
  readonly exec: string
  readonly keys: SessionKeys
  beatKey: Uint8Array
  n: number
  kept: { body: string; answer: string } | undefined
  sid: string
  epoch: number
}

type Said = Pick<LivePeer['beats'][number], 'up' | 'q' | 'm' | 'a' | 'e' | 'p'>

export interface Answer {
  readonly status: number
  readonly text: string
}

export class LivePeer {
  readonly scene: LiveScene = freshScene()
  /** Bodies of heartbeats in order of arrival, including repeated ones. */
  readonly beats: {
    readonly n: number
    readonly body: string
    readonly up: number
    readonly q?: number[]
    readonly m?: unknown[]
    readonly a?: BeatAsk[]
    readonly e?: ErrorReport[]
    readonly p?: ProbeAnswer
  }[] = []
  readonly ends: string[] = []
  /** Error reports from heartbeats, end messages and sessions, in order of arrival. */
  readonly errors: ErrorReport[] = []
  /** Host functions, as reported with heartbeats and end messages. */
  readonly probes: ProbeAnswer[] = []
  readonly sessions: PeerSession[] = []
  connections = 0
  readonly #runs = new Map<string, Run>()
  readonly #sockets = new WebSocketServer({ noServer: true })

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      this.connections++
      if (!this.scene.admit(this.connections)) {
        socket.end('HTTP/1.1 503 Busy\r\n\r\n')
        return
      }
      this.#sockets.handleUpgrade(request, socket, head, (ws) =>
        ws.once('message', (text) => this.#begin({ ws, socket }, `${text}`)),
      )
    })
  }

  reset(): void {
    Object.assign(this.scene, freshScene())
    this.beats.length = 0
    this.ends.length = 0
    this.errors.length = 0
    this.probes.length = 0
    this.sessions.length = 0
    this.connections = 0
  }

  start(exec: string, keys: SessionKeys): void {
    const sid = toB64u(randomBytes(16))
    this.#runs.set(exec, { exec, keys, beatKey: keys.beat, n: 0, kept: undefined, sid, epoch: 0 })
  }

  beat(body: string): Answer {
    const beat = live.parseNumbered(body)
    const run = typeof beat === 'string' ? undefined : this.#runs.get(beat.exec)
    if (typeof beat === 'string' || !run) return { status: 400, text: 'beat' }
    if (run.kept?.body === body) {
      this.beats.push({ n: beat.n, body, up: -1 })
      return { status: 200, text: run.kept.answer }
    }
    const keys = live.beatKeys(run.beatKey)
    const aad = live.beatAad(run.exec, beat.n)
    const text = open(keys.c2s, 0, aad, beat.box)
    if (beat.n !== run.n + 1 || !text) return { status: 400, text: 'stale' }
    const said = JSON.parse(text.toString()) as Said
    this.beats.push({ n: beat.n, body, ...said })
    this.#takeErrors(text)
    if (this.scene.copied) {
      const copied = JSON.stringify({ ok: false, n: beat.n, kick: kick('token_reuse') })
      return { status: 200, text: `lp1.${toB64u(seal(keys.s2c, live.COPIED_COUNTER, aad, copied))}` }
    }
    const choice = this.scene.beat(this.beats.length)
    if (choice === 'unheard') return { status: 502, text: '' }
    const reply = this.#reply(run, beat.n, said, choice)
    const answer = `lp1.${toB64u(seal(keys.s2c, 0, aad, JSON.stringify(reply)))}`
    run.kept = { body, answer }
    return choice === 'lost' ? { status: 502, text: '' } : { status: 200, text: answer }
  }

  end(body: string): Answer {
    const end = live.parseNumbered(body)
    const run = typeof end === 'string' ? undefined : this.#runs.get(end.exec)
    if (typeof end === 'string' || !run) return { status: 400, text: 'end' }
    const keys = live.beatKeys(run.beatKey)
    const aad = live.endAad(run.exec, end.n)
    const text = open(keys.c2s, live.END_COUNTER, aad, end.box)
    if (!text) return { status: 400, text: 'box' }
    this.ends.push(run.exec)
    this.#takeErrors(text)
    return { status: 200, text: `lp1.${toB64u(seal(keys.s2c, live.END_COUNTER, aad, '{"ok":true}'))}` }
  }

  /** Parses a message as the server does, and rejects any message that doesn't match the documentation. */
  #takeErrors(text: Uint8Array): void {
    const said = readBeat(text)
    if (!said) throw new Error(`invalid: ${Buffer.from(text)}`)
    this.errors.push(...(said.e ?? []))
    if (said.p) this.probes.push(said.p)
  }

  #reply(run: Run, n: number, { q = [], a }: Said, choice: BeatChoice): object {
    if (typeof choice === 'object' && 'code' in choice) return { ok: false, n, kick: choice }
    const r = randomBytes(16)
    run.beatKey = live.nextBeatKey(run.beatKey, r)
    run.n = n
    const changes = typeof choice === 'object' ? choice : {}
    const { next } = this.scene
    const reply: BeatAccepted = {
      ok: true,
      n,
      r: toB64u(r),
      st: Date.now(),
      seconds_left: null,
      next,
      ...changes,
      ...(a ? { answers: a.map(this.scene.answer) } : {}),
    }
    const { serviceKey } = this.scene
    if (serviceKey === undefined || q.length === 0) return reply
    const seal = { exec: run.exec, leaseKey: run.keys.lease, r }
    const wait = this.scene.leaseIn?.(q[0] ?? 0) ?? 0
    if (wait > 0) return { ...reply, lease_in: wait }
    const boxes = q.map((lock) => [lock, toB64u(sealLease(seal, lock, lockKey(serviceKey, lock)))])
    return { ...reply, leases: Object.fromEntries(boxes) }
  }

  #begin(connection: Connection, text: string): void {
    const { ws } = connection
    const first = live.parseNumbered(text)
    const run = typeof first === 'string' ? undefined : this.#runs.get(first.exec)
    if (typeof first === 'string' || !run || first.n <= run.epoch) {
      ws.close(4401)
      return
    }
    const keys = live.wsKeys(run.keys.ws, first.n)
    const opened = open(keys.c2s, 1, live.wsAad('c', run.exec), first.box)
    if (!opened) {
      ws.close(4401)
      return
    }
    run.epoch = first.n
    const auth = JSON.parse(opened.toString()) as AuthFrame
    const session = new PeerSession(connection, this.scene, { exec: run.exec, keys, auth })
    const more = {
      ...(this.scene.payloadKey ? { pk: toB64u(run.keys.payload) } : {}),
      ...(this.scene.calls ? { calls: true } : {}),
      ...(this.scene.errors ? { errors: true } : {}),
    }
    session.send({ t: 'ready', sid: run.sid, ping: 25_000, resumed: auth.resume === run.sid, ...more })
    this.sessions.push(session)
    void this.#play(session)
  }

  /**
   * Ignores a closed session: a host under load can lose a connection, and a script can end early. The test
   * then checks the script's output.
   */
  async #play(session: PeerSession): Promise<void> {
    try {
      await this.scene.session(session)
    } catch (error) {
      if (!(error instanceof SessionClosed)) throw error
    }
  }
}

/** Thrown if the session closes before the awaited frame arrives. */
class SessionClosed extends Error {}

type Connection = { readonly ws: WebSocket; readonly socket: Duplex }

type Client = { readonly exec: string; readonly keys: live.DirectionKeys; readonly auth: AuthFrame }

export class PeerSession {
  readonly ws: WebSocket
  readonly scene: LiveScene
  readonly auth: AuthFrame
  /** Decrypted frames from the client, in order. */
  readonly frames: { readonly t: string; readonly id?: string; readonly [member: string]: unknown }[] = []
  /** Encrypted frames that were sent, in order. */
  readonly sent: string[] = []
  closed: number | undefined
  readonly #socket: Duplex
  readonly #exec: string
  readonly #keys: live.DirectionKeys
  #received = 1
  #waiting: (() => void)[] = []

  constructor({ ws, socket }: Connection, scene: LiveScene, { exec, keys, auth }: Client) {
    this.ws = ws
    this.scene = scene
    this.#socket = socket
    this.auth = auth
    this.#exec = exec
    this.#keys = keys
    ws.on('message', (text) => this.#receive(`${text}`))
    ws.on('close', (code) => {
      this.closed = code
      this.#wake()
    })
  }

  seal(frame: ServerFrame | object): string {
    const counter = this.sent.length + 1
    const text = live.sealFrame(this.#keys.s2c, live.wsAad('s', this.#exec), counter, JSON.stringify(frame))
    this.sent.push(text)
    return text
  }

  send(frame: ServerFrame | object): void {
    this.ws.send(this.seal(frame))
  }

  /**
   * Sends all frames of the callback in a single write. Otherwise, if the client closed before all of them
   * arrived, the client's close reason would be lost.
   */
  together(send: () => void): void {
    this.#socket.cork()
    send()
    this.#socket.uncork()
  }

  command(id: number, key: string, data?: unknown): void {
    this.send({ t: 'cmd', id: `${id}`, key, data, ttl: 60_000 })
  }

  /** Waits for the first frame that meets the condition, including earlier frames. */
  async until(
    condition: (frame: PeerSession['frames'][number]) => boolean,
  ): Promise<PeerSession['frames'][number]> {
    for (;;) {
      const found = this.frames.find(condition)
      if (found) return found
      if (this.closed !== undefined) throw new SessionClosed(`closed with ${this.closed}`)
      await this.#change()
    }
  }

  async result(id: number): Promise<PeerSession['frames'][number]> {
    return this.until((frame) => frame.t === 'res' && frame.id === `${id}`)
  }

  async end(): Promise<number> {
    while (this.closed === undefined) await this.#change()
    return this.closed
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #receive(text: string): void {
    this.#received++
    const opened = live.openFrame(this.#keys.c2s, live.wsAad('c', this.#exec), this.#received, text)
    if (!opened) {
      this.ws.close(4400)
      return
    }
    const frame = JSON.parse(opened.toString())
    this.frames.push(frame)
    if (frame.t === 'call') this.scene.call(this, frame)
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

function freshScene(): LiveScene {
  return {
    beat: () => ({}),
    next: 200,
    admit: () => true,
    session: () => {},
    payloadKey: false,
    copied: false,
    serviceKey: undefined,
    leaseIn: undefined,
    calls: false,
    errors: true,
    call: (session, { id, a }) => session.send({ t: 'answer', id, ...session.scene.answer(a) }),
    answer: ([, value]) => ({ value }),
  }
}
