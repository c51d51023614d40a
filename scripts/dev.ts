/**
 * Development mode: runs the server, which restarts on file changes, and the dashboard with hot reload, using
 * example data in `data-dev/`. Arguments are passed to the server's Node: `npm run dev -- --inspect`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ROOT } from './run.ts'
import { DEV_KEY, seedAndSay } from './seed.ts'

const PORT = process.env.SCRIPTWARD_PORT ?? '8080'
const SERVICE = `http://127.0.0.1:${PORT}`
const POLL_MS = 100
const KILL_MS = 10_000

const env = {
  SCRIPTWARD_DATA_DIR: path.join(ROOT, 'data-dev'),
  SCRIPTWARD_LOG_LEVEL: 'debug',
  ...process.env,
  SCRIPTWARD_PORT: PORT,
  SCRIPTWARD_ADMIN_KEY: DEV_KEY,
}
const children: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop(0))

start([
  '--watch',
  '--watch-preserve-output',
  ...process.argv.slice(2),
  'packages/server/src/main.ts',
  'serve',
])
await untilReady()
if (await seedAndSay(SERVICE, DEV_KEY)) {
  start(['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', 'packages/dashboard'])
  console.log(`Dashboard with hot reload: http://127.0.0.1:5173/dashboard/${await setUpFragment()}`)
} else stop(1)

function start(args: readonly string[]): void {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] })
  child.once('exit', (code) => stop(code ?? 1))
  children.push(child)
}

/**
 * Returns the fragment of a setup link. The fragment is empty once a dashboard user exists, because
 * developers can then sign in.
 */
async function setUpFragment(): Promise<string> {
  const command = ['packages/server/src/main.ts', 'admin', 'setup-link']
  const made = await promisify(execFile)(process.execPath, command, { cwd: ROOT, env }).catch(() => undefined)
  return /#\S+/.exec(made?.stdout ?? '')?.[0] ?? ''
}

function stop(code: number): void {
  for (const child of children) {
    child.kill()
    // If the watched program has crashed, Node's watch mode ignores the first signal.
    setTimeout(() => child.kill('SIGKILL'), KILL_MS).unref()
  }
  process.exitCode = code
}

/** Keeps waiting after a failed start, because the next file change restarts the server. */
async function untilReady(): Promise<void> {
  const isReady = () =>
    fetch(`${SERVICE}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false)
  while (!(await isReady())) {
    if (process.exitCode !== undefined) process.exit()
    await wait(POLL_MS)
  }
}
