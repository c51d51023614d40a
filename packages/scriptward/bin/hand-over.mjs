/**
 * Which program a word of the command line means, and how it is run. Plain JavaScript for Node 20, because it runs before
 * anything else can.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

export const OLDEST_MAJOR = 24

/** V8 lets the young generation grow to 32 MiB before it collects; an idle service should stay small. */
export const SERVER_FLAGS = ['--max-semi-space-size=4']

/** First words that the service's own program takes, by what it calls them. The others are for the author's command line. */
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

/** The arguments of the service's program; undefined where the words are for the author's command line. */
export function serverArguments([word, ...rest]) {
  if (Object.hasOwn(SERVER_WORDS, word)) return [SERVER_WORDS[word], ...rest]
  const [about = '', ...more] = word === 'help' ? rest : []
  return Object.hasOwn(SERVER_WORDS, about) ? [SERVER_WORDS[about], ...more, '--help'] : undefined
}

const PARENT_POLL_MS = 200

/** Read before anything is installed, during which it may end. */
const SHELL = process.ppid

export function isTooOld() {
  return Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR
}

/** Runs it on this terminal, passes signals on, and ends with its exit code. */
export function handOver(node, args, env) {
  const child = spawn(node, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to the child as well; a second one would end it before it has stopped in order.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => {
    process.stderr.write(`scriptward: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
  stopWithNpm(child)
}

/** npm passes SIGTERM to the shell between it and this process, and that shell ends without passing it on. */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return
  const timer = setInterval(() => {
    if (process.ppid === SHELL) return
    clearInterval(timer)
    child.kill('SIGTERM')
  }, PARENT_POLL_MS)
  timer.unref()
}
