/**
 * The only file that starts anything: it opens what the service stands on, passes it on as arguments, and closes it
 * in reverse. The words of the command line that need the server are here too.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Logger, pino } from 'pino'
import { ProviderGateway } from './adproviders/gateway.ts'
import { type Config, describeConfig, readConfig, unknownSettings } from './config.ts'
import type { Deps } from './deps.ts'
import { examine } from './doctor.ts'
import { createFirstAdmin } from './domain/accounts/customers.ts'
import { reviewOwnSessions } from './domain/sessions/reconcile.ts'
import { endpoints } from './endpoints/list.ts'
import { listPages } from './endpoints/page-list.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { announceProcess } from './jobs/announce-process.ts'
import { webhookWorker } from './jobs/deliver-webhooks.ts'
import { listWorkers } from './jobs/list.ts'
import { sessionWorker } from './jobs/reconcile-sessions.ts'
import { type Running as Jobs, type Pace, startWorkers } from './jobs/worker.ts'
import { openMailer } from './mail/mailer.ts'
import { openDeps, type Surroundings } from './open-deps.ts'
import type { SessionFilter } from './sessions/session.ts'
import { dnsResolver } from './webhooks/resolve.ts'
import { sender } from './webhooks/send.ts'
import { signedSend } from './webhooks/sign.ts'

export type Running = {
  /** Where it can be reached from this machine. */
  readonly url: string
  readonly deps: Deps
  /** The first admin's API key when this start made that account and nobody had chosen the key. */
  readonly newApiKey: string | undefined
  close(): Promise<void>
}

const STOP_MS = 9000
/** Uploads that take longer than this after a stop was asked for are told to come back, which costs them nothing. */
const LAST_OBFUSCATIONS_MS = 5000
/** Webhooks that are not answered so long after a stop was asked for are sent again after the next start. */
const LAST_WEBHOOKS_MS = 4000

export async function start(given: Config, { now, random, log }: Surroundings): Promise<Running> {
  const config = given.port === 0 ? { ...given, port: await freePort(given.host) } : given
  const { deps, close } = await openDeps(config, { now, random, log })
  try {
    const newApiKey = await createFirstAdmin(deps)
    await meetProcesses(deps, log)
    const providers = new ProviderGateway(config.adProviders, now)
    const server = createHttpServer(deps, { endpoints, pages: listPages(providers) }, log)
    const url = await server.listen()
    const jobs = startJobs(deps, log)
    const tending = startTending(deps, log)
    const closeAll = async () => {
      await Promise.all([closeServer(server, deps), jobs.close(), tending.close()])
      await close()
    }
    return { url, deps, newApiKey, close: closeAll }
  } catch (error) {
    await close()
    throw error
  }
}

async function closeServer(server: HttpServer, { obfuscator, sessions }: Deps): Promise<void> {
  // A request that waits for a session's answer would wait longer than a stop may take.
  sessions.hub.close()
  sessions.network.close()
  const patience = setTimeout(() => void obfuscator.close(), LAST_OBFUSCATIONS_MS)
  await server.close()
  clearTimeout(patience)
}

async function meetProcesses(deps: Deps, log: Logger): Promise<void> {
  const { failed } = paceOf(log)
  const review = (filter: SessionFilter) =>
    void reviewOwnSessions(deps, filter).catch((error: unknown) => failed('review-sessions', error))
  await deps.sessions.network.open(review)
}

/** Pauses are timers of the machine, whatever clock the service goes by. */
function startJobs(deps: Deps, log: Logger): Jobs {
  const { jobs, mail } = deps.config
  if (!jobs) return { close: async () => {} }
  const mailer = mail && openMailer(mail.url, mail.from)
  const { failed } = paceOf(log)
  const { privateKey } = deps.secrets.webhooks.signing
  const send = sender({ rules: deps.config, resolve: dnsResolver(deps.config) })
  const webhooks = webhookWorker(deps, {
    send: signedSend(send, privateKey),
    failed: (error) => failed('deliver-webhooks', error),
    patience: () => wait(LAST_WEBHOOKS_MS, undefined, { ref: false }),
  })
  const others = listWorkers(deps, { elapsed: () => performance.now(), mailer })
  const running = startWorkers([...others, webhooks], paceOf(log))
  return { close: () => running.close().then(() => webhooks.close()) }
}

/** No job that one process may leave to another: the sessions are held here. */
function startTending(deps: Deps, log: Logger): Jobs {
  return startWorkers([sessionWorker(deps), announceProcess(deps)], paceOf(log))
}

function paceOf(log: Logger): Pace {
  return {
    wait: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
    chance: () => randomInt(2 ** 32) / 2 ** 32,
    failed: (job, error) =>
      log.error({ job, error: error instanceof Error ? error.stack : String(error) }, 'a job failed'),
  }
}

/**
 * The address has to be known before anybody listens on it, because boot records carry it. Ports from 32,768 on are given to
 * connections of this machine, one of which could take it until then.
 */
async function freePort(host: string): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    if (await isFree(host, port)) return port
  }
}

async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  await new Promise((resolve) => probe.close(resolve))
  return true
}

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  const log = openLog(config)
  for (const name of unknownSettings(process.env)) log.warn({ name }, 'this setting is not known')
  const running = await start(config, { now: Date.now, random: randomBytes, log })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(running))
  const isTold = running.newApiKey !== undefined && config.adminKey === undefined
  const key = isTold ? welcome(running) : ''
  process.stdout.write(`${key}Scriptward listens on ${running.url}\n`)
}

/** The link carries the key behind `#`, which a browser keeps to itself. */
function welcome({ newApiKey = '', url }: Running): string {
  const link = `${url}/dashboard/#key=${encodeURIComponent(newApiKey)}`
  return `API key of the first admin, shown only this once: ${newApiKey}\nSet-up link, which signs in with it: ${link}\n`
}

/** Answers the requests in flight; those without an answer after nine seconds are cut off. */
async function stop(running: Running): Promise<void> {
  setTimeout(() => process.exit(1), STOP_MS).unref()
  await running.close()
  process.exit(0)
}

/**
 * Lines go to stderr, so that the one with an API key, which goes to stdout, is in no collected log. They are collected
 * and then written at once; a write that another thread had still to do would be lost at the end of the process.
 */
function openLog(config: Config): Logger {
  const destination = pino.destination({ dest: 2, sync: true, minLength: 4096, periodicFlush: 500 })
  process.once('exit', () => destination.flushSync())
  return pino({ level: config.logLevel, base: null }, destination)
}

async function doctor(): Promise<void> {
  const found = await examine(readConfig(process.env))
  for (const { name, fix } of found)
    process.stdout.write(fix === undefined ? `ok    ${name}\n` : `WRONG ${name}: ${fix}\n`)
  process.exitCode = found.some(({ fix }) => fix !== undefined) ? 1 : 0
}

function describeFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `${message}; stop what listens there or choose another SCRIPTWARD_PORT`
  if (code === 'EACCES') return `${message}; give this user the right to it, or choose another place`
  return message
}

async function commands(): Promise<Command> {
  const { Command } = await import('commander')
  const { addAdmin } = await import('./admin.ts')
  const program = new Command('scriptward').description('Licenses and protects Lua scripts.')
  program.command('serve').description('start the service').action(serve)
  program
    .command('config')
    .description('list every setting with its value and meaning')
    .action(() => void process.stdout.write(describeConfig(process.env)))
  program.command('doctor').description('check that the service can start here').action(doctor)
  addAdmin(program, {
    now: Date.now,
    random: randomBytes,
    print: (text) => void process.stdout.write(text),
    config: () => readConfig(process.env),
  })
  return program
}

/** The service itself is begun without the library for command lines and the commands that it is told of. */
async function main(words: readonly string[]): Promise<void> {
  if (words.length === 1 && words[0] === 'serve') return serve()
  const program = await commands()
  await program.parseAsync()
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`scriptward: ${describeFailure(error)}\n`)
    process.exit(1)
  })
}
