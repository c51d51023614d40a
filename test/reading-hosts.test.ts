/**
 * Tests hosts that can only send GET requests: the handshake, the heartbeats and the end of a run are sent to
 * the real server in URLs.
 */
import { describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { alongside, LOOPING, liveScene } from './live-scene.ts'
import { Recorder } from './recorder.ts'

/** The functions that are available on a restrictive game platform. */
const READER = `local http, ltn12 = require('socket.http'), require('ltn12')
game = {}
function game.HttpGet(_, url)
  local parts = {}
  local _, status = http.request({ url = url, sink = ltn12.sink.table(parts) })
  if status ~= 200 then error('HTTP ' .. tostring(status) .. ' (failed)') end
  return table.concat(parts)
end
require, io = nil, nil`

describe('a host that can only send GET requests', () => {
  const { at, newJob } = liveScene(sqlite)

  test.each(['lua5.1', 'luajit'])('runs, sends heartbeats and ends in %s', async (command) => {
    const job = await newJob(LOOPING)
    const recorder = await new Recorder(at().url).listen()
    const running = job.run({ command, before: READER, speed: 20, through: recorder.url })
    await alongside(running, () => job.beaten(2))
    await job.change('toggle', { state: false })
    const { status, stdout, stderr } = await running
    await recorder.close()
    expect(stdout).toBe('started false\nkick script_disabled\n')
    expect([status, stderr]).toEqual([1, expect.stringContaining('script_disabled')])
    const ways = recorder.exchanges.map(({ method, url }) => `${method} ${url.replace(/=.*/, '')}`)
    expect(new Set(ways.slice(1))).toEqual(new Set(['GET /client/v1/exec?b', 'GET /client/v1/beat?b']))
  })

  test('releases its instance at its end', async () => {
    const job = await newJob('print("once")')
    await job.changeUser(job.key, { max_instances: 1 })
    for (let i = 0; i < 2; i++)
      expect(await job.run({ command: 'lua5.1', before: READER })).toMatchObject({
        stdout: 'once\n',
        stderr: '',
      })
  })
})
