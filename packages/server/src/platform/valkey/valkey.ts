/**
 * The Valkey server shared by the processes of one installation, accessed over the Redis protocol. It has one
 * connection for commands and one for subscriptions. Commands are never queued: while the server is down,
 * they fail immediately with {@link ValkeyUnavailable}, and the caller decides how to handle that.
 */
import type { Redis, RedisOptions } from 'iovalkey'

/** Thrown if a command fails or can't be sent. A retry may succeed later. */
export class ValkeyUnavailable extends Error {}

export type Place = {
  readonly url: string
  /** Name of the installation. Installations on the same Valkey server have different names. */
  readonly name: string
  /** Called once for each connection loss. */
  failed(error: Error): void
  /** Command timeout, two seconds by default. After a timeout, all commands fail for `REST_MS`. */
  readonly commandMs?: number
}

export type Receiver = {
  onMessage(channel: string, text: string): void
  /**
   * Called when subscriptions were interrupted and restored, which means that messages may have been lost.
   */
  onGap(): void
}

const COMMAND_MS = 2000
const CONNECT_MS = 3000
const REST_MS = 1000
const MAX_RETRY_MS = 1000

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResubscribe: false,
  keepAlive: 10_000,
  retryStrategy: (attempts) => Math.min(50 * 2 ** attempts, MAX_RETRY_MS),
}

export class Valkey {
  readonly #commands: Redis
  readonly #listener: Redis
  /** A timestamp from `performance.now()`. */
  #restsUntil = 0
  #life: string | undefined
  #returned: () => void = () => {}

  readonly #prefix: string
  readonly #commandMs: number
  readonly #channels = new Set<string>()

  private constructor({ name, commandMs = COMMAND_MS }: Place, connect: () => Redis) {
    this.#prefix = `scriptward:${name}:`
    this.#commandMs = commandMs
    this.#commands = connect()
    this.#listener = connect()
  }

  /** Throws an Error that names the setting if the server doesn't respond. */
  static async open(place: Place): Promise<Valkey> {
    const { url, failed } = place
    // The client is loaded on demand, because a single process doesn't need it.
    const { Redis } = await import('iovalkey')
    const valkey = new Valkey(place, () => new Redis(url, OPTIONS))
    const connections = [valkey.#commands, valkey.#listener]
    let cause: unknown
    try {
      for (const one of connections) {
        // Without a listener, the event would crash the process. The event's error is more specific than the
        // one from `connect`.
        one.on('error', (error) => (cause ??= error))
        await inTime(one.connect(), CONNECT_MS)
      }
      await valkey.#identify()
      valkey.#follow(failed)
      return valkey
    } catch (error) {
      valkey.close()
      throw new Error(`SCRIPTWARD_VALKEY_URL: ${faultOf(messageOf(cause ?? error), url)}`)
    }
  }

  get isUp(): boolean {
    const isThere = this.#commands.status === 'ready' && this.#life !== undefined
    return isThere && performance.now() >= this.#restsUntil
  }

  /**
   * Run ID of the server. A new run ID means that the server restarted or was replaced and may have lost
   * data.
   */
  get life(): string {
    if (this.#life === undefined) throw new ValkeyUnavailable('the connection to Valkey is lost')
    return this.#life
  }

  /** `returned` is called after each reconnection. */
  onReturn(returned: () => void): void {
    this.#returned = returned
  }

  /** Runs a Lua script atomically. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const names = keys.map((key) => this.#prefix + key)
    return this.#ask((redis) => redis.eval(script, names.length, ...names, ...args))
  }

  /** Throws {@link ValkeyUnavailable} if the server doesn't respond. */
  async ping(): Promise<void> {
    await this.#ask((redis) => redis.ping())
  }

  /** Returns the number of subscribers to the channel. */
  publish(channel: string, text: string): Promise<number> {
    return this.#ask((redis) => redis.publish(this.#prefix + channel, text))
  }

  onMessages({ onMessage, onGap }: Receiver): void {
    this.#listener.on('message', (name, text) => onMessage(name.slice(this.#prefix.length), text))
    this.#listener.on('ready', () => void this.#subscribeAgain().then(onGap, () => {}))
  }

  /**
   * Subscribes now and on every reconnection. Messages in between are lost. While the connection is down,
   * resolves immediately, and the next connection subscribes.
   */
  async follow(channel: string): Promise<void> {
    const name = this.#prefix + channel
    this.#channels.add(name)
    await this.#listener.subscribe(name).catch(() => {})
  }

  unfollow(channel: string): void {
    const name = this.#prefix + channel
    this.#channels.delete(name)
    this.#listener.unsubscribe(name).catch(() => {})
  }

  /** Forces a reconnect if a subscription is silent although the connection seems to be up. */
  reconnectListener(): void {
    this.#listener.disconnect(true)
  }

  close(): void {
    this.#commands.disconnect()
    this.#listener.disconnect()
  }

  /** Subscribing fails only if the connection fails, and the next connection subscribes again. */
  async #subscribeAgain(): Promise<void> {
    if (this.#channels.size > 0) await this.#listener.subscribe(...this.#channels)
  }

  #follow(failed: (error: Error) => void): void {
    let isLost = false
    // Each failed reconnect emits the same message, so only the first is reported.
    this.#commands.on('error', (error) => {
      if (!isLost) failed(error)
      isLost = true
    })
    this.#commands.on('ready', () => {
      isLost = false
      this.#identify().catch(() => this.#commands.disconnect(true))
    })
  }

  /** No command is sent before the server's run ID is known. */
  async #identify(): Promise<void> {
    this.#life = undefined
    this.#life = /run_id:(\w+)/.exec(await inTime(this.#commands.info('server'), this.#commandMs))?.[1]
    this.#returned()
  }

  async #ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp) throw new ValkeyUnavailable('the connection to Valkey is lost')
    try {
      return await inTime(question(this.#commands), this.#commandMs)
    } catch (error) {
      // An unresponsive server must not delay every caller.
      this.#restsUntil = performance.now() + REST_MS
      throw new ValkeyUnavailable(`Valkey failed: ${messageOf(error)}`)
    }
  }
}

/**
 * If this process was busy, the response may already be in the socket, so the socket is polled once more
 * before giving up.
 */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`timeout after ${ms} ms`))
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Includes only host and port, because the URL may contain a password. */
function faultOf(message: string, url: string): string {
  const place = URL.parse(url)?.host ?? 'there'
  if (/NOAUTH|WRONGPASS|NOPERM/.test(message))
    return `${place} rejected the user or password (${message}): use redis://user:password@host:port`
  return `no response from ${place} (${message}): start Valkey there, or correct the URL`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
