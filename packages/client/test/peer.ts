// Simulates the server of the client protocol on a real loopback port, for tests of the loader. It depends
// only on wire.ts, makes no decisions, and records what it receives.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { compressSync } from 'lz4-napi'
import {
  type LoaderFileRecord,
  type LoaderRecord,
  loaderCore,
  packCore,
  renderLoader,
  renderLoaderFile,
} from '../src/bundle.ts'
import { readHelloBytes } from '../src/hello.ts'
import { type CacheUse, type Code, renderReadingLoader, renderWritingLoader } from '../src/kept-code.ts'
import {
  type BootRecord,
  type Denial,
  type Grant,
  type Hello,
  MAX_INLINE_CHARACTERS,
} from '../src/messages.ts'
import { formatRawReply } from '../src/raw-reply.ts'
import * as wire from '../src/wire.ts'
import { LivePeer } from './live-peer.ts'

export interface Exchange {
  readonly method: string
  readonly url: string
  readonly agent: string
  readonly body: string
  readonly answer: string
}

/** Settings that a test can change for later runs. */
export interface Scene {
  /** A chunk of the form `return function(ward, ...) end`. */
  script: string
  /** Fields to change in the grant, or a denial to send instead. */
  decide: (hello: Hello) => Partial<Grant> | Denial
  /** Response of `/boot`. */
  boot: (record: BootRecord) => string
  /** Modifies the encrypted response of `/exec`. */
  tamper: (answer: string) => string
  /** Responds to the next `times` requests to `/exec` with this status, in plain text. */
  refuse: { status: number; times: number }
  unpacked: boolean
  /** Whether loaders that can handle bytes receive them instead of text. */
  raw: boolean
  chunkBytes: number | undefined
  /** Code that hosts with files cache; if undefined, the loader in `core` is used. */
  code: Code | undefined
}

export interface TlsFiles {
  readonly key: Buffer
  readonly cert: Buffer
}

export const SCRIPT_ID = 'scr_test'
export const PROJECT_ID = 'prj_test'

export class Peer {
  readonly exchanges: Exchange[] = []
  readonly hellos: Hello[] = []
  readonly scene: Scene = freshScene()
  readonly live = new LivePeer()
  /** The loader's code without its record, either packed or as source. */
  core = packCore(loaderCore())
  readonly #static = wire.staticKey(randomBytes(32))
  /** Key pair that signs boot records; a test may replace it. */
  signing = wire.ed25519Pair(randomBytes(32))
  readonly #bootMaster = randomBytes(32)
  readonly #spent = new Set<string>()
  readonly #chunks = new Map<string, string[]>()
  readonly #server: Server
  readonly #scheme: string

  constructor(tls?: TlsFiles) {
    const listener: RequestListener = async (request, response) => {
      const body = await readBody(request)
      const { status, text } = this.#answer(request, body)
      const bytes = this.scene.raw && status === 200 ? this.#bytes(request, text) : undefined
      const { method = '', url = '' } = request
      this.exchanges.push({ method, url, agent: request.headers['user-agent'] ?? '', body, answer: text })
      response.writeHead(status, { 'content-type': 'text/plain' }).end(bytes ?? text)
    }
    this.#scheme = tls ? 'https' : 'http'
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener)
    this.live.attach(this.#server)
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Restores the default grant and clears everything recorded. */
  reset(changes: Partial<Scene> = {}): void {
    Object.assign(this.scene, freshScene(), changes)
    this.exchanges.length = 0
    this.hellos.length = 0
    this.live.reset()
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  bootRecord(urls: readonly string[] = [this.url], expires = Date.now() + 60_000): BootRecord {
    const boot = wire.makeBootId(this.#bootMaster, { nonce: randomBytes(12), scriptId: SCRIPT_ID, expires })
    const ephemeral = wire.bootEphemeral(this.#bootMaster, boot)
    return wire.signBootRecord(this.signing.privateKey, {
      v: 1,
      kid: this.#static.kid,
      boot: wire.toB64u(boot),
      ek: wire.toB64u(ephemeral.publicKey),
      seed: wire.toB64u(randomBytes(32)),
      st: Date.now(),
      sv: 1,
      minlb: 1,
      pv: [1],
      urls,
    })
  }

  get #record(): LoaderRecord {
    const keys = { [this.#static.kid]: wire.toB64u(this.#static.publicKey) }
    return { project_id: PROJECT_ID, script_id: SCRIPT_ID, keys }
  }

  loader(boot: BootRecord = this.bootRecord(), changes: Partial<LoaderRecord> = {}): string {
    return renderLoader(this.core, boot, { ...this.#record, ...changes })
  }

  /** Returns a loader for hosts that cache its code. */
  cachedLoader(use: CacheUse, code: Code = { loader: this.core }): string {
    const boot = this.bootRecord()
    if (use === 'write') return renderWritingLoader(boot, this.#record, code)
    const urls = [`${this.url}/loader?rt=any&`]
    return renderReadingLoader(boot, this.#record, { ...code, urls, random: randomBytes })
  }

  /** Returns a loader file with this server's keys. */
  file(changes: Partial<LoaderFileRecord> = {}): string {
    const pins = [wire.toB64u(this.signing.publicKey)]
    const record = { ...this.#record, urls: [this.url], pins, ...changes }
    return renderLoaderFile(packCore(loaderCore('any', 'file')), record)
  }

  #answer(request: IncomingMessage, body: string): { status: number; text: string } {
    const url = new URL(request.url ?? '', this.url)
    const [, path, exec = '', n = ''] = url.pathname.split('/')
    if (path === 'loader') return { status: 200, text: this.#loaderFor(url.searchParams.get('cache')) }
    if (path === 'boot') return { status: 200, text: this.scene.boot(this.bootRecord()) }
    if (path === 'chunk') return { status: 200, text: this.#chunks.get(exec)?.[Number(n) - 1] ?? '' }
    const sent = request.method === 'GET' ? (url.searchParams.get('b') ?? '') : body
    if (path === 'exec') return this.#exec(sent)
    if (path === 'beat') return this.live.beat(sent)
    if (path === 'end') return this.live.end(sent)
    return { status: 404, text: '' }
  }

  #loaderFor(use: string | null): string {
    const { code } = this.scene
    if (use === 'read' || use === 'write') return this.cachedLoader(use, code)
    return this.loader(undefined, code?.interpreter === undefined ? {} : { interpreter: code.interpreter })
  }

  /** Converts a text response for a loader that requested bytes. */
  #bytes({ url = '', headers }: IncomingMessage, text: string): Buffer | undefined {
    if (headers.accept !== 'application/octet-stream') return undefined
    const [, reply = '', payload] = text.split('.')
    const [box, rest] = [reply, payload].map((one) => (one ? wire.fromB64u(one) : undefined))
    if (url.startsWith('/chunk/')) return box
    if (!url.startsWith('/exec') || !this.hellos.at(-1)?.caps.raw) return undefined
    return box && formatRawReply(box, rest)
  }

  #exec(body: string): { status: number; text: string } {
    const { refuse, tamper } = this.scene
    if (refuse.times-- > 0) return { status: refuse.status, text: '{"success":false}' }
    const request = wire.parseExec(body)
    if (typeof request === 'string') return { status: 400, text: request }
    const id = wire.checkBootId(this.#bootMaster, request.boot, Date.now())
    if (typeof id === 'string') return { status: 409, text: id }
    if (this.#spent.has(id.nonce)) return { status: 409, text: 'boot_reused' }
    this.#spent.add(id.nonce)
    const ephemeral = wire.bootEphemeral(this.#bootMaster, request.boot)
    const keys = wire.serverHandshake(this.#static, ephemeral, request.boot, request.ep)
    const text = keys && wire.open(keys.c2s, 0, keys.h, request.box)
    if (!text) return { status: 400, text: 'box' }
    const hello = readHelloBytes(text)
    if (!('pv' in hello)) return { status: 400, text: `${hello.member} ${hello.mend}` }
    this.hellos.push(hello)
    return { status: 200, text: tamper(this.#reply(keys, hello)) }
  }

  #reply(keys: wire.HandshakeKeys, hello: Hello): string {
    const changes = this.scene.decide(hello)
    if (changes.ok === false) return wire.sealReply(keys, changes as Denial)
    const gn = randomBytes(32)
    const exec = wire.toB64u(randomBytes(16))
    const source = Buffer.from(this.scene.script)
    const packed = this.scene.unpacked ? source : compressSync(source).subarray(4)
    const session = wire.sessionKeys(keys.prk, gn)
    const key = session.payload
    this.live.start(exec, session)
    const chunks = this.#seal(key, exec, packed)
    const grant = { ...grantOf(hello, exec, gn), ...(changes as Partial<Grant>) }
    const payload = { mode: 'inline', kind: 'source', z: this.scene.unpacked ? 'none' : 'lz4' } as const
    const size = { len: packed.length, chunks, size: source.length }
    const reply: Grant = { ...grant, payload: { ...payload, ...size, ...grant.payload } }
    if (chunks > 0) return wire.sealReply(keys, { ...reply, payload: { ...reply.payload, mode: 'chunks' } })
    return wire.sealReply(keys, reply, wire.sealPayload(key, exec, 0, packed))
  }

  /** Returns the number of chunks; 0 if the payload is sent inline. */
  #seal(key: Buffer, exec: string, packed: Buffer): number {
    const size = this.scene.chunkBytes ?? (packed.length > MAX_INLINE_CHARACTERS / 2 ? 262_144 : undefined)
    if (size === undefined) return 0
    const chunks: string[] = []
    for (let from = 0; from < packed.length; from += size) {
      const part = packed.subarray(from, from + size)
      chunks.push(`lp1.${wire.toB64u(wire.sealPayload(key, exec, chunks.length + 1, part))}`)
    }
    this.#chunks.set(exec, chunks)
    return chunks.length
  }
}

function freshScene(): Scene {
  return {
    script: 'return function(ward, ...) print("ran") end',
    decide: () => ({}),
    boot: JSON.stringify,
    tamper: (answer) => answer,
    refuse: { status: 0, times: 0 },
    unpacked: false,
    raw: false,
    chunkBytes: undefined,
    code: undefined,
  }
}

type PlainGrant = Omit<Grant, 'payload'> & { readonly payload?: Grant['payload'] }

function grantOf(hello: Hello, exec: string, gn: Buffer): PlainGrant {
  return {
    ok: true,
    exec,
    gn: wire.toB64u(gn),
    st: Date.now(),
    script: { id: hello.script, name: 'test script', version: 7 },
    vars: {
      is_premium: true,
      executions: 3,
      chat_id: null,
      seconds_left: null,
      note: 'a note',
      script_name: 'test script',
      supports_sessions: false,
      plan: 'Pro',
      features: { turbo: true, slots: 3, tone: 'blue' },
      in_grace: false,
      status: 'active',
    },
    beat: { on: false, interval: 30_000, grace: 90_000, first: 5_000 },
    ws: { on: false, required: false, url: null, ping: 25_000, deadline: 15_000 },
    flags: { silent: false, kick_outdated: false, free_for_all: false },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  return body
}
