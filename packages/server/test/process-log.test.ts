/** Tests the startup and shutdown log: JSON lines for machines, and readable lines on a terminal. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { commitIn } from '../src/release.ts'
import {
  ended,
  inOwnFolder,
  listening,
  place,
  runOnTerminal,
  type Settings,
  serve,
  stop,
} from './own-process.ts'
import { runningRequests } from './running-requests.ts'

inOwnFolder()

type Line = Readonly<Record<string, unknown>>
const linesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

const KEY = 'chosen-by-the-operator'

test('a start and a stop are one record each, with the names but not the values of settings', async () => {
  const started = await serve({ SCRIPTWARD_ADMIN_KEY: KEY, SCRIPTWARD_LOG_LEVEL: 'info' })
  expect(await stop(started)).toBe(0)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  expect(linesIn(started.err())).toEqual([
    {
      level: 'info',
      time,
      event: 'started',
      version: manifest.version,
      ...(commitIn() && { commit: commitIn() }),
      node: process.versions.node,
      engine: 'SQLite',
      url: started.url,
      processes: 1,
      settings: ['SCRIPTWARD_PORT', 'SCRIPTWARD_DATA_DIR', 'SCRIPTWARD_ADMIN_KEY'],
      msg: 'started',
    },
    {
      ...{ level: 'info', time, event: 'stopped', signal: 'SIGTERM', forced: false, msg: 'stopped' },
      uptime_ms: expect.any(Number),
      ms: expect.any(Number),
    },
  ])
  expect(started.err()).not.toContain(KEY)
  expect(started.err()).not.toContain(place())
})

test('a second signal cuts off requests in flight, and the record shows that the stop was forced', async () => {
  const started = await serve({ SCRIPTWARD_ADMIN_KEY: KEY })
  const { hostname, port } = new URL(started.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write('POST /v1/projects/new HTTP/1.1\r\nhost: a\r\ntoken: ')
  socket.write(`${KEY}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`)
  await expect.poll(() => runningRequests(started.url)).toBe(1)
  started.child.kill('SIGTERM')
  await expect.poll(() => fetch(started.url).catch(() => 'refused')).toBe('refused')
  started.child.kill('SIGINT')
  expect(await ended(started)).toBe(1)
  const last = linesIn(started.err()).at(-1)
  expect(last).toMatchObject({ level: 'warn', event: 'stopped', signal: 'SIGINT', forced: true })
  socket.destroy()
})

async function onTerminal(settings: Settings): Promise<string> {
  const terminal = runOnTerminal('serve', settings)
  await listening(terminal)
  terminal.child.stdin?.write('\u0003')
  await ended(terminal)
  return terminal.out().replaceAll('\u001b', '^')
}

test('a terminal gets text, in color unless disabled', async () => {
  const painted = await onTerminal({ TERM: 'xterm' })
  expect(painted).toMatch(/^\d{4}-\S+Z \^\[32mINFO \^\[39m started \^\[2mevent=started version=/m)
  expect(painted).toMatch(/ stopped .*signal=SIGINT/)
  const plain = await onTerminal({ TERM: 'xterm', NO_COLOR: '1' })
  expect(plain).toMatch(/^\d{4}-\S+Z INFO {2}started event=started version=/m)
  expect(plain).not.toContain('^[')
})

test('a setting selects the other format', async () => {
  expect(await onTerminal({ SCRIPTWARD_LOG_FORMAT: 'json' })).toMatch(
    /^\{"level":"info",.*"msg":"started"\}/m,
  )
  const started = await serve({ SCRIPTWARD_LOG_FORMAT: 'text' })
  await stop(started)
  expect(started.err()).toMatch(/^\d{4}-\S+Z INFO {2}started event=started/)
  expect(started.err()).not.toContain('\u001b[')
})
