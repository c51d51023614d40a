/**
 * Discord's REST API for the bots of all projects. `@discordjs/rest` respects Discord's rate limits. Its
 * errors contain URLs and bodies, which may contain secrets, so they are replaced with {@link
 * DiscordFailure}.
 */
import type { REST, RequestData } from '@discordjs/rest'

/** A project's bot. `token` is its secret. */
export type Bot = { readonly applicationId: string; readonly token: string }

/**
 * `token_revoked`: Discord doesn't accept the token. `forbidden`: the bot lacks a permission, or its role is
 * too low. `unknown`: the requested resource doesn't exist. `invalid`: Discord rejected the content.
 * `limited` and `unreachable`: try again later.
 */
export type FailureKind = 'token_revoked' | 'forbidden' | 'unknown' | 'invalid' | 'limited' | 'unreachable'

export class DiscordFailure {
  readonly kind: FailureKind
  /** Discord's error code, or 0 if there is none. Source: "JSON Error Codes" in Discord's documentation. */
  readonly code: number
  /** Discord's own message, which never contains a token. */
  readonly message: string

  constructor(kind: FailureKind, code = 0, message = '') {
    this.kind = kind
    this.code = code
    this.message = message
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type DiscordRequest = {
  readonly method: Method
  /** Path without a version, such as `/users/@me`. */
  readonly path: `/${string}`
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  /** Shown in the audit log of the Discord server. */
  readonly reason?: string
  /** Maximum wait, including delays caused by rate limits. */
  readonly timeoutMs: number
}

const VERSION = '10'
/** Number of bots whose clients are kept. The least recently used client is dropped first. */
const MAX_CLIENTS = 1000
const RETRIES = 1
/** Hosts that serve Discord's attachments. Nothing else is downloaded, except from the API's own host. */
const FILE_HOSTS = new Set(['cdn.discordapp.com', 'media.discordapp.net'])
const DOWNLOAD_MS = 20_000

type Client = { readonly token: string; readonly rest: REST }
type Library = typeof import('@discordjs/rest')

export class DiscordApi {
  readonly #url: string | undefined
  readonly #clients = new Map<string, Client>()
  #library: Promise<Library> | undefined

  /** `url` is the API's URL without a version. Undefined if bots are turned off. */
  constructor(url: string | undefined) {
    this.#url = url
  }

  get isOff(): boolean {
    return this.#url === undefined
  }

  /** Resolves to the parsed response, or to undefined for an empty one. */
  async call<T>(bot: Bot, request: DiscordRequest): Promise<T | DiscordFailure> {
    return this.#send<T>(bot, request, true)
  }

  /** Used for interaction paths, which contain the interaction's token. */
  async followUp<T>(bot: Bot, request: DiscordRequest): Promise<T | DiscordFailure> {
    return this.#send<T>(bot, request, false)
  }

  /** Downloads an attachment. Throws if it can't be read, isn't Discord's, or is longer than `size` bytes. */
  async download(url: string, size: number): Promise<Buffer> {
    const { hostname } = new URL(url)
    const isOwn = this.#url !== undefined && hostname === new URL(this.#url).hostname
    if (!isOwn && !FILE_HOSTS.has(hostname)) throw new Error('the attachment is not hosted by Discord')
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DOWNLOAD_MS) })
    if (!response.ok || response.body === null)
      throw new Error(`the attachment returned status ${response.status}`)
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of response.body) {
      length += part.length
      if (length > size) throw new Error('the attachment is longer than declared')
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  async #send<T>(bot: Bot, request: DiscordRequest, auth: boolean): Promise<T | DiscordFailure> {
    if (this.#url === undefined) return new DiscordFailure('unreachable')
    this.#library ??= import('@discordjs/rest')
    const library = await this.#library
    const { method, path, body, query, reason, timeoutMs } = request
    const signal = AbortSignal.timeout(timeoutMs)
    const data: RequestData = {
      ...{ auth, signal },
      ...(body === undefined ? {} : { body }),
      ...(reason !== undefined && { reason }),
      ...(query && { query: new URLSearchParams(query) }),
    }
    try {
      const rest = this.#clientOf(library, this.#url, bot)
      const answering = rest.request({ ...data, fullRoute: path, method: method as never })
      // The library doesn't check the signal while it waits for a rate limit.
      const answer = await Promise.race([answering, rejectAt(signal)])
      return (isEmpty(answer) ? undefined : answer) as T
    } catch (error) {
      const failure = failureOf(library, error)
      // The library drops a token that Discord doesn't accept, and would then report a different error.
      if (failure.kind === 'token_revoked') this.#clients.delete(bot.applicationId)
      return failure
    }
  }

  #clientOf({ REST }: Library, api: string, { applicationId, token }: Bot): REST {
    const known = this.#clients.get(applicationId)
    const client =
      known?.token === token
        ? known
        : {
            token,
            // Disables the library's timers, which would keep the process alive and run even when no bot is
            // in use.
            rest: new REST({
              ...{ version: VERSION, api, retries: RETRIES, hashSweepInterval: 0, handlerSweepInterval: 0 },
              // Uses the built-in `fetch` instead of a second HTTP client.
              makeRequest: (url, init) => fetch(url, init as never) as never,
            }).setToken(token),
          }
    this.#clients.delete(applicationId)
    this.#clients.set(applicationId, client)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return client.rest
  }
}

function rejectAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/** A response without content is an empty buffer. */
function isEmpty(answer: unknown): boolean {
  return answer instanceof ArrayBuffer && answer.byteLength === 0
}

const KINDS: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'token_revoked',
  403: 'forbidden',
  404: 'unknown',
  429: 'limited',
}

function failureOf({ DiscordAPIError, HTTPError, RateLimitError }: Library, error: unknown): DiscordFailure {
  if (error instanceof DiscordAPIError)
    return new DiscordFailure(KINDS[error.status] ?? 'unreachable', Number(error.code), error.message)
  if (error instanceof HTTPError) return new DiscordFailure(KINDS[error.status] ?? 'unreachable')
  if (error instanceof RateLimitError) return new DiscordFailure('limited')
  return new DiscordFailure('unreachable')
}
