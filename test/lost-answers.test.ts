/** Tests that a script starts, and is counted only once, even if the network loses responses. */
import { afterAll, describe, expect, test } from 'vitest'
import { anyEngine } from '../packages/server/test/databases.ts'
import { type How, liveScene } from './live-scene.ts'
import { Recorder } from './recorder.ts'

const CURL = { transport: 'curl' } as const
const HOSTS: readonly How[] = [
  { command: 'lua5.1', transport: 'LuaSocket' },
  { command: 'lua5.1', ...CURL },
  { command: 'luajit', transport: 'LuaSocket' },
  { command: 'lua5.4', ...CURL },
]

describe.each(anyEngine)('when responses are lost on $name', (engine) => {
  const { at, newJob } = liveScene(engine)
  const recorders: Recorder[] = []
  afterAll(() => Promise.all(recorders.map((recorder) => recorder.close())))

  test.each(HOSTS)('a script with one execution left runs in $command over $transport', async (host) => {
    const job = await newJob('print(ward.executions)')
    await job.changeUser(job.key, { max_executions: 1, max_instances: 1 })
    const recorder = await new Recorder(at().url).listen()
    recorders.push(recorder)
    recorder.loses = 2
    const { status, stdout, stderr } = await job.run({ ...host, through: recorder.url })
    expect([status, stdout, stderr]).toEqual([0, '1\n', ''])
    const sent = recorder.exchanges.filter(({ url }) => url === '/client/v1/exec')
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map(({ body, answer }) => `${body} ${answer}`)).size).toBe(1)
    const { body } = await job.owner.get(`/v1/users/${job.key}`)
    expect(body.user).toMatchObject({ executions: 1 })
    expect((await job.instances()).length).toBeLessThanOrEqual(1)
  })
})
