/** Tests the cleanup after `scriptward try` is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programOf } from '../packages/server/test/programs.ts'

let folder: string
let command: ChildProcess
let said: string
let server: number

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-trying-'))
  // Runs in its own process group, as in a terminal.
  command = spawn(process.execPath, [programOf('command-line'), 'try', '--no-browser'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  said = ''
  command.stdout?.on('data', (piece) => (said += String(piece)))
  // Before the server starts, the command creates and removes a folder to check its permissions.
  await expect.poll(findServer).toBeGreaterThan(0)
  server = findServer()
  // The folder is the first thing that the command could leave behind.
  await expect.poll(foldersOfServers).toHaveLength(1)
})
afterEach(() => {
  if (isRunning(server)) process.kill(server, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Returns 0 as long as the command has no child process. */
const findServer = () =>
  Number(readFileSync(`/proc/${command.pid}/task/${command.pid}/children`, 'utf8').split(' ')[0])
const foldersOfServers = () => readdirSync(folder).filter((name) => name.startsWith('scriptward-try-'))

async function untilOpen(): Promise<void> {
  await expect.poll(() => said).toContain('Press Ctrl-C')
  expect(isRunning(server)).toBe(true)
}

async function nothingStays(): Promise<void> {
  await expect.poll(() => isRunning(server)).toBe(false)
  expect(foldersOfServers()).toEqual([])
}

test('killing the command ends its server and removes the folder', async () => {
  await untilOpen()
  command.kill('SIGKILL')
  await nothingStays()
})

test('killing the command while its server starts leaves nothing behind', async () => {
  command.kill('SIGKILL')
  await nothingStays()
})

test('closing the terminal leaves nothing behind', async () => {
  await untilOpen()
  process.kill(-(command.pid ?? 0), 'SIGHUP')
  await nothingStays()
})

test('killing the server ends the command, which removes the folder', async () => {
  await untilOpen()
  process.kill(server, 'SIGKILL')
  await expect.poll(() => command.exitCode).toBe(0)
  await nothingStays()
})

/** A zombie process has an empty command line. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
