/**
 * A protocol client in TypeScript, built on the client side of `@scriptward/client/wire`. It fetches a boot
 * record, encrypts a hello and decrypts the response. It sends exactly what the test specifies, even if no
 * loader would.
 */
import { randomBytes } from 'node:crypto'
import {
  type BootRecord,
  type Denial,
  type Grant,
  type Hello,
  LOADER_BUILD,
  type PublicKeys,
} from '@scriptward/client/messages'
import {
  clientHandshake,
  formatExec,
  fromB64u,
  type HandshakeKeys,
  type KeyPair,
  openPayload,
  openReply,
  seal,
  sessionKeys,
  x25519Pair,
} from '@scriptward/client/wire'
import { unpack } from '../../src/features/builds/lz4.ts'
import { noteAnswer } from '../answers.ts'

export type Plain = { readonly status: number; readonly text: string; readonly headers: Headers }
export type Bytes = { readonly status: number; readonly bytes: Buffer; readonly headers: Headers }
export type Opened = {
  readonly keys: HandshakeKeys
  readonly reply: Grant | Denial
  readonly script: string | undefined
  readonly text: string
}

/** A request that is ready to be sent, with the keys that decrypt its response. */
export type Request = { readonly body: string; readonly keys: HandshakeKeys }

export const STRONG = 'machine_id'

/** Returns a device component as a client sends it; the same name always yields the same device. */
export function component(name: string): string {
  return Buffer.alloc(16, name).toString('base64url')
}

export function helloFor(scriptId: string, changes: Partial<Hello> = {}): Hello {
  return {
    pv: 1,
    lb: LOADER_BUILD,
    sv: 1,
    script: scriptId,
    key: null,
    rt: 'lua5.1',
    host: { executor: 'lua5.1', version: '', platform: 'linux' },
    fp: { [STRONG]: component('first machine') },
    caps: { ws: false, raw: false, lz4: true, buffer: false, post: true, max_body: 65_536 },
    ...changes,
  }
}

export class ProtocolClient {
  readonly #url: string

  constructor(serverUrl: string) {
    this.#url = `${serverUrl}/client/v1`
  }

  async boot(scriptId: string): Promise<BootRecord> {
    const answer = await this.get(`/boot?script=${encodeURIComponent(scriptId)}`)
    if (answer.status !== 200) throw new Error(`no boot record: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text) as BootRecord
  }

  async keys(): Promise<PublicKeys['keys']> {
    return (JSON.parse((await this.get('/keys')).text) as PublicKeys).keys
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Plain> {
    return this.#plain('GET', path, { headers })
  }

  post(path: string, body: string, headers: Record<string, string> = {}): Promise<Plain> {
    return this.#plain('POST', path, { body, headers: { 'content-type': 'text/plain', ...headers } })
  }

  async #plain(method: string, path: string, sent: RequestInit): Promise<Plain> {
    const url = this.#url + path
    const answer = await textOf(await fetch(url, { method, ...sent }))
    noteAnswer(method, url, answer.text)
    return answer
  }

  /** Like `get`, for binary responses. */
  async bytes(path: string, headers: Record<string, string>): Promise<Bytes> {
    return bytesOf(await fetch(this.#url + path, { headers }))
  }

  /** Like `post`, for binary responses. */
  async postForBytes(path: string, body: string, headers: Record<string, string>): Promise<Bytes> {
    const sent = { 'content-type': 'text/plain', ...headers }
    return bytesOf(await fetch(this.#url + path, { method: 'POST', body, headers: sent }))
  }

  /** A hello encrypted for a boot record; `own` is the client's ephemeral key pair. */
  async request(
    boot: BootRecord,
    hello: unknown,
    own: KeyPair = x25519Pair(randomBytes(32)),
  ): Promise<Request> {
    const { kid, ek } = boot
    const key = (await this.keys()).find((one) => one.kid === kid)
    const bootId = bytes(boot.boot)
    const keys = clientHandshake({ kid, staticPublic: bytes(key?.x25519), boot: bootId, ek: bytes(ek) }, own)
    if (!keys) throw new Error('the server sent unusable keys')
    const box = seal(keys.c2s, 0, keys.h, typeof hello === 'string' ? hello : JSON.stringify(hello))
    return { body: formatExec({ kid, boot: bootId, ep: own.publicKey, box }), keys }
  }

  /** Performs the complete exchange. Throws if the response is not encrypted for this request. */
  async run(
    scriptId: string,
    changes: Partial<Hello> = {},
    headers: Record<string, string> = {},
  ): Promise<Opened> {
    const { body, keys } = await this.request(await this.boot(scriptId), helloFor(scriptId, changes))
    return openAnswer(keys, await this.post('/exec', body, headers))
  }

  /** Joins and unpacks a payload that was sent in chunks. */
  async fetchScript(keys: HandshakeKeys, grant: Grant): Promise<string> {
    const parts: Buffer[] = []
    for (let n = 1; n <= grant.payload.chunks; n++) {
      const { text } = await this.get(`/chunk/${grant.exec}/${n}`)
      const part = openPayload(payloadKey(keys, grant), grant.exec, n, bytes(text.replace(/^lp1\./, '')))
      if (!part) throw new Error(`chunk ${n} does not open`)
      parts.push(part)
    }
    return unpack(Buffer.concat(parts), grant.payload.size)
  }

  /** The reason for a denial, or `granted`. */
  async verdict(scriptId: string, changes: Partial<Hello> = {}, headers: Record<string, string> = {}) {
    const { reply } = await this.run(scriptId, changes, headers)
    return reply.ok ? 'granted' : reply.reason
  }
}

export function openAnswer(keys: HandshakeKeys, { status, text }: Plain): Opened {
  const opened = openReply(keys, text)
  if (!opened) throw new Error(`not sealed: ${status} ${text.slice(0, 300)}`)
  const reply = JSON.parse(opened.json) as Grant | Denial
  const isInline = reply.ok && reply.payload.mode === 'inline'
  return { keys, reply, script: isInline ? openScript(keys, reply, opened.payloadBox) : undefined, text }
}

function openScript(keys: HandshakeKeys, grant: Grant, box: Buffer | undefined): string {
  const { exec, payload } = grant
  const block = box && openPayload(payloadKey(keys, grant), exec, 0, box)
  if (!block || block.length !== payload.len) throw new Error('the payload does not open')
  return unpack(block, payload.size)
}

function payloadKey(keys: HandshakeKeys, { gn }: Grant): Buffer {
  return sessionKeys(keys.prk, bytes(gn)).payload
}

async function textOf(response: Response): Promise<Plain> {
  return { status: response.status, text: await response.text(), headers: response.headers }
}

async function bytesOf(response: Response): Promise<Bytes> {
  const { status, headers } = response
  return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

function bytes(text: string | undefined): Buffer {
  const decoded = text === undefined ? undefined : fromB64u(text)
  if (!decoded) throw new Error('not base64url')
  return decoded
}
