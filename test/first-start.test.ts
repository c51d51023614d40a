/** What the first start of a server prints on a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MAIN = path.join(import.meta.dirname, '../packages/server/src/main.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-first-start-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a terminal shows the setup link and the API key last, below the address', async () => {
  const env = { ...process.env, SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: folder }
  // `script` gives the server a terminal. Without `exec`, its shell would receive the signal instead of the server.
  const words = ['-qec', `exec ${process.execPath} ${MAIN} serve`, '/dev/null']
  const terminal = spawn('script', words, { cwd: folder, env })
  let said = ''
  terminal.stdout.on('data', (chunk) => (said += String(chunk)))
  await expect.poll(() => said).toContain('Press Ctrl-C to stop.')
  terminal.kill('SIGTERM')
  await once(terminal, 'exit')
  const [, banner = ''] = /Scriptward listens on http:\S+([\s\S]*)Press Ctrl-C/.exec(said) ?? []
  expect(banner).toMatch(
    /Open this link[\s\S]*#\/set-up\/[\w-]{43}[\s\S]*API key of the first admin[\s\S]*sw_\w+/,
  )
})
