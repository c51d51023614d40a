/**
 * Selects the program for a command and runs it. This file is plain JavaScript for Node 20, because it runs
 * before anything else can.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

export const OLDEST_MAJOR = 24

/**
 * By default, V8 lets the young generation grow to 32 MiB. A smaller limit reduces the memory use of an idle
 * server.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=4']

/**
 * Maps commands to the server program's own names for them. All other commands belong to the authors' CLI.
 */
const SERVER_WORDS = {
  start: 'serve',
  serve: 'serve',
  config: 'config',
  doctor: 'doctor',
  admin: 'admin',
  backup: 'backup',
  'backup-keys': 'backup-keys',
  restore: 'restore',
  'move-to': 'move-to',
}

/** Returns the arguments for the server program, or undefined for commands of the authors' CLI. */
export function serverArguments([word, ...rest]) {
  if (Object.hasOwn(SERVER_WORDS, word)) return [SERVER_WORDS[word], ...rest]
  const [about = '', ...more] = word === 'help' ? rest : []
  return Object.hasOwn(SERVER_WORDS, about) ? [SERVER_WORDS[about], ...more, '--help'] : undefined
}

const PARENT_POLL_MS = 200

/**
 * The shell's process ID is stored at startup, because the shell may exit while dependencies are installed.
 */
const SHELL = process.ppid

export function isTooOld() {
  return Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR
}

/** Runs a program in this terminal, forwards signals and exits with its exit code. */
export function handOver(node, args, env) {
  const child = spawn(node, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal also sends Ctrl-C to the child. A second signal would kill the child before it could shut down
  // cleanly.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => {
    process.stderr.write(`scriptward: ${node} can't start (${error.code}). ${remedyFor(node)}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
  stopWithNpm(child)
}

/** A downloaded Node.js may be damaged or built for a different C library. */
function remedyFor(node) {
  const install = `Install Node.js ${OLDEST_MAJOR} or newer`
  return node === process.execPath ? `${install}.` : `${install}, or delete this file to download it again.`
}

/**
 * Stops the child when npm is stopped. npm sends SIGTERM only to its shell, which exits without forwarding
 * the signal.
 */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return
  const timer = setInterval(() => {
    if (process.ppid === SHELL) return
    clearInterval(timer)
    child.kill('SIGTERM')
  }, PARENT_POLL_MS)
  timer.unref()
}
