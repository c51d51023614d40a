/** How `npm start` manages the server process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.dirname(import.meta.dirname)

test('SIGTERM to npm stops the server too', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-launch-'))
  const settings = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'data') }
  // Uses its own process group, which ends with the test.
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

function endGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL')
  } catch {
    // All of its processes have ended.
  }
}
