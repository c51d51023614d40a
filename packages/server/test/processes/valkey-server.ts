/** A real server that speaks the Redis protocol, which a test may silence, kill and start again at the same place. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type ValkeyServer = {
  readonly url: string
  /** It keeps its connections and answers nothing. */
  freeze(): void
  thaw(): void
  /** Ends it; it forgets everything. */
  kill(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

const START_MS = 120_000

/** With these settings beside those that it always has. */
export async function startValkey(further: readonly string[] = []): Promise<ValkeyServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-valkey-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const kill = async () => {
    const running = child
    child = undefined
    if (running === undefined) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  const start = async () => {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      folder,
      ...further,
    ]
    child = spawn('redis-server', settings, { stdio: 'ignore' })
    await untilOpen(port)
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilOpen(port: number): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += 50) {
    if (await isOpen(port)) return
    await wait(50)
  }
  throw new Error('redis-server does not answer: install it with `apt-get install redis-server`')
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1')
  return address.port
}
