/**
 * Finds a Node.js that can run this project, installs the dependencies when they are not there yet, and
 * hands over. Plain JavaScript for Node 20, because it runs before anything else can.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { fail, INSTALL_FLAGS, ROOT, run, runtime } from './runtime.mjs'

/** First word of the command line → the file that runs it. Anything else is a command of the author's CLI. */
const SERVER = 'packages/server/src/main.ts'
/** V8 lets the young generation grow to 32 MiB before it collects; an idle service should stay small. */
const SERVER_FLAGS = ['--max-semi-space-size=4']
const TARGETS = {
  start: [SERVER, 'serve'],
  serve: [SERVER, 'serve'],
  config: [SERVER, 'config'],
  doctor: [SERVER, 'doctor'],
  admin: [SERVER, 'admin'],
  dev: ['scripts/dev.ts'],
  seed: ['scripts/seed.ts'],
  setup: ['scripts/setup.ts'],
  test: ['scripts/test.ts'],
  'test:unit': ['scripts/test-unit.ts'],
  'test:crash': ['scripts/crash.ts'],
  bench: ['bench/main.ts'],
  'bench:attacks': ['bench/attacks.ts'],
  'bench:obfuscator': ['bench/obfuscator.ts'],
  fuzz: ['scripts/fuzz.ts'],
  check: ['scripts/check.ts'],
  'check:commits': ['scripts/check-commits.ts'],
  generate: ['scripts/generate.ts'],
}
const CLI = 'packages/cli/src/main.ts'

/**
 * Dependencies are installed again whenever the lock file differs from the one they were installed from. Not by
 * `npm ci`: it refuses a lock file that lacks binaries of other platforms, which not every registry carries.
 */
function installDependencies(node, env) {
  const lock = readFileSync(path.join(ROOT, 'package-lock.json'))
  const wanted = createHash('sha256').update(lock).digest('hex')
  const stamp = path.join(ROOT, 'node_modules', '.scriptward-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write('scriptward: installing dependencies\n')
  run('npm', ['install', '--no-save', ...INSTALL_FLAGS], env)
  writeFileSync(stamp, wanted)
  compileService(node, env)
}

/** Into the compile cache: a first start that compiles holds 20 MiB more for as long as it runs. */
function compileService(node, env) {
  spawnSync(node, [...SERVER_FLAGS, path.join(ROOT, SERVER), 'config'], { cwd: ROOT, env, stdio: 'ignore' })
}

/** The dashboard's pages are built once for each state of their sources. */
function buildDashboard(node, env) {
  const home = path.join(ROOT, 'packages', 'dashboard')
  const sources = [
    path.join(ROOT, 'packages', 'sdk', 'src'),
    path.join(home, 'src'),
    path.join(home, 'index.html'),
  ]
  const wanted = createHash('sha256')
  for (const file of sources.flatMap(filesBelow)) wanted.update(file).update(readFileSync(file))
  const stamp = path.join(home, 'dist', '.sources')
  const digest = wanted.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  process.stderr.write('scriptward: building the dashboard\n')
  run(
    node,
    [path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel=warn', home],
    env,
  )
  writeFileSync(stamp, digest)
}

function filesBelow(place) {
  if (!statSync(place).isDirectory()) return [place]
  return readdirSync(place)
    .sort()
    .flatMap((name) => filesBelow(path.join(place, name)))
}

const PARENT_POLL_MS = 200

/** Read before an installation, during which it may end. */
const SHELL = process.ppid

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

function main() {
  const [word = 'help', ...rest] = process.argv.slice(2)
  const node = runtime()
  const env = {
    ...process.env,
    PATH: path.dirname(realpathSync(node)) + path.delimiter + (process.env.PATH ?? ''),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, '.runtime', 'compile-cache'),
  }
  installDependencies(node, env)
  if (word === 'start' || word === 'serve' || word === 'test') buildDashboard(node, env)
  const [file, ...first] = Object.hasOwn(TARGETS, word) ? TARGETS[word] : [CLI, word]
  const isServer = file === SERVER
  const child = spawn(node, [...(isServer ? SERVER_FLAGS : []), path.join(ROOT, file), ...first, ...rest], {
    env,
    stdio: 'inherit',
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to the child as well; a second one would end it before it has stopped in order.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  stopWithNpm(child)
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
}

main()
