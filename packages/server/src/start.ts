/**
 * Starts the server: opens its dependencies, passes them on as arguments, and closes them in reverse order.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { ServiceLock } from './database/engine/postgres/service-lock.ts'
import type { Deps } from './deps.ts'
import { endpoints } from './endpoints.ts'
import { createFirstAdmin, isAdminKeyIgnored } from './features/accounts/customers.ts'
import { chainEntries } from './features/audit/chain.ts'
import { endLeftChanges } from './features/changes/unfinished-additions.ts'
import { answerSessionCall } from './features/sessions/asks.ts'
import { storeSessionReports } from './features/sessions/error-reports.ts'
import { reviewOwnSessions } from './features/sessions/reconcile.ts'
import { sessionWorker } from './features/sessions/session-worker.ts'
import { announceProcess } from './features/system/announce-process.ts'
import { webhookWorker } from './features/webhooks/deliver-webhooks.ts'
import { dnsResolver } from './features/webhooks/send/resolve.ts'
import { sender } from './features/webhooks/send/send.ts'
import { signedSend } from './features/webhooks/send/sign.ts'
import { type HeldPort, holdFreePort } from './http/free-port.ts'
import { REVIEW_MS } from './http/live-requests.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { listWorkers } from './jobs/list.ts'
import { tracedWorker } from './jobs/traced-worker.ts'
import { type Running as Jobs, type Pace, startWorkers } from './jobs/worker.ts'
import { countWriters, writeLastCounts } from './jobs/write-counts.ts'
import { type Opened, openDeps, type Surroundings } from './open-deps.ts'
import { listPages } from './page-list.ts'
import { openMailer } from './platform/mail/mailer.ts'
import { noTracing, type Tracing } from './platform/tracing/spans.ts'
import type { SessionFilter } from './protocol/sessions/session.ts'
import { version } from './release.ts'
import { holdDatabase, holdDataFolder, listenFault, tryToListen } from './startup-checks.ts'

export type Running = {
  /** The URL reachable from this machine. */
  readonly url: string
  readonly deps: Deps
  /** The first admin's API key, if this startup created that account and no key was configured. */
  readonly newApiKey: string | undefined
  close(): Promise<void>
}

/**
 * Time that running uploads have to finish during a shutdown. Other uploads get the `unavailable` error and
 * are not charged for.
 */
const LAST_OBFUSCATIONS_MS = 5000
/**
 * Time that webhook deliveries in flight have to finish during a shutdown. Other deliveries are resent after
 * the next startup.
 */
const LAST_WEBHOOKS_MS = 4000

const IGNORED_KEY =
  'SCRIPTWARD_ADMIN_KEY is ignored: the database already has an admin with a different key. To create a new key, run `scriptward admin customers reset-key admin@localhost`'

/** The port must be known before the server listens, because boot records contain it. */
export async function start(given: Config, surroundings: Surroundings): Promise<Running> {
  if (given.port !== 0) return startOn(given, surroundings)
  const held = await holdFreePort(given.host).catch((error: unknown) => {
    throw listenFault(error, given)
  })
  return startOn({ ...given, port: held.port }, surroundings, held).finally(() => held.release())
}

async function startOn(config: Config, surroundings: Surroundings, held?: HeldPort): Promise<Running> {
  const { log } = surroundings
  const tracing = await openTracing(config, surroundings)
  const { deps, close: closeDeps } = await openAlone(config, { ...surroundings, spans: tracing.spans })
  const close = async () => {
    const sent = tracing.close()
    await closeDeps().finally(() => sent)
  }
  try {
    // Checks the port before the first admin is created, because the admin's key would never be shown if
    // startup failed later.
    if (held === undefined) await refuseTakenPort(config)
    const newApiKey = await createFirstAdmin(deps)
    if (newApiKey === undefined && (await isAdminKeyIgnored(deps))) log.warn(IGNORED_KEY)
    if (config.valkeyUrl === undefined) await endLeftChanges(deps)
    await meetProcesses(deps, log)
    const server = createHttpServer(deps, { endpoints, pages: listPages() }, log)
    await held?.release()
    const url = await server.listen().catch((error: unknown) => {
      throw listenFault(error, config)
    })
    const jobs = startJobs(deps, log)
    const tending = startTending(deps, server, surroundings)
    const closeAll = async () => {
      await Promise.all([closeServer(server, deps), jobs.close(), tending.close()])
      await writeLastCounts(deps, paceOf(log).failed)
      // Remaining entries are chained after the next startup.
      if (config.jobs) await chainEntries(deps).catch(() => {})
      await close()
    }
    return { url, deps, newApiKey, close: closeAll }
  } catch (error) {
    await close()
    throw error
  }
}

/** The libraries use memory, so they are loaded only if a collector is configured. */
async function openTracing({ otlp }: Config, { random, log }: Surroundings): Promise<Tracing> {
  if (otlp === undefined) return noTracing
  const { openOtlp } = await import('./platform/tracing/otlp.ts')
  return openOtlp(otlp, { version, instance: random(8).toString('hex') }, log)
}

/**
 * Holds a lock on the data folder or database, from before the database is opened until after it is closed.
 */
async function openAlone(config: Config, surroundings: Surroundings): Promise<Opened> {
  const folder = holdDataFolder(config)
  let database: ServiceLock | undefined
  const release = async () => {
    folder.release()
    await database?.release()
  }
  try {
    database = await holdDatabase(config, (message) => surroundings.log.error(message))
    const { deps, close } = await openDeps(config, surroundings)
    return { deps, close: () => close().finally(release) }
  } catch (error) {
    await release()
    throw error
  }
}

async function closeServer(server: HttpServer, { obfuscator, sessions, backups }: Deps): Promise<void> {
  // Requests that wait for a session's response would delay the shutdown.
  sessions.hub.close()
  const left = sessions.network.close()
  const stopped = backups.close()
  const patience = setTimeout(() => void obfuscator.close(), LAST_OBFUSCATIONS_MS)
  await server.close()
  await Promise.all([left, stopped])
  clearTimeout(patience)
}

async function meetProcesses(deps: Deps, log: Logger): Promise<void> {
  deps.sessions.hub.answerCalls((session, ask) => answerSessionCall(deps, session, ask))
  deps.sessions.hub.takeReports((session, reports) => void storeSessionReports(deps, session, reports))
  const { failed } = paceOf(log)
  const review = (filter: SessionFilter) =>
    void reviewOwnSessions(deps, filter).catch((error: unknown) => failed('review-sessions', error))
  await deps.sessions.network.open(review, deps.now())
}

/** Pauses use the machine's timers, regardless of the server's clock. */
function startJobs(deps: Deps, log: Logger): Jobs {
  const { jobs, mail } = deps.config
  if (!jobs) return { close: async () => {} }
  const mailer = mail && openMailer(mail.url, mail.from)
  const { failed } = recordedPace(deps, log)
  const { privateKey } = deps.secrets.webhooks.signing
  const send = sender({ rules: deps.config, resolve: dnsResolver(deps.config) })
  const webhooks = webhookWorker(deps, {
    send: signedSend(send, privateKey),
    failed: (error) => failed('deliver-webhooks', error),
    patience: () => wait(LAST_WEBHOOKS_MS, undefined, { ref: false }),
  })
  const others = listWorkers(deps, { elapsed: () => performance.now(), mailer })
  const workers = [...others, webhooks].map((worker) => tracedWorker(worker, deps.spans))
  const running = startWorkers(workers, recordedPace(deps, log))
  return { close: () => running.close().then(() => webhooks.close()) }
}

/** Runs in every process, because each process holds its own sessions and requests. */
function startTending(deps: Deps, server: HttpServer, { log, writesCounts = true }: Surroundings): Jobs {
  const longRequests = {
    name: 'review-long-requests',
    everyMs: REVIEW_MS,
    run: () => server.reviewLongRequests().then(() => false),
  }
  const workers = [
    sessionWorker(deps),
    announceProcess(deps),
    ...(writesCounts ? countWriters(deps) : []),
    longRequests,
  ]
  return startWorkers(
    workers.map((worker) => tracedWorker(worker, deps.spans)),
    recordedPace(deps, log),
  )
}

/** Records, for operators, when jobs last ran, last failed, and will run next. */
function recordedPace({ jobs }: Deps, log: Logger): Pace {
  const pace = paceOf(log)
  return {
    ...pace,
    began: (job) => jobs.noteRun(job),
    paused: (job, ms) => jobs.notePause(job, ms),
    failed: (job, error) => {
      jobs.noteFailure(job, error)
      pace.failed(job, error)
    },
  }
}

function paceOf(log: Logger): Pace {
  return {
    wait: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
    chance: () => randomInt(2 ** 32) / 2 ** 32,
    failed: (job, error) =>
      log.error({ job, error: error instanceof Error ? error.stack : String(error) }, 'a job failed'),
  }
}

async function refuseTakenPort(config: Config): Promise<void> {
  const error = await tryToListen(config)
  if (error !== undefined) throw listenFault(error, config)
}
