/**
 * Prometheus metrics for the operator at `/metrics`. Labels are route patterns, methods and statuses, never
 * URLs, which can contain keys.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { lastBackupAt } from '../features/backups/backups.ts'
import { DURATION_BUCKETS, type RequestFigures } from '../features/system/request-figures.ts'
import { countDueEvents } from '../features/webhooks/store/outbox.ts'
import { patternOf } from './log.ts'

/** Counting stops at this number, because larger numbers make no difference. */
const MAX_EVENTS = 100_000
const DELAY_RESOLUTION_MS = 20

/** Request headers in which proxies pass on the client's address. */
const FORWARDED =
  /^(x-forwarded|x-real-|x-client-|x-cluster-|x-original-|x-envoy-|forwarded$|via$)|-(client|connecting)-ip$/
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/**
 * Allows readers with the token or, if none is set, this machine only. Behind a local proxy, all clients have
 * the proxy's IP address, so requests that were forwarded, or sent to another host, are rejected.
 */
export function mayReadMetrics(token: string | undefined, { headers, socket }: IncomingMessage): boolean {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`)
  const isForwarded = Object.keys(headers).some((name) => FORWARDED.test(name))
  const isHere = LOCAL_HOST.test(headers.host ?? 'localhost')
  return isHere && !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

/** Compares two strings in constant time. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Histogram<'method' | 'route' | 'status'>
  readonly #failures: Counter
  readonly #running: Gauge
  readonly #figures: RequestFigures
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })

  constructor(deps: Deps) {
    const registers = [this.#registry]
    this.#figures = deps.requests
    this.#requests = new Histogram({
      name: 'scriptward_http_request_duration_seconds',
      help: 'Duration of HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    })
    this.#failures = new Counter({
      name: 'scriptward_http_failures_total',
      help: 'HTTP requests that failed with an unexpected error; each is logged.',
      registers,
    })
    this.#running = new Gauge({
      name: 'scriptward_http_requests_running',
      help: 'HTTP requests in flight.',
      registers,
    })
    this.#registerProcess()
    this.#registerStores(deps)
    this.#delay.enable()
  }

  /** Records a completed request. */
  observe(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
    const labels = { method: request.method, route: patternOf(request), status: String(statusCode) }
    this.#requests.observe(labels, elapsedTime / 1000)
    if (!waits(request)) this.#figures.note(elapsedTime)
  }

  /** Counts a request as in flight until its response is sent or its connection is gone. */
  trackRunning({ raw }: FastifyReply): void {
    this.#running.inc()
    raw.once('close', () => this.#running.dec())
  }

  countFailure(): void {
    this.#failures.inc()
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  close(): void {
    this.#delay.disable()
  }

  #registerProcess(): void {
    const usage = () => process.memoryUsage()
    const loop = this.#delay
    this.#gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => usage().rss)
    this.#gauge('nodejs_heap_used_bytes', 'Used JavaScript heap.', () => usage().heapUsed)
    this.#gauge('process_uptime_seconds', 'Time since the process started.', () => process.uptime())
    this.#gauge('process_cpu_seconds', 'CPU time of the process, user and system.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
    this.#gauge('nodejs_eventloop_lag_seconds', 'Longest event loop delay since the last scrape.', () => {
      const longest = Math.max(0, loop.max / 1e9 - DELAY_RESOLUTION_MS / 1000)
      loop.reset()
      return longest
    })
  }

  #registerStores(deps: Deps): void {
    const { db, obfuscator, offload, sandbox, sessions } = deps
    this.#gauge('scriptward_database_up', '1 if the database responds, 0 if not.', () =>
      db.ping().then(
        () => 1,
        () => 0,
      ),
    )
    this.#gauge('scriptward_database_queue_length', 'Queued database operations.', () => db.load().waiting)
    this.#gauge('scriptward_database_connections', 'Open database connections.', () => db.load().connections)
    this.#gauge('scriptward_obfuscations_waiting', 'Queued obfuscations.', () => obfuscator.load().waiting)
    this.#gauge(
      'scriptward_obfuscations_running',
      'Obfuscations in progress.',
      () => obfuscator.load().running,
    )
    this.#gauge(
      'scriptward_function_calls_waiting',
      'Queued server function calls.',
      () => sandbox.load().waiting,
    )
    this.#gauge('scriptward_jobs_waiting', 'Queued jobs in the pool.', () => offload.load().waiting)
    this.#gauge('scriptward_jobs_running', 'Jobs in progress in the pool.', () => offload.load().running)
    this.#gauge('scriptward_sessions', 'Live sessions held by this process.', () => sessions.hub.size)
    this.#gauge(
      'scriptward_webhook_events_due',
      `Webhook events due for delivery, counted up to ${MAX_EVENTS}.`,
      () => countDueEvents(db.read, MAX_EVENTS),
    )
    this.#gauge(
      'scriptward_last_backup_timestamp_seconds',
      'Time of the last backup, in seconds since 1970; 0 if there is none.',
      async () => (await lastBackupAt(deps)) / 1000,
    )
  }

  /** A value that can't be read is omitted, so that monitoring works while the database is down. */
  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        try {
          this.set(await read())
        } catch {
          this.reset()
        }
      },
    })
  }
}

/** Returns whether the client or a live session determines how long the request takes. */
function waits({ routeOptions }: FastifyRequest): boolean {
  const { waits, produces } = routeOptions.config.endpoint ?? {}
  return waits === true || produces === 'events' || produces === 'stream'
}
