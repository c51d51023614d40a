/** The service as its operator meets it: a process that is started, asked, told to stop, and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { jobProcesses } from './obfuscation/job-processes.ts'

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts')

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-process-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

type Settings = Record<string, string>
type Started = { readonly child: ChildProcess; readonly out: () => string; readonly err: () => string }

function run(word: string, settings: Settings = {}): Started {
  const env = {
    PATH: process.env.PATH,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_DATA_DIR: path.join(folder, 'data'),
    ...settings,
  }
  const child = spawn(process.execPath, [MAIN, word], { env })
  children.push(child)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)))
  return { child, out: () => texts.out, err: () => texts.err }
}

async function serve(settings?: Settings): Promise<Started & { url: string }> {
  const started = run('serve', settings)
  while (!started.out().includes('listens on')) {
    await Promise.race([
      once(started.child.stdout as NodeJS.ReadableStream, 'data'),
      once(started.child, 'exit'),
    ])
    if (started.child.exitCode !== null) throw new Error(started.err())
  }
  return { ...started, url: /listens on (\S+)/.exec(started.out())?.[1] ?? '' }
}

async function ended({ child }: Started): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

async function stop(started: Started): Promise<number | null> {
  started.child.kill('SIGTERM')
  return ended(started)
}

const keyIn = (text: string) => /sw_[A-Za-z0-9]{46}/.exec(text)?.[0]

it('prints the first admin’s key on the first start and never again', async () => {
  const first = await serve()
  const key = keyIn(first.out()) ?? ''
  const answer = await fetch(`${first.url}/v1/admin/customers`, { headers: { token: key } })
  expect(await answer.json()).toMatchObject({
    customers: [{ email: 'admin@localhost', admin: true, tier: 0 }],
  })
  expect(await stop(first)).toBe(0)
  expect(first.err()).not.toContain(key)
  const second = await serve()
  expect(keyIn(second.out())).toBeUndefined()
  expect((await fetch(`${second.url}/v1/projects`, { headers: { token: key } })).status).toBe(200)
  expect(await stop(second)).toBe(0)
})

it('takes a chosen key for the first admin and keeps it to itself', async () => {
  const key = 'chosen-by-the-operator'
  const started = await serve({ SCRIPTWARD_ADMIN_KEY: key })
  expect((await fetch(`${started.url}/customers/${key}`)).status).toBe(200)
  await stop(started)
  expect(started.out() + started.err()).not.toContain(key)
})

it('lets nobody else read what it keeps', async () => {
  await stop(await serve())
  expect(statSync(path.join(folder, 'data')).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(folder, 'data', 'scriptward.db')).mode & 0o077).toBe(0)
  expect(statSync(path.join(folder, 'data', 'keyring.json')).mode & 0o077).toBe(0)
})

it('refuses to start without the keyring that its customers need, and makes none', async () => {
  await stop(await serve())
  const keyring = path.join(folder, 'data', 'keyring.json')
  const kept = readFileSync(keyring)
  rmSync(keyring)
  const refused = run('serve')
  expect(await ended(refused)).toBe(1)
  expect(refused.err()).toContain('keyring.json is missing although there are customers: put back its copy')
  const examined = run('doctor')
  expect(await ended(examined)).toBe(1)
  expect(examined.out()).toContain('WRONG keyring')
  expect(existsSync(keyring)).toBe(false)
  writeFileSync(keyring, kept, { mode: 0o600 })
  expect(await stop(await serve())).toBe(0)
})

it('answers what waits when it is told to stop, and accepts nothing new', async () => {
  const { url, ...started } = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  const headers = { token: 'chosen-by-the-operator', 'content-type': 'application/json' }
  let finish = () => {}
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"name":'))
      finish = () => {
        controller.enqueue(Buffer.from('"Last"}'))
        controller.close()
      }
    },
  })
  const waiting = fetch(`${url}/v1/projects/new`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  await fetch(`${url}/healthz`)
  started.child.kill('SIGTERM')
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused')
  finish()
  expect((await waiting).status).toBe(200)
  expect(await ended(started)).toBe(0)
})

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'ended by %s in the middle of a build, leaves no process behind',
  async (signal) => {
    const { url, ...started } = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
    const headers = { token: 'chosen-by-the-operator', 'content-type': 'application/json' }
    const post = (place: string, body: object) =>
      fetch(url + place, { method: 'POST', headers, body: JSON.stringify(body) })
    const { project_id } = (await (await post('/v1/projects/new', { name: 'P' })).json()) as {
      project_id: string
    }
    const script = 'function f(a, b) if a > b then return a - b else return b * 2 end end\n'.repeat(20_000)
    const upload = post(`/v1/projects/${project_id}/scripts/new`, { name: 'S', script }).catch(() => 'gone')
    const pids = () => jobProcesses(started.child.pid ?? 0)
    await expect.poll(pids).toHaveLength(1)
    const [pid] = pids()
    started.child.kill(signal)
    await ended(started)
    await upload
    await expect.poll(() => jobProcesses()).not.toContain(pid)
  },
)

it('names the port that is taken and gives up', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const started = run('serve', { SCRIPTWARD_PORT: String(port) })
  expect(await ended(started)).toBe(1)
  expect(started.err()).toContain(
    `127.0.0.1:${port}; stop what listens there or choose another SCRIPTWARD_PORT`,
  )
  expect(keyIn(started.out())).toBeUndefined()
  other.close()
})

it.each([
  ['SCRIPTWARD_PORT', 'eighty'],
  ['SCRIPTWARD_ADMIN_KEY', 'short'],
  ['SCRIPTWARD_ADMIN_KEY', 'with a blank in between'],
  ['SCRIPTWARD_LOG_LEVEL', 'loud'],
])('refuses %s=%s by its name', async (name, value) => {
  const started = run('serve', { [name]: value })
  expect(await ended(started)).toBe(1)
  expect(started.err()).toContain(`scriptward: ${name} must be`)
})

it('warns of a setting that it does not know', async () => {
  const started = await serve({ SCRIPTWARD_PROT: '1' })
  await stop(started)
  expect(started.err()).toContain('SCRIPTWARD_PROT')
})

it('lists its settings without their secrets', async () => {
  const started = run('config', { SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  expect(await ended(started)).toBe(0)
  expect(started.out()).toContain('SCRIPTWARD_ADMIN_KEY=(set)')
  expect(started.out()).toContain(`SCRIPTWARD_DATA_DIR=${path.join(folder, 'data')}`)
})

it('is found healthy by the doctor before and after the first start', async () => {
  const before = run('doctor')
  expect(await ended(before)).toBe(0)
  await stop(await serve())
  const after = run('doctor')
  expect(await ended(after)).toBe(0)
  expect(after.out().match(/^ok /gm)).toHaveLength(6)
})

it('is told by the doctor what to mend', async () => {
  await stop(await serve())
  chmodSync(path.join(folder, 'data'), 0o755)
  const started = run('doctor', { SCRIPTWARD_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  expect(await ended(started)).toBe(1)
  expect(started.out()).toMatch(/WRONG data folder: .*chmod 700/)
  expect(started.out()).toMatch(/WRONG database: \S/)
})
