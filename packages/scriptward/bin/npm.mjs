/**
 * Finds npm, runs it, and explains its errors. This file is plain JavaScript for Node 20, because it runs
 * before anything else can.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'

/** Install scripts stay disabled, because no dependency of this project needs them. */
export const INSTALL_FLAGS = [
  ...['--ignore-scripts', '--no-audit', '--no-fund'],
  ...['--no-update-notifier', '--loglevel=error'],
]

/**
 * Without a network, npm's default would wait 10 and then 60 seconds between attempts, without printing
 * anything.
 */
export const QUICK_RETRIES = ['--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000']

/**
 * Returns the command that starts npm. On Windows, npm is a batch file, which Node can't start. Node
 * therefore runs npm's JavaScript program: the one that started this command, or the one installed with Node.
 * Other package managers set the same environment variable.
 */
export function npmCommand({ platform, execPath, env }) {
  if (platform !== 'win32') return ['npm']
  const { dirname, basename, join } = path.win32
  const running = env.npm_execpath ?? ''
  const isNpm = basename(running) === 'npm-cli.js'
  return [execPath, isNpm ? running : join(dirname(execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')]
}

/**
 * Runs npm in a folder. Resolves to `{ code, problems, signal }`: npm's exit code and error messages, and the
 * signal that stopped it, if this process received one. Rejects if npm can't be started.
 */
export function runNpm(cwd, args) {
  const [command, ...first] = npmCommand(process)
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    const stopped = endOnSignals(child)
    let problems = ''
    child.stderr.on('data', (chunk) => {
      problems += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, problems, signal: stopped() }))
  })
}

/**
 * Kills npm when this process receives a signal, so that the caller can remove npm's files. A SIGINT alone
 * wouldn't be enough, because a pending request would keep npm running. Call the returned function when npm
 * has exited.
 */
function endOnSignals(child) {
  let received
  const end = (signal) => {
    received = signal
    child.kill('SIGKILL')
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
    return received
  }
}

const UNREACHABLE = "can't reach its registry. Check your network and npm's proxy settings"
const UNTRUSTED =
  "doesn't trust the certificate of its registry or of your proxy. Set NODE_EXTRA_CA_CERTS to the file with the certificate of its CA"
const UNWRITABLE = "can't write to its cache. Make the folder that `npm config get cache` prints writable"

const REASONS = {
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
  ENOENT: UNWRITABLE,
  ENOTDIR: UNWRITABLE,
  ENOSPC: 'found the disk full. Free up space',
  EINTEGRITY: 'got another package than the expected one. Use another registry',
  E404: "can't find the package in its registry. Use another registry",
}

/**
 * Returns npm's failure and how to fix it, as a sentence without its subject and final period. Returns
 * undefined if npm's error messages contain no known code.
 */
export function explainNpm(problems) {
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(problems)?.[1] ?? ''
  const url = /request to (\S+) failed/.exec(problems)?.[1]
  const place = url === undefined ? code : `${code}, ${url}`
  return Object.hasOwn(REASONS, code) ? REASONS[code].replace('. ', ` (${place}). `) : undefined
}
