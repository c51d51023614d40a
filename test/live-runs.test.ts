/**
 * Tests long-running scripts on every host. The server, the served loader and real interpreters go through a
 * denial, a grant, heartbeats, a session, commands, a disconnect, a resume and a kick.
 */
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../packages/client/test/run-loader.ts'
import { anyEngine, sqlite } from '../packages/server/test/databases.ts'
import { alongside, type Ended, type How, type Job, liveScene, until } from './live-scene.ts'

const PROGRAM = `
ward.handle('sum', function(numbers) return { total = numbers.a + numbers.b } end)
ward.handle('fail', function() error('broken', 0) end)
ward.on_kick = function(reason) print('kick ' .. reason) end
print('started ' .. tostring(ward.supports_sessions))
`
const LOOPING = `${PROGRAM}
local note
while true do
  ward.step(1)
  if ward.note ~= note then note = ward.note print('note ' .. tostring(note)) end
end`
/**
 * Factor by which the protocol's clock is sped up: minutes pass in seconds, but a busy machine still has
 * enough time to meet the deadlines.
 */
const SPEED = 5

describe.each(anyEngine)('a running script on $name', (engine) => {
  const { newJob } = liveScene(engine)

  async function expectDenied(job: Job, how: How, reason: string): Promise<void> {
    const { status, stdout, stderr } = await job.run(how)
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(`(${reason})`)])
  }

  /**
   * The network first blocks WebSockets, then lets one through and breaks it. Finally, the owner ends the
   * session.
   */
  async function playSession(job: Job, how: How): Promise<Ended> {
    job.wire.set('talks')
    await expectDenied(job, { ...how, key: 'x'.repeat(32) }, 'invalid_key')
    const running = job.run(how)
    await alongside(running, async () => {
      await job.beaten(1)
      job.wire.set('open')
      const sid = await job.session()
      await command(job, sid)
      job.wire.cut()
      expect(await job.session('detached')).toBe(sid)
      const waiting = job.tell(sid, 'sum', { a: 3, b: 4 })
      job.wire.set('open')
      expect(await waiting).toEqual({ success: true, processed: true, response: { total: 7 } })
      expect(await job.session()).toBe(sid)
    })
    expect((await job.owner.post(`/v1/sessions/${await job.session()}/disconnect`)).status).toBe(200)
    const ended = await running
    expect(await job.sessions()).toEqual([])
    return ended
  }

  async function command(job: Job, sid: string): Promise<void> {
    const sum = { success: true, processed: true, response: { total: 3 } }
    expect(await job.tell(sid, 'sum', { a: 1, b: 2 })).toEqual(sum)
    const failed = { processed: false, reason: 'function errored, message: broken' }
    expect(await job.tell(sid, 'fail')).toMatchObject(failed)
    expect(await job.tell(sid, 'none')).toMatchObject({ processed: false, reason: 'function doesnt exist' })
  }

  /** The first heartbeat fails on a cut connection and is repeated. The second one ends the run. */
  async function playBeats(job: Job, how: How): Promise<Ended> {
    await expectDenied(job, { ...how, key: 'x'.repeat(32) }, 'invalid_key')
    const running = job.run(how)
    await alongside(running, async () => {
      await job.granted()
      job.wire.cut()
      await until('a beat in vain', async () => job.wire.refused > 0)
      expect((await job.instances())[0]?.beat_n).toBe(0)
      await job.changeUser(job.key, { note: 'changed' })
      job.wire.set('open')
      await job.beaten(1)
    })
    await job.change('toggle', { state: false })
    const ended = await running
    await expectDenied(job, how, 'script_disabled')
    return ended
  }

  // Hosts behave the same with both databases, so the second database is tested with only one host.
  const commands = engine === sqlite ? COMMANDS : COMMANDS.slice(0, 1)
  for (const { name, missing } of commands) {
    test
      .skipIf(missing)
      .concurrent(
        `sends heartbeats, follows commands, survives a disconnect and ends when kicked, in ${name} over LuaSocket`,
        async ({ signal }) => {
          const job = await newJob(LOOPING)
          const ended = await playSession(job, { command: name, speed: SPEED, signal })
          expect(ended).toMatchObject({ status: 1, stdout: 'started true\nkick disconnected\n' })
          expect(ended.stderr).toContain('(disconnected)')
        },
      )

    test
      .skipIf(missing)
      .concurrent(
        `sends heartbeats, survives a disconnect and ends when kicked, in ${name} over curl`,
        async ({ signal }) => {
          const job = await newJob(LOOPING)
          const ended = await playBeats(job, { command: name, transport: 'curl', speed: SPEED, signal })
          const stdout = 'started false\nnote changed\nkick script_disabled\n'
          expect(ended).toMatchObject({ status: 1, stdout })
          expect(ended.stderr).toContain('(script_disabled)')
        },
      )
  }

  test.concurrent('sends heartbeats, follows commands, survives a disconnect and ends when kicked, in Luau', async ({
    signal,
  }) => {
    const job = await newJob(PROGRAM)
    const { stdout } = await playSession(job, { command: 'luau', speed: SPEED, signal })
    expect(stdout).toMatch(/^started true\nkick disconnected\nkicked: .*\(disconnected\)\n$/)
  })
})
