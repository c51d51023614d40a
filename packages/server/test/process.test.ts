/**
 * Tests the server from the operator's perspective, as a process that is started, called, stopped and
 * restarted.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, it } from 'vitest'
import { mayMount, UNSHARE } from './mounts.ts'
import { jobProcesses } from './obfuscation/job-processes.ts'
import { ended, inOwnFolder, listening, place, run, runOnTerminal, serve, stop } from './own-process.ts'
import { programOf } from './programs.ts'
import { runningRequests } from './running-requests.ts'

inOwnFolder()

const keyIn = (text: string) => /sw_[A-Za-z0-9]{46}/.exec(text)?.[0]
const welcomeFile = () => place('data', 'first-admin.txt')

it("the server writes the first admin's key to a private file if its output may be collected, and names the file", async () => {
  const first = await serve()
  expect(keyIn(first.out() + first.err())).toBeUndefined()
  expect(first.out()).toContain(`read ${welcomeFile()}, then delete it`)
  expect(statSync(welcomeFile()).mode & 0o777).toBe(0o600)
  const text = readFileSync(welcomeFile(), 'utf8')
  const key = keyIn(text) ?? ''
  expect(text).toMatch(/\/dashboard\/#\/set-up\/[\w-]{43}\n/)
  expect(text).not.toContain('#key=')
  const answer = await fetch(`${first.url}/v1/admin/customers`, { headers: { token: key } })
  expect(await answer.json()).toMatchObject({
    customers: [{ email: 'admin@localhost', admin: true, tier: 0 }],
  })
  expect(await stop(first)).toBe(0)
  rmSync(welcomeFile())
  const second = await serve()
  expect(second.out()).not.toContain('API key')
  expect(second.out()).toContain('scriptward admin setup-link')
  expect(existsSync(welcomeFile())).toBe(false)
  expect((await fetch(`${second.url}/v1/projects`, { headers: { token: key } })).status).toBe(200)
  expect(await stop(second)).toBe(0)
})

it("the server prints the first admin's key on a terminal, and writes no file with it", async () => {
  const terminal = runOnTerminal('serve')
  await listening(terminal)
  await expect.poll(terminal.out).toContain('Press Ctrl-C to stop.')
  // The next steps are printed after all other startup messages.
  const [, banner = ''] = terminal.out().split('Scriptward listens on')
  expect(banner).toMatch(/Open this link.*\s+http\S+\/dashboard\/#\/set-up\/[\w-]{43}\s/)
  expect(keyIn(banner)).toBeDefined()
  expect(existsSync(welcomeFile())).toBe(false)
  terminal.child.stdin?.write('\u0003')
  await ended(terminal)
})

it("the server reports that a configured key is ignored by a store with an admin, unless it is that admin's", async () => {
  const first = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  await stop(first)
  expect(first.err()).not.toContain('is ignored')
  const second = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  await stop(second)
  expect(second.err()).not.toContain('is ignored')
  const third = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-too-late-for-this' })
  await stop(third)
  expect(third.err()).toContain('SCRIPTWARD_ADMIN_KEY is ignored')
  expect(third.err()).toContain('scriptward admin customers reset-key admin@localhost')
  expect(third.err()).not.toContain('chosen-too-late')
})

it('the server accepts a configured key for the first admin and never prints it', async () => {
  const key = 'chosen-by-the-operator'
  const started = await serve({ SCRIPTWARD_ADMIN_KEY: key })
  expect((await fetch(`${started.url}/customers/${key}`)).status).toBe(200)
  await stop(started)
  expect(started.out() + started.err()).not.toContain(key)
  const text = readFileSync(welcomeFile(), 'utf8')
  expect(text).toMatch(/#\/set-up\/[\w-]{43}/)
  expect(text).not.toContain(key)
})

it('every line that the server prints outside a terminal is a JSON object, its messages included', async () => {
  const first = await serve()
  await stop(first)
  for (const line of `${first.out()}${first.err()}`.split('\n').filter((each) => each !== ''))
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  expect(first.out()).toContain('API key of the first admin')
})

it('the server creates files that only their owner can read', async () => {
  await stop(await serve())
  expect(statSync(place('data')).mode & 0o777).toBe(0o700)
  expect(statSync(place('data', 'scriptward.db')).mode & 0o077).toBe(0)
  for (const name of ['keyring.json', 'service.lock'])
    expect(statSync(place('data', name)).mode & 0o077).toBe(0)
})

it('the server fails to start with the keyring of another database, and names the fix', async () => {
  const { url, ...started } = await serve({ SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  const headers = { token: 'chosen-by-the-operator', 'content-type': 'application/json' }
  const post = async (place: string, body: object) =>
    (await (await fetch(url + place, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
      project_id: string
    }
  const { project_id } = await post('/v1/projects/new', { name: 'P' })
  await post(`/v1/projects/${project_id}/scripts/new`, { name: 'S', script: 'return 1' })
  await stop(started)
  const keyring = place('data', 'keyring.json')
  const own = readFileSync(keyring)
  const other = place('other')
  await stop(await serve({ SCRIPTWARD_DATA_DIR: other }))
  writeFileSync(keyring, readFileSync(path.join(other, 'keyring.json')))
  for (const word of ['serve', 'doctor']) {
    const refused = run(word)
    expect(await ended(refused)).toBe(1)
    expect(refused.err() + refused.out()).toContain('does not belong to this database: restore the keyring')
  }
  writeFileSync(keyring, own)
  expect(await stop(await serve())).toBe(0)
})

it('the server fails to start without the keyring that its accounts need, and creates none', async () => {
  await stop(await serve())
  const keyring = place('data', 'keyring.json')
  const kept = readFileSync(keyring)
  rmSync(keyring)
  const refused = run('serve')
  expect(await ended(refused)).toBe(1)
  expect(refused.err()).toContain(
    'keyring.json is missing, but the database contains accounts: restore the keyring from a backup',
  )
  const examined = run('doctor')
  expect(await ended(examined)).toBe(1)
  expect(examined.out()).toContain('FAIL  keyring')
  expect(existsSync(keyring)).toBe(false)
  writeFileSync(keyring, kept, { mode: 0o600 })
  expect(await stop(await serve())).toBe(0)
})

it('the server fails to start on a folder in use by another process, with a hint, and starts once that process was killed', async () => {
  const first = await serve()
  await expect(serve()).rejects.toThrow(
    `scriptward: SCRIPTWARD_DATA_DIR: another server process is using ${place('data')}: stop it, or choose another directory. To run several processes, use PostgreSQL and Valkey (SCRIPTWARD_DATABASE_URL and SCRIPTWARD_VALKEY_URL)`,
  )
  const examined = run('doctor')
  expect(await ended(examined)).toBe(1)
  expect(examined.out()).toContain('FAIL  data folder: SCRIPTWARD_DATA_DIR: another server process is using')
  const own = run('doctor', { SCRIPTWARD_PORT: new URL(first.url).port })
  expect(await ended(own)).toBe(0)
  expect(own.out()).toContain('ok    port: this server is running there')
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  first.child.kill('SIGKILL')
  await ended(first)
  const third = await serve()
  await expect(serve()).rejects.toThrow('another server process is using')
  expect(await stop(third)).toBe(0)
})

it('the server completes requests in flight when it is stopped, and accepts no new ones', async () => {
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
  await expect.poll(() => runningRequests(url)).toBe(1)
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
  'the server leaves no process behind when %s ends it in the middle of a build',
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

it('the server names the port that is in use and exits', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const started = run('serve', { SCRIPTWARD_PORT: String(port) })
  expect(await ended(started)).toBe(1)
  expect(started.err()).toContain(
    `SCRIPTWARD_PORT: port ${port} on 127.0.0.1 is already in use: stop the other process, or choose another SCRIPTWARD_PORT`,
  )
  expect(keyIn(started.out())).toBeUndefined()
  other.close()
})

it('the server reports all invalid settings together, at the start and in the doctor', async () => {
  const wrong = { SCRIPTWARD_PORT: 'eighty', SCRIPTWARD_LOG_LEVEL: 'loud' }
  const started = run('serve', wrong)
  expect(await ended(started)).toBe(1)
  expect(started.err()).toMatch(
    /^scriptward: SCRIPTWARD_PORT must be .*\nscriptward: SCRIPTWARD_LOG_LEVEL must be .*\n$/,
  )
  const examined = run('doctor', wrong)
  expect(await ended(examined)).toBe(1)
  expect(examined.out()).toMatch(/^FAIL {2}settings: SCRIPTWARD_PORT must be/)
  expect(examined.err()).toBe('')
})

it('the server rejects a data folder where nothing can be created, without waiting for it', async () => {
  for (const word of ['serve', 'doctor']) {
    const started = run(word, { SCRIPTWARD_DATA_DIR: '/proc/scriptward/data' })
    expect(await ended(started)).toBe(1)
    expect(started.out() + started.err()).toContain('SCRIPTWARD_DATA_DIR: /proc is not writable (')
  }
})

it.runIf(mayMount())('the server names a full disk, where nothing can be created, as the cause', async () => {
  mkdirSync(place('data'))
  const mount = `mount -t tmpfs -o nr_inodes=1 none ${place('data')} && exec "$@"`
  const command = [process.execPath, programOf('service'), 'serve']
  const started = run('serve', {}, ['unshare', ...UNSHARE, 'sh', '-c', mount, 'sh', ...command])
  expect(await ended(started)).toBe(1)
  expect(started.err()).toContain(
    `SCRIPTWARD_DATA_DIR: ${place('data')} is not writable (ENOSPC): free up space on this disk, for example by removing old backups, or choose another directory`,
  )
})

it('the server warns of an unknown setting', async () => {
  const started = await serve({ SCRIPTWARD_PROT: '1' })
  await stop(started)
  expect(started.err()).toContain('SCRIPTWARD_PROT')
})

it('the server lists its settings without secrets', async () => {
  const started = run('config', { SCRIPTWARD_ADMIN_KEY: 'chosen-by-the-operator' })
  expect(await ended(started)).toBe(0)
  expect(started.out()).toContain('SCRIPTWARD_ADMIN_KEY=(set)')
  expect(started.out()).toContain(`SCRIPTWARD_DATA_DIR=${place('data')}`)
})

it('the doctor finds the server healthy before and after the first start', async () => {
  const before = run('doctor')
  expect(await ended(before)).toBe(0)
  await stop(await serve())
  const after = run('doctor')
  expect(await ended(after)).toBe(0)
  expect(after.out().match(/^ok +(?!disk| )/gm)).toHaveLength(6)
  // The disk check may warn if the disk of the test machine is almost full.
  expect(after.out()).toMatch(/^(ok|WARN) +disk/m)
  expect(after.out().match(/^off {3}(valkey|mail): not configured: .+/gm)).toHaveLength(2)
})

it('the doctor gives instructions for each problem', async () => {
  await stop(await serve())
  chmodSync(place('data'), 0o755)
  const started = run('doctor', { SCRIPTWARD_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  expect(await ended(started)).toBe(1)
  expect(started.out()).toMatch(/WARN {2}data folder: SCRIPTWARD_DATA_DIR: .*chmod 700/)
  expect(started.out()).toMatch(
    /FAIL {2}database: SCRIPTWARD_DATABASE_URL: nothing is listening on 127.0.0.1:1/,
  )
})

it('the server warns at the start if others can read the data folder', async () => {
  await stop(await serve())
  chmodSync(place('data'), 0o755)
  const started = await serve()
  await stop(started)
  expect(started.err()).toContain('run chmod 700 on it')
})

it.runIf(existsSync('/usr/bin/systemd-notify'))(
  'the server notifies systemd when it is ready and when it stops',
  async () => {
    const socket = place('notify')
    const receiver = spawn('/usr/bin/python3', ['-u', '-c', RECEIVER, socket])
    let told = ''
    receiver.stdout.on('data', (chunk) => (told += String(chunk)))
    await expect.poll(() => told).toBe('listening\n')
    const started = await serve({ NOTIFY_SOCKET: socket })
    await expect.poll(() => told).toContain('READY=1')
    expect(told).not.toContain('STOPPING=1')
    await stop(started)
    expect(started.err()).not.toContain('systemd')
    await expect.poll(() => told).toContain('STOPPING=1')
    receiver.kill()
    await once(receiver, 'exit')
  },
)

/** Prints each message that the socket receives, as systemd would receive it. */
const RECEIVER = `import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print('listening')
while True: print(server.recv(4096).decode())
`
