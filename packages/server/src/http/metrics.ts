/**
 * What an operator's monitoring reads at `/metrics`. Labels are route patterns, methods and statuses and never a part
 * of an address, in which keys stand.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Histogram, Registry } from '@prometheus-io/client'
import type { Deps } from '../deps.ts'
import type { Lulls } from '../lulls.ts'
import { countDueEvents } from '../store/outbox.ts'
import { Durations, type Observed } from './durations.ts'

/** Seconds; a point read takes the first, an upload some of the last. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
/** Counting further would cost more than the difference tells. */
const MOST_EVENTS = 100_000
const DELAY_RESOLUTION_MS = 20

/**
 * Whoever has the token or, where none is set, this machine itself. A proxy on it makes everybody look like that, so
 * that what came through one is refused.
 */
export function mayReadMetrics(token: string | undefined, { headers, socket }: IncomingMessage): boolean {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`)
  const isForwarded = 'forwarded' in headers || 'x-forwarded-for' in headers || 'via' in headers
  return !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

/** As long for a wrong one as for the right one. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Durations(
    'scriptward_http_request_duration_seconds',
    'Requests by method, pattern of the route and status.',
    BUCKETS,
  )
  readonly #failures: Counter
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })

  constructor(deps: Deps, lulls: Lulls) {
    const registers = [this.#registry]
    // It asks less of a metric than its types say, which know those of the library alone.
    this.#registry.registerMetric(this.#requests as unknown as Histogram)
    this.#failures = new Counter({
      name: 'scriptward_http_failures_total',
      help: 'Requests that ended with something thrown; each is in the log.',
      registers,
    })
    this.#gauge(
      'scriptward_http_requests_running',
      'Requests that wait for their answer.',
      () => lulls.answering,
    )
    this.#registerProcess()
    this.#registerStores(deps)
    this.#delay.enable()
  }

  observe(observed: Observed): void {
    this.#requests.observe(observed)
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
    this.#gauge('process_resident_memory_bytes', 'Memory of the process.', () => usage().rss)
    this.#gauge('nodejs_heap_used_bytes', 'JavaScript objects.', () => usage().heapUsed)
    this.#gauge('process_uptime_seconds', 'Since the start of the process.', () => process.uptime())
    this.#gauge('process_cpu_seconds', 'Processor time of the process.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
    this.#gauge('nodejs_eventloop_lag_seconds', 'Longest pause since the last reading.', () => {
      const longest = Math.max(0, loop.max / 1e9 - DELAY_RESOLUTION_MS / 1000)
      loop.reset()
      return longest
    })
  }

  #registerStores({ db, obfuscator, protocol }: Deps): void {
    this.#gauge('scriptward_database_up', 'Whether the database answers.', () =>
      db.ping().then(
        () => 1,
        () => 0,
      ),
    )
    this.#gauge(
      'scriptward_database_waiting',
      'What waits for a connection or its turn to write.',
      () => db.load().waiting,
    )
    this.#gauge('scriptward_database_connections', 'Connections that are open.', () => db.load().connections)
    this.#gauge(
      'scriptward_obfuscations_waiting',
      'Uploads that wait for a thread.',
      () => obfuscator.load().waiting,
    )
    this.#gauge('scriptward_obfuscations_running', 'Threads that obfuscate.', () => obfuscator.load().running)
    this.#gauge('scriptward_sessions', 'Live sessions of this process.', async () => {
      const sessions = await protocol.sessions.list({})
      return sessions.length
    })
    this.#gauge('scriptward_webhook_events_due', `Events to be sent, counted up to ${MOST_EVENTS}.`, () =>
      countDueEvents(db.read, MOST_EVENTS),
    )
  }

  /** What cannot be read is left out, so that monitoring goes on when the database does not. */
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
