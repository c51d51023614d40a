/**
 * Starts a real server that speaks the Redis protocol. A test can freeze it, kill it, and restart it on the
 * same port.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { until } from '../patience.ts'
import { freePort } from '../ports.ts'

export type ValkeyServer = {
  readonly url: string
  /** Makes the server stop responding while its connections stay open. */
  freeze(): void
  thaw(): void
  /** Kills the server, which loses all its data. */
  kill(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Adds these settings to the default settings. */
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
    await untilOpen(port, child)
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

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
    return isOpen(port)
  })
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
