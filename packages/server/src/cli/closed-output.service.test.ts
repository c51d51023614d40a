/** What the server's program does when nothing reads its output, or when its output can't be written. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { startServer, type TestServer } from '../../test/harness.ts'
import { programOf } from '../../test/programs.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer(sqlite)
})
afterAll(() => server.close())

/** Runs a command line in which `$SERVER` is the program. Resolves to its exit code and error messages. */
async function shell(line: string) {
  const env = {
    PATH: process.env.PATH,
    SERVER: `${process.execPath} ${programOf('service')}`,
    SCRIPTWARD_DATA_DIR: server.location.dataDir,
  }
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, said }
}

test('a command succeeds if the reader of its output needs no more of it', async () => {
  expect(await shell('$SERVER config | true')).toEqual({ code: 0, said: '' })
})

test('a command reports that its output cannot be written', async () => {
  const { code, said } = await shell('$SERVER config > /dev/full')
  expect(said).toMatch(/^scriptward: standard output cannot be written: ENOSPC.*\n$/)
  expect(code).toBe(1)
})

test.each([
  ['$SERVER backup - | true', 'the program that reads the backup stopped before the backup was complete'],
  ['$SERVER backup - > /dev/full', 'the disk that standard output is written to is full'],
])('a backup that cannot be written is not a fault of the data folder: %s', async (line, words) => {
  const { code, said } = await shell(line)
  expect(said.trimEnd().split('\n').at(-1)).toBe(`scriptward: ${words}`)
  expect(code).toBe(1)
})

test('a server keeps running if nothing reads its messages', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-unread-'))
  const env = {
    PATH: process.env.PATH,
    SCRIPTWARD_DATA_DIR: dataDir,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_LOG_FORMAT: 'json',
  }
  const child = spawn(process.execPath, [programOf('service'), 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let log = ''
  child.stderr.on('data', (part) => {
    log += part
  })
  await expect.poll(() => log).toContain('"event":"started"')
  const url = /"url":"([^"]+)"/.exec(log)?.[1]
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
  rmSync(dataDir, { recursive: true })
})
