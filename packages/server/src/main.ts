/** The command line of the server: starting the service, its settings, and the commands for operators. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { Refused } from './api/refusals.ts'
import { examine, examineAudit } from './cli/doctor.ts'
import { type Config, changedSettings, describeConfig, readConfig, unknownSettings } from './config/config.ts'
import { type Environment, environmentIn } from './config/files.ts'
import { hasNoPeople } from './features/people/people.ts'
import { makeSetUpLink } from './features/people/sign-in/set-up.ts'
import { makeLog, openLog } from './log.ts'
import { writePrivate } from './platform/secrets/private-file.ts'
import { commitIn, version } from './release.ts'
import type { Finding } from './runtime-checks.ts'
import { type Running, start } from './start.ts'
import { looseFolder, warningsOf } from './startup-checks.ts'
import { notifySystemd } from './systemd.ts'

const environment = () => environmentIn(process.cwd(), process.env)

/** A stop takes at most this long; requests without an answer are cut off then. */
const STOP_MS = 9000
/**
 * An exit joins the threads in which V8 compiles, and one that needs a collection of this thread first would be waited for
 * without end (nodejs/node#54918). After so long without work none of them compiles.
 */
const QUIET_MS = 100

async function serve(): Promise<void> {
  const given = environment()
  const config = readConfig(given)
  const log = openLog(config.logLevel, config.logFormat)
  for (const warning of [
    ...unknownSettings(given),
    ...warningsOf(config),
    looseFolder(config.dataDir) ?? [],
  ].flat())
    log.warn(warning)
  const running = await start(config, { now: Date.now, random: randomBytes, log })
  log.info(await describeStart(running, given), 'started')
  stopOnSignals(running, log)
  const say = speaker(config)
  if (running.newApiKey !== undefined) await welcome(running, config, say)
  else if (await hasNoPeople(running.deps)) say(NO_PEOPLE)
  say(`Scriptward listens on ${running.url}`)
  const unsent = await notifySystemd('READY=1', process.env)
  if (unsent !== undefined) log.warn(`systemd does not know that the service is ready: ${unsent}`)
}

/**
 * Writes a sentence for people to standard output. Where that is no terminal it may be collected together with the log, and
 * has its form.
 */
function speaker({ logFormat }: Config): (text: string) => void {
  const isText = (logFormat ?? (process.stderr.isTTY ? 'text' : 'json')) === 'text'
  if (process.stdout.isTTY || isText) return (text) => void process.stdout.write(`${text}\n`)
  const log = makeLog('info', process.stdout)
  return (text) => log.info(text)
}

/** Settings by their names alone: values are in `scriptward config`, and some are secrets. */
async function describeStart({ url, deps }: Running, given: Environment) {
  return {
    event: 'started',
    version,
    commit: commitIn(),
    node: process.versions.node,
    engine: deps.config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL',
    url,
    processes: await deps.sessions.network.countProcesses(),
    settings: changedSettings(given),
  }
}

const WELCOME_FILE = 'first-admin.txt'
const NO_PEOPLE =
  'No person can sign in to the dashboard yet: `scriptward admin setup-link` makes a link for the first one'

/**
 * On a terminal they are printed. Any other output may be collected in a log, so they go to a file that this user alone
 * can read. A key that the operator chose is known to them already.
 */
async function welcome(
  { newApiKey, deps }: Running,
  { adminKey, dataDir }: Config,
  say: (text: string) => void,
): Promise<void> {
  const link = await makeSetUpLink(deps)
  if (link instanceof Refused) return
  const key = `API key of the first admin, for programs: ${newApiKey} (store it: only its hash is in the database)\n`
  const text = `${adminKey === undefined ? key : ''}Set-up link for the dashboard, for 30 minutes and once: ${link}\n`
  if (process.stdout.isTTY) return void process.stdout.write(text)
  const file = path.join(dataDir, WELCOME_FILE)
  await writePrivate(file, randomBytes, text)
  const what = adminKey === undefined ? 'API key of the first admin and set-up link' : 'Set-up link'
  say(`${what}: read ${file}, then delete it`)
}

/**
 * The first signal answers the requests in flight; those without an answer after nine seconds are cut off, and so are all
 * of them at a second signal.
 */
function stopOnSignals(running: Running, log: Logger): void {
  let since: number | undefined
  const stop = async (signal: string) => {
    const end = (forced: boolean, code: number) => {
      const ms = Math.round(performance.now() - (since ?? 0))
      const uptime_ms = Math.round(process.uptime() * 1000)
      log[forced ? 'warn' : 'info']({ event: 'stopped', signal, uptime_ms, ms, forced }, 'stopped')
      process.exit(code)
    }
    if (since !== undefined) return end(true, 1)
    since = performance.now()
    void notifySystemd('STOPPING=1', process.env)
    setTimeout(end, STOP_MS, true, 1).unref()
    await running.close()
    await wait(QUIET_MS)
    end(false, 0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

const LABELS: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok   ',
  off: 'off  ',
  warning: 'WARN ',
  wrong: 'WRONG',
}

async function doctor({ verifyAudit }: { readonly verifyAudit?: true }): Promise<void> {
  const found = await (verifyAudit ? examineAudit : examine)(environment())
  for (const { name, state, text } of found)
    process.stdout.write(`${LABELS[state]} ${name}${text === undefined ? '' : `: ${text}`}\n`)
  process.exitCode = found.some(({ state }) => state === 'wrong') ? 1 : 0
}

/** Aborts at the first Ctrl-C, so that a command can clean up; the second one ends the process. */
function untilStopped(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  return stopping.signal
}

async function commands(): Promise<Command> {
  const { Command } = await import('commander')
  const { addAdmin } = await import('./cli/admin.ts')
  const { addBackup } = await import('./cli/backup.ts')
  const { addMove } = await import('./cli/move.ts')
  const program = new Command('scriptward')
    .description('Licenses and protects Lua scripts.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'scriptward: ')) })
  program.command('serve').description('start the service').action(serve)
  program
    .command('config')
    .description('list every setting with its value and meaning')
    .action(() => void process.stdout.write(describeConfig(environment())))
  program
    .command('doctor')
    .description('check that the service can start here')
    .option(
      '--verify-audit',
      'instead, check that no entry of the audit log was changed, removed or inserted',
    )
    .action(doctor)
  addBackup(program, {
    now: Date.now,
    config: () => readConfig(environment()),
    print: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(`scriptward: ${text}\n`),
    output: process.stdout,
    untilStopped,
  })
  addMove(program, {
    config: () => readConfig(environment()),
    print: (text) => void process.stdout.write(text),
    terminal: process.stderr,
    untilStopped,
  })
  addAdmin(program, {
    now: Date.now,
    random: randomBytes,
    print: (text) => void process.stdout.write(text),
    config: () => readConfig(environment()),
  })
  return program
}

function isInterruption(error: unknown): boolean {
  return ((error as Error).cause as Error | undefined)?.name === 'AbortError'
}

/** The service starts without loading the library for command lines and the operators' commands. */
async function main(words: readonly string[]): Promise<void> {
  if (words.length === 1 && words[0] === 'serve') return serve()
  const program = await commands()
  await program.parseAsync()
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    const lines = (error as Error).message.split('\n')
    process.stderr.write(lines.map((line) => `scriptward: ${line}\n`).join(''))
    process.exit(isInterruption(error) ? 130 : 1)
  })
}
