// Messages that follow a grant: heartbeats and their responses (client protocol §11), the frames of a session
// (§12) and kicks, with strict parsers for messages from clients. Keys and encryption are in live.ts. All
// other messages are in messages.ts.
import { MAX_MESSAGE_DEPTH, type Variables } from './messages.ts'
import { isProbeAnswer, type ProbeAnswer } from './probe.ts'

/** First loader build with heartbeats and, if `caps.ws` is set, live sessions. */
export const LIVE_LOADER_BUILD = 2

/**
 * The lock for rarely executed code that cannot wait for a key. Every grant includes its key. All other locks
 * are numbered from 1.
 */
export const COLD_LOCK = 0

/** First loader build that supports locks. */
export const LOCKS_LOADER_BUILD = 3

/** First loader build that sends a script's messages to webhooks. */
export const MESSAGES_LOADER_BUILD = 4

/** First loader build that calls server functions. */
export const ASKS_LOADER_BUILD = 5

/** First loader build that calls code moved to the server. */
export const SERVER_CODE_LOADER_BUILD = 6

/** Highest number that a build can assign to code moved to the server. */
export const LAST_SERVER_CODE = 999

/** First loader build that reports script errors. */
export const ERRORS_LOADER_BUILD = 7

/** First loader build that reports its host's functions. */
export const PROBES_LOADER_BUILD = 8

/** Maximum calls per heartbeat, unanswered calls per session, and values per call. */
export const MAX_BEAT_ASKS = 8
export const MAX_SESSION_CALLS = 8
export const MAX_ASK_VALUES = 16

/** Maximum messages per heartbeat, and values per message. */
export const MAX_BEAT_MESSAGES = 10
export const MAX_MESSAGE_VALUES = 50

/**
 * Maximum error reports per run and message, and limits of each report: UTF-8 bytes of its text, lines of its
 * traceback, and tags.
 */
export const MAX_ERROR_REPORTS = 5
export const MAX_ERROR_TEXT_BYTES = 1024
export const MAX_ERROR_LINES = 20
export const MAX_ERROR_TAGS = 8
const MAX_TAG_CHARACTERS = 64

/** Highest lock number that a heartbeat may request. */
export const LAST_LOCK = 99_999

/** Maximum locks requested per heartbeat. */
export const MAX_LEASES = 16

/** Interval between heartbeats, with a jitter of ±20% (§11). All times are in ms. */
export const BEAT_INTERVAL_MS = 30_000

/** Shortest and longest delay before the first heartbeat. */
export const FIRST_BEAT_MS = { least: 5_000, most: 30_000 } as const

/** A client stops if no heartbeat has been accepted for this long. */
export const CLIENT_GRACE_MS = 90_000

/**
 * An instance that is silent for this long is considered dead. This is longer than the client's grace period,
 * so that the client stops first.
 */
export const SERVER_GRACE_MS = 100_000

/** Lifetime of an instance without heartbeats or a live session. */
export const SILENT_LIFE_MS = 600_000

/** A script that requires a session must start within this time after its grant. */
export const SESSION_DEADLINE_MS = 15_000

/** Interval between pings. A connection that misses two pings is closed (§12). */
export const PING_MS = 25_000

/** Maximum time until the first frame. */
export const AUTH_MS = 10_000

/** A session that lost its connection may resume within this time. */
export const RESUME_MS = 60_000

/** Largest frame, in bytes after decoding base64url. */
export const MAX_FRAME_BYTES = 131_072
export const MAX_FRAME_CHARACTERS = Math.ceil((MAX_FRAME_BYTES * 4) / 3)

/** Number of recent command IDs that a client remembers. It ignores commands with these IDs. */
export const REMEMBERED_COMMANDS = 64

/** WebSocket close codes. 1012 (restart) and 1013 (too much data waiting to be sent) are standard codes. */
export const CLOSE_CODES = {
  bad_frame: 4400,
  unauthenticated: 4401,
  kicked: 4403,
  timeout: 4408,
  replaced: 4409,
  too_large: 4413,
  too_many: 4429,
  ended: 1000,
  restart: 1012,
  overloaded: 1013,
} as const
export type CloseReason = keyof typeof CLOSE_CODES

/**
 * The reasons for stopping a running script (§11), with messages for the user. The client raises 52 itself;
 * 53 means that the user ended the run.
 */
export const KICKS = {
  disconnected: { code: 40, message: "The script's author stopped this run." },
  key_expired: { code: 41, message: 'Your key has expired.' },
  key_removed: { code: 42, message: 'Your key no longer exists.' },
  blacklisted: { code: 43, message: 'This key or device is blocked.' },
  script_disabled: { code: 44, message: 'This script was disabled.' },
  script_removed: { code: 45, message: 'This script no longer exists.' },
  outdated_version: { code: 46, message: 'A new version of this script is available. Run it again.' },
  fingerprint_reset: { code: 47, message: "This key's device was reset. Run the script again." },
  service_unavailable: { code: 48, message: 'This script is currently unavailable.' },
  token_reuse: { code: 49, message: 'This run was copied to another place.' },
  session_lost: { code: 50, message: 'The connection required by this script was lost.' },
  instance_replaced: { code: 51, message: 'This run was replaced by another one.' },
  heartbeat_lost: { code: 52, message: 'The server could not be reached for too long.' },
  ended_by_user: { code: 53, message: "This run was ended on your key's page." },
  key_paused: { code: 54, message: 'Your key was paused.' },
  not_in_plan: { code: 55, message: "Your key's plan no longer includes this script." },
} as const
export type KickReason = keyof typeof KICKS

export interface Kick {
  readonly code: number
  readonly reason: KickReason
  readonly message: string
}

/**
 * Body of a heartbeat or an end message. `up` is the client's count of seconds since the grant, for
 * information only.
 */
export interface Beat {
  readonly up: number
  /** Requested locks; never in an end message. */
  readonly q?: readonly number[]
  /** Messages to webhooks; never in an end message. */
  readonly m?: readonly BeatMessage[]
  /** Calls to server functions; never in an end message. */
  readonly a?: readonly BeatAsk[]
  /** Script errors; only if the grant has `errors`. */
  readonly e?: readonly ErrorReport[]
  /** The host's functions; only if the grant has `probe`. */
  readonly p?: ProbeAnswer
}

/**
 * A script error. `crash` ended the script's main chunk; `thread` ended a thread or a handler; `caught` was
 * passed to `WARD_REPORT`. The client removes private data from `text` (client protocol §11).
 */
export interface ErrorReport {
  readonly kind: (typeof ERROR_KINDS)[number]
  readonly text: string
  /** Lines of the protected script where the error was raised, innermost first. */
  readonly at: readonly number[]
  /** Number of times that this error has occurred since it was last reported, at least 1. */
  readonly n: number
  /** Only in `caught` reports. */
  readonly tags?: Readonly<Record<string, string>>
}
export const ERROR_KINDS = ['crash', 'thread', 'caught'] as const

/**
 * The name of a server function, or the number of a piece of code that was moved to the server, followed by
 * the arguments as JSON.
 */
export type BeatAsk = readonly [name: string | number, ...values: readonly unknown[]]

/** `problem` is a short error message that may be shown to users. */
export type BeatAnswer = { readonly value: unknown } | { readonly problem: string }

/** The number of one of the version's messages, counted from 1, and the values that the script inserts. */
export type BeatMessage = readonly [number: number, ...values: readonly MessageScalar[]]
export type MessageScalar = string | number | boolean | null

/**
 * Fields of `ward` that may change while a script runs. When one field changes, all of them are sent except
 * `vars`, which is sent only when it has changed itself.
 */
export type ChangingVariables = Pick<
  Variables,
  | 'chat_id'
  | 'note'
  | 'script_name'
  | 'plan'
  | 'features'
  | 'in_grace'
  | 'status'
  | 'announcement'
  | 'tags'
  | 'metadata'
  | 'vars'
>

/** Response to a heartbeat that keeps the instance alive. */
export interface BeatAccepted {
  readonly ok: true
  readonly n: number
  /** 16 unpredictable bytes in base64url, from which both sides derive the next ratchet state. */
  readonly r: string
  readonly st: number
  readonly seconds_left: number | null
  /** Delay before the next heartbeat. */
  readonly next: number
  readonly vars?: ChangingVariables
  /** Encrypted keys of the requested locks by lock number, in base64url; see leases.ts. */
  readonly leases?: Readonly<Record<string, string>>
  /**
   * Milliseconds until this run may get another lock's key. Sent if a heartbeat requests a key before that
   * time.
   */
  readonly lease_in?: number
  /** One result per call in the heartbeat, in order. */
  readonly answers?: readonly BeatAnswer[]
}

/** Response to a heartbeat of an instance that must stop. No further messages follow. */
export interface BeatRefused {
  readonly ok: false
  readonly n: number
  readonly kick: Kick
}
export type BeatReply = BeatAccepted | BeatRefused

/** Response to the end message of an instance. */
export interface EndReply {
  readonly ok: true
  readonly n: number
}

/**
 * First frame of a connection. `resume` is the session to resume, and `last` is the ID of the last command
 * received in that session.
 */
export interface AuthFrame {
  readonly t: 'auth'
  readonly resume?: string
  readonly last?: string
}

/**
 * A server function call over a session. `epoch` is the epoch of the connection that first sent the call,
 * because unanswered calls are sent again over the next connection.
 */
export interface SessionCall {
  readonly t: 'call'
  readonly id: string
  readonly epoch: number
  readonly a: BeatAsk
}

export type ClientFrame =
  | { readonly t: 'ack'; readonly id: string }
  | { readonly t: 'res'; readonly id: string; readonly ok: true; readonly data?: unknown }
  | { readonly t: 'res'; readonly id: string; readonly ok: false; readonly reason: string }
  | { readonly t: 'pong'; readonly n: number }
  | SessionCall
  | { readonly t: 'error'; readonly e: readonly ErrorReport[] }
  | { readonly t: 'bye' }

export type ServerFrame =
  /**
   * `pk` is the payload's key in base64url, only if `payload.mode` is `ws`. `calls` is absent if the server
   * does not accept calls over sessions, and `errors` is absent if it does not accept error reports.
   */
  | {
      readonly t: 'ready'
      readonly sid: string
      readonly ping: number
      readonly resumed: boolean
      readonly pk?: string
      readonly calls?: true
      readonly errors?: true
    }
  /** `ttl` is the remaining time until the response is due, in milliseconds. */
  | {
      readonly t: 'cmd'
      readonly id: string
      readonly key: string
      readonly data: unknown
      readonly ttl: number
    }
  | { readonly t: 'ping'; readonly n: number; readonly st: number }
  | ({ readonly t: 'answer'; readonly id: string } & BeatAnswer)
  | ({ readonly t: 'kick' } & Kick)
  | ({ readonly t: 'set'; readonly seconds_left: number | null } & ChangingVariables)

export function kick(reason: KickReason): Kick {
  const { code, message } = KICKS[reason]
  return { code, reason, message }
}

/** Parses the decrypted body of a heartbeat or end message; undefined if invalid. */
export function readBeat(bytes: Uint8Array): Beat | undefined {
  const beat = readObject(bytes)
  if (!beat || !hasOnly(beat, ['up', 'q', 'm', 'a', 'e', 'p'])) return undefined
  const { up, q, m, a, e, p } = beat
  if (typeof up !== 'number' || up < 0) return undefined
  if (!isOptional(q, isListOfLocks) || !isOptional(m, isListOfMessages) || !isOptional(a, isListOfAsks))
    return undefined
  if (!isOptional(e, isListOfErrors) || !isOptional(p, isProbeAnswer)) return undefined
  return {
    up,
    ...(q === undefined ? {} : { q }),
    ...(m === undefined ? {} : { m }),
    ...(a === undefined ? {} : { a }),
    ...(e === undefined ? {} : { e }),
    ...(p === undefined ? {} : { p }),
  }
}

/** Parses a decrypted first frame; undefined if invalid. */
export function readAuthFrame(bytes: Uint8Array): AuthFrame | undefined {
  const frame = readObject(bytes)
  if (frame?.t !== 'auth' || !hasOnly(frame, ['t', 'resume', 'last'])) return undefined
  const { resume, last } = frame
  if (!isOptional(resume, isSessionId) || !isOptional(last, isCommandId)) return undefined
  return { t: 'auth', ...(resume === undefined ? {} : { resume }), ...(last === undefined ? {} : { last }) }
}

/** Parses a decrypted frame after the first; undefined if it is not a frame of §12. */
export function readClientFrame(bytes: Uint8Array): ClientFrame | undefined {
  const frame = readObject(bytes)
  if (!frame || typeof frame.t !== 'string' || !Object.hasOwn(FRAMES, frame.t)) return undefined
  return FRAMES[frame.t]?.(frame) ? (frame as ClientFrame) : undefined
}

type Members = Readonly<Record<string, unknown>>

const FUNCTION_NAME = /^[a-z][a-z0-9_]{0,39}$/
/** The heartbeat and its list of calls already take up two levels. */
const MAX_ASK_DEPTH = MAX_MESSAGE_DEPTH - 2

const UTF8 = new TextDecoder('utf-8', { fatal: true })

const FRAMES: Readonly<Record<string, (frame: Members) => boolean>> = {
  ack: (frame) => isCommandId(frame.id) && hasOnly(frame, ['t', 'id']),
  res: isResult,
  pong: (frame) => Number.isSafeInteger(frame.n) && hasOnly(frame, ['t', 'n']),
  call: isCall,
  error: (frame) => isListOfErrors(frame.e) && hasOnly(frame, ['t', 'e']),
  bye: (frame) => hasOnly(frame, ['t', 'reason']),
}

function isResult(frame: Members): boolean {
  if (!isCommandId(frame.id)) return false
  if (frame.ok === true) return hasOnly(frame, ['t', 'id', 'ok', 'data'])
  return frame.ok === false && typeof frame.reason === 'string' && hasOnly(frame, ['t', 'id', 'ok', 'reason'])
}

function isCall({ id, epoch, a, ...rest }: Members): boolean {
  return isCommandId(id) && Number.isSafeInteger(epoch) && isAsk(a) && hasOnly(rest, ['t'])
}

function readObject(bytes: Uint8Array): Members | undefined {
  try {
    const value: unknown = JSON.parse(UTF8.decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined
  } catch {
    return undefined
  }
}

function hasOnly(members: Members, names: readonly string[]): boolean {
  return Object.keys(members).every((name) => names.includes(name))
}

function isOptional<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value)
}

function isListOfLocks(value: unknown): value is readonly number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LEASES) return false
  return value.every((lock) => Number.isInteger(lock) && lock >= 0 && lock <= LAST_LOCK)
}

function isListOfMessages(value: unknown): value is readonly BeatMessage[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_BEAT_MESSAGES) return false
  return value.every((one) => {
    if (!Array.isArray(one) || one.length > MAX_MESSAGE_VALUES + 1) return false
    return Number.isInteger(one[0]) && one[0] > 0 && one.every(isScalar)
  })
}

function isListOfAsks(value: unknown): value is readonly BeatAsk[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_BEAT_ASKS) return false
  return value.every(isAsk)
}

function isListOfErrors(value: unknown): value is readonly ErrorReport[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ERROR_REPORTS) return false
  return value.every(isErrorReport)
}

function isErrorReport(value: unknown): value is ErrorReport {
  if (typeof value !== 'object' || value === null) return false
  const { kind, text, at, n, tags, ...rest } = value as Members
  if (!ERROR_KINDS.some((one) => one === kind) || Object.keys(rest).length > 0) return false
  if (typeof text !== 'string' || Buffer.byteLength(text) > MAX_ERROR_TEXT_BYTES) return false
  return isTraceback(at) && isCounter(n) && isOptional(tags, isTags)
}

function isTraceback(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length <= MAX_ERROR_LINES && value.every(isCounter)
}

function isCounter(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31
}

function isTags(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const tags = Object.entries(value)
  const isShort = (text: unknown) => typeof text === 'string' && text.length <= MAX_TAG_CHARACTERS
  return tags.length <= MAX_ERROR_TAGS && tags.every((tag) => tag.every(isShort))
}

function isAsk(value: unknown): value is BeatAsk {
  if (!Array.isArray(value) || value.length > MAX_ASK_VALUES + 1) return false
  return isCallee(value[0]) && isShallow(value, MAX_ASK_DEPTH)
}

function isCallee(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value > 0 && value <= LAST_SERVER_CODE
  return typeof value === 'string' && FUNCTION_NAME.test(value)
}

/**
 * Checks that a JSON value has at most this many levels. The check stops at the limit, so its cost is
 * bounded.
 */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1))
}

function isScalar(value: unknown): value is MessageScalar {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  )
}

function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 64
}

function isCommandId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)
}
