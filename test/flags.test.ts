/**
 * Tests the effect of each script flag and user field at run time (client protocol §13), with the real
 * server, the served loader and real interpreters, which run concurrently.
 */
import { describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { alongside, type Ended, type Job, LOOPING, liveScene, WATCHFUL } from './live-scene.ts'

const NAMED = 'print(ward.is_premium, ward.executions)'
const OTHER_DEVICE = 'ANOTHER-DEVICE'
const CURL = { transport: 'curl' } as const
const VERSION_1 = { success: true, processed: true, response: { version: 1 } }

const printed = (stdout: string) => ({ status: 0, stdout, stderr: '' })

function expectDenied({ status, stdout, stderr }: Ended, reason: string): void {
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(`(${reason})`)])
}

function expectStopped({ status, stdout, stderr }: Ended, reason: string): void {
  expect(stdout).toMatch(new RegExp(`^started (true|false)\nkick ${reason}\n$`))
  expect([status, stderr]).toEqual([1, expect.stringContaining(reason)])
}

describe('a running script', () => {
  const { newJob } = liveScene(sqlite)

  test.concurrent('that is free for all runs without a key, and counts each device once', async ({
    signal,
  }) => {
    const job = await newJob(NAMED, { free_for_all: true })
    const run = (key: string | null, device: string) => job.run({ command: 'lua5.1', key, device, signal })
    expect(await run(null, 'A')).toEqual(printed('false\t0\n'))
    expect(await run(null, 'A')).toEqual(printed('false\t0\n'))
    expect(await run('x'.repeat(32), 'B')).toEqual(printed('false\t0\n'))
    expect(await countedDevices(job)).toBe(2)
    expect(await run(job.key, 'C')).toEqual(printed('true\t1\n'))
    expect(await countedDevices(job)).toBe(2)
  })

  test.concurrent('that is free for all rejects the device of a blocked user', async ({ signal }) => {
    const job = await newJob(NAMED, { free_for_all: true })
    // Without `io`, the loader has only the device data that the test passes to it.
    const machine = { command: 'lua5.4', before: 'io = nil', signal }
    const run = (key: string | null, device: string) => job.run({ ...machine, key, device })
    expect(await run(job.key, 'A')).toEqual(printed('true\t1\n'))
    const reason = { expires: 0, reason: 'shared it' }
    expect((await job.owner.post(`/v1/users/${job.key}/blacklist`, reason)).status).toBe(200)
    expectDenied(await run(null, 'A'), 'blacklisted')
    expectDenied(await run(job.key, 'B'), 'blacklisted')
    expect(await run(null, 'B')).toEqual(printed('false\t0\n'))
  })

  test.concurrent('that uses heartbeats stops if they are unanswered for too long', async ({ signal }) => {
    const job = await newJob(LOOPING, { use_heartbeat: true })
    const running = job.run({ command: 'lua5.1', ...CURL, speed: 20, signal })
    await alongside(running, () => job.granted())
    job.wire.cut()
    expectStopped(await running, 'heartbeat_lost')
    expect(job.wire.refused).toBeGreaterThan(1)
  })

  test.concurrent('that uses no heartbeats sends no requests after its grant', async ({ signal }) => {
    const minutes = `${WATCHFUL}
      local last = os.time() + 300
      while os.time() < last do ward.step(1) end
      print('five minutes')`
    const job = await newJob(minutes, { use_heartbeat: false })
    const running = job.run({ command: 'lua5.1', ...CURL, speed: 60, signal })
    await alongside(running, () => job.granted())
    job.wire.cut()
    expect(await running).toEqual(printed('started false\nfive minutes\n'))
    // After the cut, the only request is the end message.
    expect(job.wire.refused).toBe(1)
  })

  test.concurrent('of an older version is stopped if outdated versions are kicked, and otherwise keeps running', async ({
    signal,
  }) => {
    const kicking = await newJob(LOOPING, { kick_outdated: true })
    const patient = await newJob(LOOPING, { kick_outdated: false })
    const run = (job: Job, command = 'lua5.1') => job.run({ command, signal })
    const stopped = run(kicking)
    await alongside(stopped, async () => void (await kicking.session()))
    const going = run(patient, 'luajit')
    await alongside(going, async () => {
      const sid = await patient.session()
      for (const job of [kicking, patient]) await job.change('update', { script: NAMED })
      expectStopped(await stopped, 'outdated_version')
      expect(await patient.tell(sid, 'version')).toEqual(VERSION_1)
      expect(await run(patient)).toEqual(printed('true\t2\n'))
      expect(await patient.tell(sid, 'version')).toEqual(VERSION_1)
    })
    await disconnect(patient)
    expectStopped(await going, 'disconnected')
  })

  test.concurrent('of an older version is notified by its next heartbeat', async ({ signal }) => {
    const job = await newJob(LOOPING, { kick_outdated: true })
    const running = job.run({ command: 'lua5.4', ...CURL, speed: 10, signal })
    await alongside(running, () => job.granted())
    await job.change('update', { script: NAMED })
    expectStopped(await running, 'outdated_version')
  })

  test.concurrent('that requires sessions does not run on hosts without WebSockets', async ({ signal }) => {
    const job = await newJob(WATCHFUL, { require_sessions: true })
    expectDenied(await job.run({ command: 'lua5.1', ...CURL, signal }), 'sessions_required')
    expect(await job.run({ command: 'lua5.1', signal })).toEqual(printed('started true\n'))
  })

  test.concurrent('that requires sessions neither starts nor continues without one', async ({ signal }) => {
    const job = await newJob(LOOPING, { require_sessions: true })
    const run = () => job.run({ command: 'luajit', speed: 10, signal })
    job.wire.set('talks')
    expectDenied(await run(), 'session_lost')
    job.wire.set('open')
    const running = run()
    await alongside(running, async () => void (await job.session()))
    job.wire.cut()
    expectStopped(await running, 'session_lost')
  })

  test.concurrent('that is silent prints nothing and reports denials only to on_denied', async ({
    signal,
  }) => {
    const job = await newJob(LOOPING, { silent: true })
    const key = 'x'.repeat(32)
    expect(await job.run({ command: 'lua5.1', key, signal })).toEqual(printed(''))
    const before = `ward = {}
      function ward.on_denied(reason) io.stdout:write(reason, ' ', ward.denied.code) end`
    expect(await job.run({ command: 'lua5.1', key, before, signal })).toEqual(printed('invalid_key 10'))
    const running = job.run({ command: 'lua5.1', signal })
    await alongside(running, async () => void (await job.session()))
    await disconnect(job)
    const ended = await running
    expectStopped(ended, 'disconnected')
    expect(ended.stderr).not.toContain('The owner')
  })

  test.concurrent('that is disabled stops immediately, and starts again only when enabled', async ({
    signal,
  }) => {
    const job = await newJob(LOOPING)
    const running = job.run({ command: 'lua5.1', signal })
    await alongside(running, async () => void (await job.session()))
    await job.change('toggle', { state: false })
    expectStopped(await running, 'script_disabled')
    expectDenied(await job.run({ command: 'lua5.1', signal }), 'script_disabled')
    await job.change('toggle', { state: true })
    await job.change('update', { script: NAMED })
    expect(await job.run({ command: 'lua5.1', signal })).toEqual(printed('true\t2\n'))
  })

  test.concurrent('occupies one instance of its user, and releases it at its end', async ({ signal }) => {
    const job = await newJob(LOOPING)
    await job.changeUser(job.key, { max_instances: 1 })
    const run = () => job.run({ command: 'lua5.1', signal })
    const running = run()
    await alongside(running, async () => {
      await job.session()
      expectDenied(await run(), 'max_instances')
      await job.change('update', { script: NAMED })
    })
    await disconnect(job)
    expectStopped(await running, 'disconnected')
    for (const executions of [2, 3]) expect(await run()).toEqual(printed(`true\t${executions}\n`))
  })

  test.concurrent('runs only as often as its user may', async ({ signal }) => {
    const job = await newJob(NAMED)
    await job.changeUser(job.key, { max_executions: 2 })
    const run = () => job.run({ command: 'lua5.1', ...CURL, signal })
    for (const executions of [1, 2]) expect(await run()).toEqual(printed(`true\t${executions}\n`))
    expectDenied(await run(), 'max_executions')
    await job.changeUser(job.key, { max_executions: 3 })
    expect(await run()).toEqual(printed('true\t3\n'))
  })

  test.concurrent('of a project that requires a Discord account runs only for users who linked one', async ({
    signal,
  }) => {
    const job = await newJob('print(ward.chat_id)')
    const run = (key: string, command = 'lua5.1') => job.run({ command, key, signal })
    await changeProject(job, { require_chat: true })
    expectDenied(await run(job.key), 'chat_required')
    await link(job, '100000000000000001')
    expect(await run(job.key)).toEqual(printed('100000000000000001\n'))
    expectDenied(await run(await job.newKey({ use_fingerprint: false }), 'luajit'), 'chat_required')
    await changeProject(job, { require_chat: false })
    expect(await run(await job.newKey({ use_fingerprint: false }), 'luajit')).toEqual(printed('nil\n'))
  })

  test.concurrent('of a project that requires its Discord server runs only for members of it', async ({
    signal,
  }) => {
    const job = await newJob(NAMED)
    const run = (command = 'lua5.1') => job.run({ command, signal })
    const members = `/v1/projects/${job.projectId}/chat-members`
    await changeProject(job, { require_join_chat_server: true })
    expectDenied(await run(), 'join_required')
    await link(job, '100000000000000002')
    expectDenied(await run(), 'join_required')
    expect((await job.owner.post(`${members}/add`, { chat_ids: ['100000000000000002'] })).status).toBe(200)
    expect(await run()).toEqual(printed('true\t1\n'))
    expect(await run('lua5.4')).toEqual(printed('true\t2\n'))
    expect((await job.owner.post(`${members}/remove`, { chat_ids: ['100000000000000002'] })).status).toBe(200)
    expectDenied(await run(), 'join_required')
  })

  test.concurrent('is locked to one device, unless its user needs no fingerprint', async ({ signal }) => {
    const job = await newJob(NAMED)
    const run = (key: string, device: string) => job.run({ command: 'lua5.1', key, device, signal })
    expect(await run(job.key, 'A')).toEqual(printed('true\t1\n'))
    expectDenied(await run(job.key, OTHER_DEVICE), 'fingerprint_mismatch')
    const key = await job.newKey({ use_fingerprint: false })
    expect(await run(key, 'A')).toEqual(printed('true\t1\n'))
    expect(await run(key, OTHER_DEVICE)).toEqual(printed('true\t2\n'))
  })
})

async function disconnect(job: Job): Promise<void> {
  expect((await job.owner.post(`/v1/sessions/${await job.session()}/disconnect`)).status).toBe(200)
}

async function changeProject({ owner, projectId }: Job, members: object): Promise<void> {
  expect((await owner.post(`/v1/projects/${projectId}/edit`, members)).status).toBe(200)
}

async function link({ owner, key }: Job, chat_id: string): Promise<void> {
  expect((await owner.post(`/v1/users/${key}/link`, { chat_id, force: false })).status).toBe(200)
}

async function countedDevices({ owner }: Job): Promise<number> {
  return ((await owner.get('/v1/account')).body.customer as { ffa_users: number }).ffa_users
}
