/**
 * Finds a Node.js that can run this project, installs missing dependencies, builds generated files and starts the
 * requested program. It is plain JavaScript for Node 20 because it runs before anything else can.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { handOver, SERVER_FLAGS, serverArguments } from '../packages/scriptward/bin/hand-over.mjs'
import { INSTALL_FLAGS } from '../packages/scriptward/bin/npm.mjs'
import { buildChanged } from './built.mjs'
import { ROOT, run, runtime } from './runtime.mjs'

const SERVER = 'packages/server/src/main.ts'
/**
 * Maps the first argument to the script that runs it. Server commands and the authors' CLI are handled
 * separately.
 */
const TARGETS = {
  dev: ['scripts/dev.ts'],
  seed: ['scripts/seed.ts'],
  setup: ['scripts/setup.ts'],
  test: ['scripts/test.ts'],
  'test:unit': ['scripts/test-unit.ts'],
  'test:nightly': ['scripts/test.ts', '--nightly'],
  'test:crash': ['scripts/crash.ts'],
  bench: ['bench/main.ts'],
  'bench:attacks': ['bench/attacks.ts'],
  'bench:obfuscator': ['bench/obfuscator.ts'],
  fuzz: ['scripts/fuzz.ts'],
  pack: ['scripts/pack.ts'],
  release: ['scripts/release.ts'],
  site: ['scripts/build-site.ts'],
  pictures: ['scripts/take-pictures.ts'],
  check: ['scripts/check.ts'],
  'check:commits': ['node_modules/@commitlint/cli/cli.js'],
  architecture: ['scripts/architecture.ts'],
  generate: ['scripts/check-compatibility.ts', '--update'],
}
const CLI = 'packages/cli/src/main.ts'
/** Commands that serve, pack or test the dashboard's pages. */
const NEEDS_PAGES = [
  ...['start', 'serve', 'test', 'test:nightly', 'bench'],
  ...['pack', 'release', 'site', 'pictures'],
]

/**
 * Reinstalls the dependencies if the lock file has changed since the last install. Doesn't use `npm ci`,
 * because it rejects a lock file without the binaries for other platforms, and not every registry has all
 * binaries.
 */
function installDependencies(node, env) {
  const lock = readFileSync(path.join(ROOT, 'package-lock.json'))
  const wanted = createHash('sha256').update(lock).digest('hex')
  const stamp = path.join(ROOT, 'node_modules', '.scriptward-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write('Installing dependencies (this can take a minute)…\n')
  // Removes the stamp, so that the next start repeats an interrupted install.
  rmSync(stamp, { force: true })
  run('npm', ['install', '--no-save', ...INSTALL_FLAGS], env)
  writeFileSync(stamp, wanted)
  compileService(node, env)
}

/**
 * Fills the compile cache. Without it, the first server process would compile and use 20 MiB more memory
 * until it exits.
 */
function compileService(node, env) {
  spawnSync(node, [...SERVER_FLAGS, path.join(ROOT, SERVER), 'config'], { cwd: ROOT, env, stdio: 'ignore' })
}

/**
 * Returns the generated parts that a command needs. The dashboard needs the SDK, but the server itself
 * doesn't.
 */
function partsFor(word, isServer) {
  if (NEEDS_PAGES.includes(word)) return ['reference', 'sdk', 'dashboard', 'playground']
  const needsNone = isServer || ['setup', 'check:commits'].includes(word)
  return needsNone ? [] : ['reference', 'sdk']
}

async function main() {
  const [word = 'help', ...rest] = process.argv.slice(2)
  const node = await runtime()
  const env = {
    ...process.env,
    PATH: path.dirname(realpathSync(node)) + path.delimiter + (process.env.PATH ?? ''),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, '.runtime', 'compile-cache'),
  }
  installDependencies(node, env)
  const server = serverArguments([word, ...rest])
  buildChanged(partsFor(word, server !== undefined), node, env)
  if (server) return handOver(node, [...SERVER_FLAGS, path.join(ROOT, SERVER), ...server], env)
  const [file, ...first] = Object.hasOwn(TARGETS, word) ? TARGETS[word] : [CLI, word]
  handOver(node, [path.join(ROOT, file), ...first, ...rest], env)
}

await main()
