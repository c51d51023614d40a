/**
 * Handles one connection of a session after its first frame has been accepted: encrypts and decrypts frames
 * with counters, limits the rate of the client's frames and the amount of buffered data, and sends pings. The
 * WebSocket itself is a {@link Wire}.
 */
import { type DirectionKeys, openFrame, sealFrame, wsAad } from '@scriptward/client/live'
import {
  type BeatAnswer,
  CLOSE_CODES,
  type ClientFrame,
  type CloseReason,
  type Kick,
  type KickReason,
  MAX_FRAME_CHARACTERS,
  PING_MS,
  readClientFrame,
  type ServerFrame,
} from '@scriptward/client/live-messages'
import { KEY_BYTES } from '@scriptward/client/wire'
import type { Command } from './commands.ts'
import type { Connection, Registration, Update } from './session.ts'

/** Transports frames. Both calls return immediately. Nothing arrives after `end`. */
export type Wire = {
  carry(text: string): void
  /** Closes the connection with `code`, after sending `last`. */
  end(code: number, last?: string): void
  /** Number of buffered bytes. */
  readonly waiting: number
}

export type Accepted = {
  readonly wire: Wire
  readonly exec: string
  readonly epoch: number
  readonly keys: DirectionKeys
  /** Reasons for ending the session, in the customer's language. */
  readonly kicks: Readonly<Record<KickReason, Kick>>
  readonly now: number
  /** Multiplies the rate of frames that a client may send. 0 means no limit. */
  readonly rates: number
}

/**
 * Backpressure limits. Beyond the first one, commands are rejected. Beyond the second one, the connection is
 * closed.
 */
const CROWDED_BYTES = 256 * 1024
const OVERFULL_BYTES = 1024 * 1024
const FRAMES_PER_SECOND = 20
const FRAME_BURST = 40
const MISSED_PINGS = 2

export class SessionSocket implements Connection {
  readonly epoch: number
  readonly #wire: Wire
  readonly #exec: string
  /**
   * The client's key followed by the server's, as a Latin-1 string, which uses a third of a buffer's memory.
   */
  readonly #keys: string
  readonly #kicks: Accepted['kicks']
  readonly #rates: number
  #registration: Registration | undefined
  #isOpen = true
  /** Counters of the next frames. The client's first frame, which authenticated the client, had counter 1. */
  #nextOut = 1
  #nextIn = 2
  #pings = 0
  #unanswered = 0
  #pingedAt: number
  /** The number of frames that the client may send, as of `#countedAt`. */
  #allowance: number
  #countedAt: number

  constructor({ wire, exec, epoch, keys, kicks, now, rates }: Accepted) {
    this.epoch = epoch
    this.#wire = wire
    this.#exec = exec
    this.#keys = keys.c2s.toString('latin1') + keys.s2c.toString('latin1')
    this.#kicks = kicks
    this.#rates = rates
    this.#pingedAt = now
    this.#countedAt = now
    this.#allowance = FRAME_BURST * rates
  }

  /** Delivers the client's frames to `registration`. Nothing is received before this call. */
  attach(registration: Registration): void {
    this.#registration = registration
  }

  /** Anything other than the next encrypted frame ends the connection. */
  receive(text: string, now: number): void {
    if (!this.#isOpen || !this.spend(now)) return
    const frame = text.length <= MAX_FRAME_CHARACTERS && this.#open(text)
    if (frame) {
      this.#nextIn += 1
      this.#unanswered = 0
      this.#registration?.seen(now)
      this.#dispatch(frame)
    } else this.close(frame === false ? 'too_large' : 'bad_frame')
  }

  /** Counts one frame of any kind. If the rate is exceeded, closes the connection and returns false. */
  spend(now: number): boolean {
    if (this.#rates === 0) return true
    const earned = (Math.max(0, now - this.#countedAt) / 1000) * FRAMES_PER_SECOND * this.#rates
    this.#allowance = Math.min(FRAME_BURST * this.#rates, this.#allowance + earned)
    this.#countedAt = now
    if (this.#allowance < 1) {
      this.close('too_many')
      return false
    }
    this.#allowance -= 1
    return true
  }

  /** Called when either side has closed the wire. */
  closed(now: number): void {
    this.#isOpen = false
    this.#registration?.detach(now)
  }

  ready(frame: Omit<Extract<ServerFrame, { t: 'ready' }>, 't' | 'ping' | 'calls' | 'errors'>): void {
    this.#sendFrame({ t: 'ready', ...frame, ping: PING_MS, calls: true, errors: true })
  }

  send({ id, key, data, ttl }: Command): boolean {
    if (!this.#isOpen || this.#wire.waiting > CROWDED_BYTES) return false
    this.#sendFrame({ t: 'cmd', id, key, data, ttl })
    return true
  }

  answer(id: string, answer: BeatAnswer): void {
    this.#sendFrame({ t: 'answer', id, ...answer })
  }

  update(update: Update): void {
    this.#sendFrame({ t: 'set', ...update })
  }

  kick(reason: KickReason): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const isFull = this.#wire.waiting > OVERFULL_BYTES
    this.#wire.end(CLOSE_CODES.kicked, isFull ? undefined : this.#seal({ t: 'kick', ...this.#kicks[reason] }))
  }

  ping(now: number): boolean {
    if (now - this.#pingedAt < PING_MS) return true
    if (this.#unanswered >= MISSED_PINGS) return false
    this.#unanswered += 1
    this.#pings += 1
    this.#pingedAt = now
    this.#sendFrame({ t: 'ping', n: this.#pings, st: now })
    return true
  }

  close(reason: CloseReason): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#wire.end(CLOSE_CODES[reason])
  }

  #open(text: string): ClientFrame | undefined {
    const key = Buffer.from(this.#keys.slice(0, KEY_BYTES), 'latin1')
    const bytes = openFrame(key, wsAad('c', this.#exec), this.#nextIn, text)
    return bytes && readClientFrame(bytes)
  }

  #dispatch(frame: ClientFrame): void {
    if (frame.t === 'ack') this.#registration?.acknowledge(frame.id)
    if (frame.t === 'res') this.#registration?.reply(frame.id, frame)
    if (frame.t === 'call') this.#registration?.call(frame)
    if (frame.t === 'error') this.#registration?.report(frame.e)
    if (frame.t === 'bye') {
      this.#registration?.leave()
      this.close('ended')
    }
  }

  #sendFrame(frame: ServerFrame): void {
    if (!this.#isOpen) return
    if (this.#wire.waiting <= OVERFULL_BYTES) this.#wire.carry(this.#seal(frame))
    else this.close('overloaded')
  }

  #seal(frame: ServerFrame): string {
    const key = Buffer.from(this.#keys.slice(KEY_BYTES), 'latin1')
    return sealFrame(key, wsAad('s', this.#exec), this.#nextOut++, JSON.stringify(frame))
  }
}
