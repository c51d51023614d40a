/**
 * The one server that several processes share, which speaks the Redis protocol: a connection for commands and one that
 * listens. Nothing waits for it: what it cannot do now fails at once with {@link ValkeyUnavailable}, and the caller
 * decides what that means. What is kept there and what is said over it belongs to others.
 */
import type { Redis, RedisOptions } from 'iovalkey'

/** It could not be asked; the same may well succeed later. */
export class ValkeyUnavailable extends Error {}

export type Place = {
  readonly url: string
  /** Of the service; others that use the same server have their own. */
  readonly name: string
  /** Told of each failure of a connection. */
  failed(error: Error): void
}

export type Listening = {
  readonly channels: readonly string[]
  hear(channel: string, text: string): void
}

/** A command that is not answered by then is given up, and others for a moment too. */
const COMMAND_MS = 2000
const CONNECT_MS = 3000
const REST_MS = 1000
const LONGEST_RETRY_MS = 1000

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResubscribe: false,
  keepAlive: 10_000,
  retryStrategy: (attempts) => Math.min(50 * 2 ** attempts, LONGEST_RETRY_MS),
}

export class Valkey {
  readonly #commands: Redis
  readonly #listener: Redis
  /** On the clock of `performance`. */
  #restsUntil = 0
  #life: string | undefined
  #returned: () => void = () => {}

  readonly #prefix: string

  private constructor(name: string, connect: () => Redis) {
    this.#prefix = `scriptward:${name}:`
    this.#commands = connect()
    this.#listener = connect()
  }

  /** Throws an Error with the mend when nobody answers. */
  static async open({ url, name, failed }: Place): Promise<Valkey> {
    // Loaded only where it is used: a service alone has no need of it.
    const { Redis } = await import('iovalkey')
    const valkey = new Valkey(name, () => new Redis(url, OPTIONS))
    const connections = [valkey.#commands, valkey.#listener]
    try {
      for (const one of connections) {
        // Unheard, the event would end the process.
        one.on('error', () => {})
        await one.connect()
      }
      await valkey.#meet()
      valkey.#follow(failed)
      return valkey
    } catch (error) {
      valkey.close()
      throw new Error(`SCRIPTWARD_VALKEY_URL: nobody answers there: ${wordsOf(error)}`)
    }
  }

  get isUp(): boolean {
    const isThere = this.#commands.status === 'ready' && this.#life !== undefined
    return isThere && performance.now() >= this.#restsUntil
  }

  /** Changes when the server was restarted or replaced, which may have forgotten what was last. */
  get life(): string {
    if (this.#life === undefined) throw new ValkeyUnavailable('the connection to Valkey is lost')
    return this.#life
  }

  /** `returned` is called each time that the connection is there again. */
  onReturn(returned: () => void): void {
    this.#returned = returned
  }

  /** Runs a script, which is all done or not begun, and which sees nobody else's change in between. */
  run(script: string, keys: readonly string[], given: readonly (string | number)[]): Promise<unknown> {
    const names = keys.map((key) => this.#prefix + key)
    return this.#ask((redis) => redis.eval(script, names.length, ...names, ...given))
  }

  /** Answers how many listen on the channel. */
  publish(channel: string, text: string): Promise<number> {
    return this.#ask((redis) => redis.publish(this.#prefix + channel, text))
  }

  /** Again after every loss of the connection; what is said in between is not heard. */
  async listen({ channels, hear }: Listening): Promise<void> {
    const names = channels.map((channel) => this.#prefix + channel)
    this.#listener.on('message', (name, text) => hear(name.slice(this.#prefix.length), text))
    // What fails here fails with the connection, and the next one subscribes again.
    this.#listener.on('ready', () => void this.#listener.subscribe(...names).catch(() => {}))
    await this.#listener.subscribe(...names)
  }

  /** Reconnects the listener: for a process that hears nothing although everything seems well. */
  relisten(): void {
    this.#listener.disconnect(true)
  }

  close(): void {
    this.#commands.disconnect()
    this.#listener.disconnect()
  }

  #follow(failed: (error: Error) => void): void {
    let isLost = false
    // Each attempt to come back fails in the same words, of which one is enough.
    this.#commands.on('error', (error) => {
      if (!isLost) failed(error)
      isLost = true
    })
    this.#commands.on('ready', () => {
      isLost = false
      this.#meet().catch(() => this.#commands.disconnect(true))
    })
  }

  /** Nothing is asked before it is known who answers. */
  async #meet(): Promise<void> {
    this.#life = undefined
    this.#life = /run_id:(\w+)/.exec(await inTime(this.#commands.info('server')))?.[1]
    this.#returned()
  }

  async #ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp) throw new ValkeyUnavailable('the connection to Valkey is lost')
    try {
      return await inTime(question(this.#commands))
    } catch (error) {
      // One that does not answer must not hold up everybody for a second each.
      this.#restsUntil = performance.now() + REST_MS
      throw new ValkeyUnavailable(`Valkey did not do it: ${wordsOf(error)}`)
    }
  }
}

/** A process that was busy itself finds the answer waiting when it gets to look, so it looks before it gives up. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer in ${COMMAND_MS} ms`))
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), COMMAND_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
