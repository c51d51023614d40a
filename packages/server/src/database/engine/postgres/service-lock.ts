/**
 * Ensures that a PostgreSQL database is served by only one process, or by several that share a Valkey
 * instance. Uses an advisory lock on a dedicated connection, so that the lock is released however the process
 * ends.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './pool.ts'

export type ServiceLock = { release(): Promise<void> }

export type Holding = {
  readonly url: string
  /** Whether the lock is shared rather than exclusive, so that other processes can share it. */
  readonly isShared: boolean
  /**
   * Called if the connection is lost and another process takes the lock before the connection is restored.
   */
  readonly lost: () => void
}

/** An arbitrary number that other programs on the same database are unlikely to lock. */
const LOCK = 7_381_920_144
/** Maximum time that PostgreSQL takes to notice that the process holding the lock has ended. */
const PATIENCE_MS = 5000
const POLL_MS = 200
const BEAT_MS = 10_000
const REGAIN_MS = 1000
/** Makes the server drop the connection to an unreachable machine after 25 seconds instead of two hours. */
const KEEPALIVE = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'

/** Resolves to undefined if another process holds the lock. Throws database and connection errors. */
export async function lockService(holding: Holding): Promise<ServiceLock | undefined> {
  const client = await connectLocked(holding, PATIENCE_MS)
  return client && new HeldLock(holding, client)
}

/** Checks whether the lock is available without taking it. */
export async function isServiceFree(holding: Pick<Holding, 'url' | 'isShared'>): Promise<boolean> {
  const client = await connectLocked(holding, 0)
  await client?.end()
  return client !== undefined
}

type Place = Pick<Holding, 'url' | 'isShared'>

async function connectLocked({ url, isShared }: Place, patienceMs: number): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: KEEPALIVE,
  })
  // A connection that breaks emits an error, which would crash the process if there were no listener.
  client.on('error', () => {})
  await client.connect()
  try {
    const last = performance.now() + patienceMs
    while (!(await tryToLock(client, isShared))) {
      if (performance.now() >= last) return await client.end().then(() => undefined)
      await setTimeout(POLL_MS)
    }
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function tryToLock(client: pg.Client, isShared: boolean): Promise<boolean> {
  const name = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query(`select ${name}($1) as locked`, [LOCK])
  return rows[0]?.locked === true
}

/** Reacquires the lock after its connection is lost, for example when PostgreSQL restarts. */
class HeldLock implements ServiceLock {
  readonly #holding: Holding
  #client: pg.Client | undefined
  #beats: NodeJS.Timeout | undefined
  #isReleased = false

  constructor(holding: Holding, client: pg.Client) {
    this.#holding = holding
    this.#watch(client)
  }

  async release(): Promise<void> {
    this.#isReleased = true
    clearInterval(this.#beats)
    await this.#client?.end().catch(() => {})
  }

  #watch(client: pg.Client): void {
    this.#client = client
    client.once('end', () => void this.#regain())
    // A server that disappears silently leaves a connection that looks open.
    const beat = () => client.query('select 1').catch(() => client.end().catch(() => {}))
    this.#beats = setInterval(beat, BEAT_MS).unref()
  }

  async #regain(): Promise<void> {
    clearInterval(this.#beats)
    this.#client = undefined
    for (let isTold = false; !this.#isReleased; ) {
      const found = await connectLocked(this.#holding, 0).catch(() => 'away' as const)
      if (found instanceof pg.Client) return this.#keep(found)
      if (found === undefined && !isTold) this.#holding.lost()
      isTold ||= found === undefined
      await setTimeout(REGAIN_MS, undefined, { ref: false })
    }
  }

  async #keep(client: pg.Client): Promise<void> {
    if (this.#isReleased) await client.end().catch(() => {})
    else this.#watch(client)
  }
}
