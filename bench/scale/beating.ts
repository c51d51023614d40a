/**
 * Simulates a script that sends heartbeats from its own IP address, as `packages/client/lua/heartbeat.lua`
 * and `live.lua` do.
 */
import { type Agent, request } from 'node:http'
import {
  beatAad,
  beatKeys,
  type DirectionKeys,
  formatNumbered,
  nextBeatKey,
} from '../../packages/client/src/live.ts'
import {
  type BeatAccepted,
  type BeatReply,
  CLIENT_GRACE_MS,
  FIRST_BEAT_MS,
} from '../../packages/client/src/live-messages.ts'
import { fromB64u, open, seal } from '../../packages/client/src/wire.ts'
import type { Instance } from '../sessions-server.ts'
import { type Tally, wordsOf } from './tally.ts'

export type Way = {
  readonly url: string
  readonly agent: Agent
  /** IP address of the client, as the proxy reports it. */
  readonly address: string
  readonly tally: Tally
}

const RETRIES_MS = [5_000, 10_000, 20_000]
const TIMEOUT_MS = 15_000

type Pending = { readonly body: string; readonly keys: DirectionKeys }

export class BeatingScript {
  readonly #exec: string
  readonly #way: Way
  #key: Buffer
  #n = 0
  #pending: Pending | undefined
  #tries = 0
  #heardAt = 0
  #failedAt: number | undefined
  #hasEnded = false

  constructor({ exec, beat }: Instance, way: Way) {
    this.#exec = exec
    this.#key = Buffer.from(beat, 'hex')
    this.#way = way
  }

  start(): void {
    this.#heardAt = performance.now()
    const { least, most } = FIRST_BEAT_MS
    this.#beatIn(least + Math.random() * (most - least))
  }

  /** `waits` means that the script has not sent a heartbeat yet. */
  get state(): 'waits' | 'well' | 'failing' | 'ended' {
    if (this.#hasEnded) return 'ended'
    if (this.#failedAt !== undefined) return 'failing'
    return this.#n === 0 ? 'waits' : 'well'
  }

  #beatIn(ms: number): void {
    setTimeout(() => void this.#beat(), ms)
  }

  async #beat(): Promise<void> {
    this.#pending ??= this.#prepare()
    const sentAt = performance.now()
    try {
      this.#take(this.#open(await post(this.#way, this.#pending.body)))
    } catch (error) {
      this.#fail(sentAt, wordsOf(error))
    }
  }

  #prepare(): Pending {
    const n = this.#n + 1
    const keys = beatKeys(this.#key)
    const box = seal(keys.c2s, 0, beatAad(this.#exec, n), '{"up":1}')
    return { keys, body: formatNumbered({ exec: this.#exec, n, box }) }
  }

  #open(text: string): BeatReply {
    const box = fromB64u(text.slice(4)) ?? Buffer.alloc(0)
    const keys = this.#pending?.keys as DirectionKeys
    const opened = open(keys.s2c, 0, beatAad(this.#exec, this.#n + 1), box)
    if (!opened) throw new Error('an answer does not open')
    return JSON.parse(opened.toString()) as BeatReply
  }

  #take(reply: BeatReply): void {
    if (reply.ok) this.#accept(reply)
    else this.#end(reply.kick.reason)
  }

  #accept(reply: BeatAccepted): void {
    const now = performance.now()
    if (this.#failedAt !== undefined)
      this.#way.tally.isBack({ ms: now - this.#failedAt, silentMs: now - this.#heardAt })
    this.#key = nextBeatKey(this.#key, Buffer.from(reply.r, 'base64url'))
    this.#n += 1
    this.#pending = undefined
    this.#failedAt = undefined
    this.#tries = 0
    this.#heardAt = now
    this.#way.tally.heard += 1
    this.#beatIn(reply.next)
  }

  #fail(sentAt: number, words: string): void {
    this.#failedAt ??= sentAt
    this.#way.tally.failed(words)
    if (performance.now() - this.#heardAt > CLIENT_GRACE_MS) this.#end('heartbeat_lost')
    else this.#beatIn(RETRIES_MS[Math.min(this.#tries, RETRIES_MS.length - 1)] ?? 0)
    this.#tries += 1
  }

  #end(reason: string): void {
    this.#hasEnded = true
    this.#way.tally.stopped(reason)
  }
}

function post({ url, agent, address }: Way, body: string): Promise<string> {
  const headers = {
    'content-type': 'text/plain',
    'content-length': body.length,
    'x-forwarded-for': address,
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/client/v1/beat`, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('latin1')
      response.on('data', (part: string) => (text += part))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`HTTP ${response.statusCode}`))
      })
    })
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer in time')))
    sent.on('error', reject).end(body)
  })
}
