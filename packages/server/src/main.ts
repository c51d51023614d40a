/** The command line of the server: starting the service, its settings, and the commands for operators. */
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { type Logger, pino } from 'pino'
import { examine } from './cli/doctor.ts'
import { type Config, describeConfig, readConfig, unknownSettings } from './config.ts'
import { type Running, start } from './start.ts'

/** A stop takes at most this long; requests without an answer are cut off then. */
const STOP_MS = 9000

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
  const { addAdmin } = await import('./cli/admin.ts')
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
