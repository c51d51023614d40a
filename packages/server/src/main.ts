/** The server's command line: starting the server, showing its settings, and the operator commands. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { onStop } from '../../scriptward/bin/signals.mjs'
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

/** Maximum time for a shutdown. Requests that are still open after this time are cut off. */
const STOP_MS = 9000
/**
 * Exiting joins V8's compiler threads, which can deadlock if one of them is waiting for this thread's garbage
 * collection (nodejs/node#54918). After this much idle time, none of them is compiling.
 */
const QUIET_MS = 100

async function serve(): Promise<void> {
  const given = environment()
  const config = readConfig(given)
  const log = openLog(config.logLevel, config.logFormat)
  // The server keeps running if nothing reads its messages anymore.
  process.stdout.on('error', () => {})
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
  const isFirst = running.newApiKey !== undefined
  const banner = isFirst ? await welcome(running, config, say) : undefined
  if (!isFirst && (await hasNoPeople(running.deps))) say(NO_PEOPLE)
  say(`Scriptward listens on ${running.url}`)
  const unsent = await notifySystemd('READY=1', process.env)
  if (banner !== undefined) process.stdout.write(banner)
  if (unsent !== undefined) log.warn(`systemd was not notified that the server is ready: ${unsent}`)
}

/**
 * Returns a function that prints a message to standard output. If standard output isn't a terminal, it may be
 * collected with the log, so the message uses the log format.
 */
function speaker({ logFormat }: Config): (text: string) => void {
  const isText = (logFormat ?? (process.stderr.isTTY ? 'text' : 'json')) === 'text'
  if (process.stdout.isTTY || isText) return (text) => void process.stdout.write(`${text}\n`)
  const log = makeLog('info', process.stdout)
  return (text) => log.info(text)
}

/** Logs only the names of settings, because some values are secrets. `scriptward config` lists the values. */
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
  'Nobody can sign in to the dashboard yet. Create a setup link for the first account with `scriptward admin setup-link`'

/**
 * Returns the API key and the setup link for a terminal, to be printed last, below all startup messages.
 * Without a terminal, the output may be collected in a log, so the key and the link are written to a file
 * that only this user can read. An API key from the settings isn't printed.
 */
async function welcome(
  { newApiKey, deps }: Running,
  { adminKey, dataDir }: Config,
  say: (text: string) => void,
): Promise<string | undefined> {
  const link = await makeSetUpLink(deps)
  if (link instanceof Refused) return undefined
  const key = `API key of the first admin, for programs: ${newApiKey} (store it: the database contains only its hash)\n`
  const text = `${adminKey === undefined ? key : ''}Setup link for the dashboard, single use, valid for 30 minutes: ${link}\n`
  if (process.stdout.isTTY) return bannerOf(link, adminKey === undefined ? newApiKey : undefined)
  const file = path.join(dataDir, WELCOME_FILE)
  await writePrivate(file, randomBytes, text)
  const what = adminKey === undefined ? 'API key of the first admin and setup link' : 'Setup link'
  say(`${what}: read ${file}, then delete it`)
  return undefined
}

function bannerOf(link: string, apiKey: string | undefined): string {
  const key = [
    '',
    'API key of the first admin, for programs. Store it: the database contains only its hash.',
    `  ${apiKey}`,
  ]
  return [
    '',
    'Open this link to set up the dashboard. It works once, within 30 minutes.',
    `  ${link}`,
    ...(apiKey === undefined ? [] : key),
    '',
    'Press Ctrl-C to stop.\n',
  ].join('\n')
}

/**
 * The first signal lets open requests finish, for up to nine seconds. A second signal cuts them off
 * immediately.
 */
function stopOnSignals(running: Running, log: Logger): void {
  let since = 0
  const end = (signal: string, forced: boolean) => {
    const ms = Math.round(performance.now() - since)
    const uptime_ms = Math.round(process.uptime() * 1000)
    log[forced ? 'warn' : 'info']({ event: 'stopped', signal, uptime_ms, ms, forced }, 'stopped')
    process.exit(forced ? 1 : 0)
  }
  const stop = async (signal: string) => {
    since = performance.now()
    void notifySystemd('STOPPING=1', process.env)
    setTimeout(end, STOP_MS, signal, true).unref()
    await running.close()
    await wait(QUIET_MS)
    end(signal, false)
  }
  onStop(
    (signal) => void stop(signal),
    (signal) => end(signal, true),
  )
}

const LABELS: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok   ',
  off: 'off  ',
  warning: 'WARN ',
  wrong: 'FAIL ',
}

async function doctor({ verifyAudit }: { readonly verifyAudit?: true }): Promise<void> {
  const found = await (verifyAudit ? examineAudit : examine)(environment())
  const lines = found.map(
    ({ name, state, text }) => `${LABELS[state]} ${name}${text === undefined ? '' : `: ${text}`}\n`,
  )
  print(lines.join(''))
  process.exitCode = found.some(({ state }) => state === 'wrong') ? 1 : 0
}

/** Prints the result of a command. */
function print(text: string): void {
  if (!process.stdout.listeners('error').includes(outputFailed)) process.stdout.on('error', outputFailed)
  process.stdout.write(text)
}

/** The reader of a pipe, such as `head` or `grep -q`, may close it early. That isn't an error. */
function outputFailed({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return
  process.stderr.write(`scriptward: standard output cannot be written: ${message}\n`)
  process.exitCode = 1
}

/** The shell's exit code for SIGINT: 128 + 2. */
const INTERRUPTED = 130

/**
 * Returns a signal that aborts on the first Ctrl-C, so that a command can clean up. A second Ctrl-C ends the
 * process.
 */
function untilStopped(): AbortSignal {
  const stopping = new AbortController()
  onStop(
    () => stopping.abort(),
    () => process.exit(INTERRUPTED),
  )
  return stopping.signal
}

export async function commands(): Promise<Command> {
  const { Command } = await import('commander')
  const { addAdmin } = await import('./cli/admin.ts')
  const { addBackup } = await import('./cli/backup.ts')
  const { addExamples } = await import('./cli/examples.ts')
  const { addMove } = await import('./cli/move.ts')
  const program = new Command('scriptward')
    .description('Protect and license Lua and Luau scripts.')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'scriptward: ')) })
  program.command('serve').description('Start the server').action(serve)
  program
    .command('config')
    .description('List all settings with values and descriptions')
    .action(() => print(describeConfig(environment())))
  program
    .command('doctor')
    .description('Check that the server can start on this machine')
    .option('--verify-audit', 'Check the audit log for tampering instead')
    .action(doctor)
  addBackup(program, {
    now: Date.now,
    config: () => readConfig(environment()),
    print,
    warn: (text) => void process.stderr.write(`scriptward: ${text}\n`),
    output: process.stdout,
    untilStopped,
  })
  addMove(program, {
    config: () => readConfig(environment()),
    print,
    terminal: process.stderr,
    untilStopped,
  })
  addAdmin(program, {
    now: Date.now,
    random: randomBytes,
    print,
    config: () => readConfig(environment()),
  })
  addExamples(program)
  return program
}

function isInterruption(error: unknown): boolean {
  return ((error as Error).cause as Error | undefined)?.name === 'AbortError'
}

/** Starting the server doesn't load commander and the operator commands, which saves memory. */
async function main(words: readonly string[]): Promise<void> {
  if (words.length === 1 && words[0] === 'serve') return serve()
  const program = await commands()
  await program.parseAsync()
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    const lines = (error as Error).message.split('\n')
    process.stderr.write(lines.map((line) => `scriptward: ${line}\n`).join(''))
    process.exit(isInterruption(error) ? INTERRUPTED : 1)
  })
}
