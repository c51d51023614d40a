/**
 * One connection of a session after its first frame was let in: sealing and opening frames under counters, the limits
 * on what a client may send and on what may wait for it, pings. It knows no socket library; what carries the texts is a
 * {@link Wire}.
 */
import { type DirectionKeys, openFrame, sealFrame, wsAad } from '@scriptward/client/live'
import {
  CLOSE_CODES,
  type ClientFrame,
  type CloseReason,
  type KickReason,
  kick,
  MAX_FRAME_CHARACTERS,
  PING_MS,
  readClientFrame,
  type ServerFrame,
} from '@scriptward/client/live-messages'
import { KEY_BYTES } from '@scriptward/client/wire'
import type { Command } from './commands.ts'
import type { Connection, Registration, Update } from './session-hub.ts'

/** What carries frames. Both calls return at once; after `close` nothing arrives any more. */
export type Wire = {
  carry(text: string): void
  /** `last` is sent before. */
  end(code: number, last?: string): void
  /** Bytes that are not sent yet. */
  readonly waiting: number
}

export type Accepted = {
  readonly wire: Wire
  readonly exec: string
  readonly epoch: number
  readonly keys: DirectionKeys
  readonly now: number
  /** Factor on the number of frames that a client may send; 0 is no limit. */
  readonly rates: number
}

/** With more than this waiting no further command is taken, and with more than the second it is closed. */
const CROWDED_BYTES = 256 * 1024
const OVERFULL_BYTES = 1024 * 1024
const FRAMES_PER_SECOND = 20
const MOST_FRAMES_AT_ONCE = 40
const MISSED_PINGS = 2

export class SessionSocket implements Connection {
  readonly epoch: number
  readonly #wire: Wire
  readonly #exec: string
  /** The client's and then the server's, as Latin-1: bytes by themselves take three times the memory. */
  readonly #keys: string
  readonly #rates: number
  #registration: Registration | undefined
  #isOpen = true
  /** Counters of the next frames. The client's first frame, by which it was let in, had 1. */
  #nextOut = 1
  #nextIn = 2
  #pings = 0
  #unanswered = 0
  #pingedAt: number
  /** Frames that may come, as of `#countedAt`. */
  #allowance: number
  #countedAt: number

  constructor({ wire, exec, epoch, keys, now, rates }: Accepted) {
    this.epoch = epoch
    this.#wire = wire
    this.#exec = exec
    this.#keys = keys.c2s.toString('latin1') + keys.s2c.toString('latin1')
    this.#rates = rates
    this.#pingedAt = now
    this.#countedAt = now
    this.#allowance = MOST_FRAMES_AT_ONCE * rates
  }

  /** What frames of the client are told to. Nothing is received before. */
  attach(registration: Registration): void {
    this.#registration = registration
  }

  /** Whatever is no frame that was sealed next ends the connection. */
  receive(text: string, now: number): void {
    if (!this.#isOpen || !this.spend(now)) return
    const frame = text.length <= MAX_FRAME_CHARACTERS && this.#open(text)
    if (frame) {
      this.#nextIn += 1
      this.#unanswered = 0
      this.#registration?.seen(now)
      this.#take(frame)
    } else this.close(frame === false ? 'too_large' : 'bad_frame')
  }

  /** Counts one frame of any kind; false when that was one too many, and then it is closed. */
  spend(now: number): boolean {
    if (this.#rates === 0) return true
    const earned = (Math.max(0, now - this.#countedAt) / 1000) * FRAMES_PER_SECOND * this.#rates
    this.#allowance = Math.min(MOST_FRAMES_AT_ONCE * this.#rates, this.#allowance + earned)
    this.#countedAt = now
    if (this.#allowance < 1) {
      this.close('too_many')
      return false
    }
    this.#allowance -= 1
    return true
  }

  /** The wire was closed, by whichever side. */
  closed(now: number): void {
    this.#isOpen = false
    this.#registration?.detach(now)
  }

  ready(frame: Omit<Extract<ServerFrame, { t: 'ready' }>, 't' | 'ping'>): void {
    this.#put({ t: 'ready', ...frame, ping: PING_MS })
  }

  send({ id, key, data, ttl }: Command): boolean {
    if (!this.#isOpen || this.#wire.waiting > CROWDED_BYTES) return false
    this.#put({ t: 'cmd', id, key, data, ttl })
    return true
  }

  update({ chat_id, note, script_name, seconds_left }: Update): void {
    this.#put({ t: 'set', chat_id, note, script_name, seconds_left })
  }

  kick(reason: KickReason): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const isFull = this.#wire.waiting > OVERFULL_BYTES
    this.#wire.end(CLOSE_CODES.kicked, isFull ? undefined : this.#seal({ t: 'kick', ...kick(reason) }))
  }

  ping(now: number): boolean {
    if (now - this.#pingedAt < PING_MS) return true
    if (this.#unanswered >= MISSED_PINGS) return false
    this.#unanswered += 1
    this.#pings += 1
    this.#pingedAt = now
    this.#put({ t: 'ping', n: this.#pings, st: now })
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

  #take(frame: ClientFrame): void {
    if (frame.t === 'ack') this.#registration?.acknowledge(frame.id)
    if (frame.t === 'res') this.#registration?.reply(frame.id, frame)
    if (frame.t === 'bye') {
      this.#registration?.leave()
      this.close('ended')
    }
  }

  #put(frame: ServerFrame): void {
    if (!this.#isOpen) return
    if (this.#wire.waiting <= OVERFULL_BYTES) this.#wire.carry(this.#seal(frame))
    else this.close('overloaded')
  }

  #seal(frame: ServerFrame): string {
    const key = Buffer.from(this.#keys.slice(KEY_BYTES), 'latin1')
    return sealFrame(key, wsAad('s', this.#exec), this.#nextOut++, JSON.stringify(frame))
  }
}
