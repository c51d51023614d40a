/** Tests how `npm start` manages the server process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_KEY } from '../bench/served.ts'
import { runningRequests } from '../packages/server/test/running-requests.ts'

const ROOT = path.dirname(import.meta.dirname)

test('SIGTERM to npm stops the server too', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-launch-'))
  const settings = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'data') }
  // Runs in its own process group, which ends with the test.
  const npm = spawn('npm', ['start'], { cwd: ROOT, env: { ...process.env, ...settings }, detached: true })
  try {
    let out = ''
    npm.stdout.on('data', (chunk) => (out += String(chunk)))
    await expect.poll(() => out).toContain('Scriptward listens on')
    const url = /listens on ([^\s"]+)/.exec(out)?.[1]
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    const isUp = () =>
      fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      )
    await expect.poll(isUp).toBe(false)
  } finally {
    endGroup(npm.pid)
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a signal to the whole process group, which the launcher passes on as well', () => {
  let folder: string
  let child: ChildProcess
  let said = ''
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-launch-'))
  })
  afterEach(() => {
    endGroup(child.pid)
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a command in its own process group, and waits for this text. */
  async function start(words: readonly string[], settings: NodeJS.ProcessEnv, until: string) {
    said = ''
    const env = { ...process.env, ...settings }
    child = spawn(process.execPath, ['scripts/launch.mjs', ...words], { cwd: ROOT, env, detached: true })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
    await expect.poll(() => said).toContain(until)
  }
  const interrupt = () => process.kill(-(child.pid ?? 0), 'SIGINT')

  test('lets the server finish its requests', async () => {
    const data = path.join(folder, 'data')
    const settings = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: data, SCRIPTWARD_ADMIN_KEY: ADMIN_KEY }
    await start(['serve'], settings, 'Scriptward listens on')
    const url = /listens on ([^\s"]+)/.exec(said)?.[1] ?? ''
    const body = JSON.stringify({ name: 'Sent in two halves' })
    const headers = { token: ADMIN_KEY, 'content-type': 'application/json', 'content-length': body.length }
    const asked = request(`${url}/v1/projects/new`, { method: 'POST', headers })
    const answered = once(asked, 'response')
    asked.write(body.slice(0, 5))
    await expect.poll(() => runningRequests(url)).toBe(1)
    interrupt()
    await expect.poll(() => fetch(url).catch(() => 'refused')).toBe('refused')
    asked.end(body.slice(5))
    const [{ statusCode }] = await answered
    expect(statusCode).toBe(200)
    expect(await once(child, 'close')).toEqual([0, null])
  })

  test('lets `try` remove its folder', async () => {
    await start(['try', '--no-browser'], { TMPDIR: folder }, 'Protecting')
    interrupt()
    expect(await once(child, 'close')).toEqual([130, null])
    expect(readdirSync(folder)).toEqual([])
  })
})

function endGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL')
  } catch {
    // All processes of the group have already ended.
  }
}
