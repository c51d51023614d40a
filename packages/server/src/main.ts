/** The command line of the server: starting the service, its settings, and the commands for operators. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Command } from 'commander'
import { type Logger, pino } from 'pino'
import { examine, examineAudit } from './cli/doctor.ts'
import { type Config, describeConfig, readConfig, unknownSettings } from './config.ts'
import { environmentIn } from './config-files.ts'
import { hasNoPeople } from './domain/people/people.ts'
import { makeSetUpLink } from './domain/people/set-up.ts'
import { Refused } from './domain/refusals.ts'
import type { Finding } from './running-faults.ts'
import { writePrivate } from './secrets/private-file.ts'
import { type Running, start } from './start.ts'
import { looseFolder, warningsOf } from './start-faults.ts'

const environment = () => environmentIn(process.cwd(), process.env)

/** A stop takes at most this long; requests without an answer are cut off then. */
const STOP_MS = 9000

async function serve(): Promise<void> {
  const given = environment()
  const config = readConfig(given)
  const log = openLog(config)
  for (const warning of [
    ...unknownSettings(given),
    ...warningsOf(config),
    looseFolder(config.dataDir) ?? [],
  ].flat())
    log.warn(warning)
  const running = await start(config, { now: Date.now, random: randomBytes, log })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(running))
  if (running.newApiKey !== undefined) await welcome(running, config)
  else if (await hasNoPeople(running.deps)) process.stdout.write(NO_PEOPLE)
  process.stdout.write(`Scriptward listens on ${running.url}\n`)
}

const WELCOME_FILE = 'first-admin.txt'
const NO_PEOPLE =
  'No person can sign in to the dashboard yet: `./scriptward admin setup-link` makes a link for the first one\n'

/**
 * On a terminal they are printed. Any other output may be collected in a log, so they go to a file that this user alone
 * can read. A key that the operator chose is known to them already.
 */
async function welcome({ newApiKey, deps }: Running, { adminKey, dataDir }: Config): Promise<void> {
  const link = await makeSetUpLink(deps)
  if (link instanceof Refused) return
  const key = `API key of the first admin, for programs: ${newApiKey} (store it: only its hash is in the database)\n`
  const text = `${adminKey === undefined ? key : ''}Set-up link for the dashboard, for 30 minutes and once: ${link}\n`
  if (process.stdout.isTTY) return void process.stdout.write(text)
  const file = path.join(dataDir, WELCOME_FILE)
  await writePrivate(file, randomBytes, text)
  const what = adminKey === undefined ? 'API key of the first admin and set-up link' : 'Set-up link'
  process.stdout.write(`${what}: read ${file}, then delete it\n`)
}

/** Answers the requests in flight; those without an answer after nine seconds are cut off. */
async function stop(running: Running): Promise<void> {
  setTimeout(() => process.exit(1), STOP_MS).unref()
  await running.close()
  process.exit(0)
}

/**
 * Lines go to stderr. They are collected and then written at once; a write that another thread had still to do would be
 * lost at the end of the process.
 */
function openLog(config: Config): Logger {
  const destination = pino.destination({ dest: 2, sync: true, minLength: 4096, periodicFlush: 500 })
  process.once('exit', () => destination.flushSync())
  return pino({ level: config.logLevel, base: null }, destination)
}

const LABELS: Readonly<Record<Finding['state'], string>> = { ok: 'ok   ', warning: 'WARN ', wrong: 'WRONG' }

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
  const program = new Command('scriptward').description('Licenses and protects Lua scripts.')
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
  addAdmin(program, {
    now: Date.now,
    random: randomBytes,
    print: (text) => void process.stdout.write(text),
    config: () => readConfig(environment()),
  })
  return program
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
    process.exit(1)
  })
}
