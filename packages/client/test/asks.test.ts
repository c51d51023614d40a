// Tests server function calls from a script on every host, against a server that answers them in its
// heartbeat responses.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kick, readBeat } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import { testOnEveryHost } from './every-host.ts'
import type { Peer } from './peer.ts'
import { runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { BEATS, NO_SESSION, SESSION, withPeer } from './story.ts'

/** Schedules heartbeats an hour apart, so that only the script triggers them. */
const LATE: Grant['beat'] = { ...BEATS, first: 3_600_000 }
const askedOf = (peer: Peer) => peer.live.beats.flatMap(({ a }) => a ?? [])
const ENDED = 'scriptward: ask: this run has ended (key_expired)'

function setScene(peer: Peer, script: string, { beat = LATE, ws = NO_SESSION } = {}): void {
  peer.reset({ script: `return function(ward)\n${script}\nend`, decide: () => ({ beat, ws }) })
  peer.live.scene.next = 3_600_000
}

const run = (peer: Peer, before = '') =>
  runLoader({
    ...{ command: 'lua5.1', text: peer.loader(), before: `script_key = "K" ${before}`, env: TRANSPORTS.curl },
  })
const runThreads = (peer: Peer) =>
  runLuau({ text: peer.loader(), before: 'script_key = "K"', live: true }).then(({ stdout, stderr }) => {
    expect(stderr).toBe('')
    return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('kicked: '))
  })

const VALUES = `
  local function show(value, problem) print(type(value), tostring(value), problem) end
  local cycle = {} cycle.again = cycle
  show(ward.ask('echo', 'caf\\195\\169 "\\n', 3, nil, true))
  show(ward.ask('echo', 12.5))
  show(ward.ask('echo', false))
  show(ward.ask('echo'))
  show(ward.ask('fail'))
  local kept = { list = { 1, ward.null, { a = 'b' } } }
  local table = ward.ask('echo', kept)
  print(table ~= kept, table.list[1], table.list[2] == ward.null, table.list[3].a)
  show(ward.ask('Echo')) show(ward.ask(7)) show(ward.ask(('x'):rep(41)))
  show(ward.ask('echo', print)) show(ward.ask('echo', cycle)) show(ward.ask('echo', 0/0)) show(ward.ask('echo', '\\255'))
  show(ward.ask('echo', ('x'):rep(16384)))
  show(ward.ask('echo', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17))
  ward.ask('last')`
const NO_NAME = 'nil\tnil\tscriptward: ask: the first argument must be the name of a server function\n'
const PRINTED = [
  'string\tcafé "\n\tnil\nnumber\t12.5\tnil\nboolean\tfalse\tnil\nnil\tnil\tnil\n',
  'nil\tnil\tscriptward: ask: out of stock\ntrue\t1\ttrue\tb\n',
  NO_NAME.repeat(3),
  'nil\tnil\tscriptward: ask: JSON: a function cannot be sent\n',
  'nil\tnil\tscriptward: ask: JSON: must not nest deeper than 32 levels\n',
  'nil\tnil\tscriptward: ask: JSON: numbers must be finite\n',
  'nil\tnil\tscriptward: ask: strings must be UTF-8\n',
  'nil\tnil\tscriptward: ask: too many arguments, or arguments too large\n'.repeat(2),
].join('')

describe('ward.ask', () => {
  testOnEveryHost(
    'returns what the function returned, or nil and the problem',
    (peer) => {
      setScene(peer, VALUES)
      peer.live.scene.answer = ([name, value]) =>
        name === 'fail' ? { problem: 'out of stock' } : { value: value ?? null }
      // Ends the run with a kick; on hosts with threads, it would otherwise never end.
      peer.live.scene.beat = (n) => (n > 6 ? kick('key_expired') : {})
    },
    (stdout) => expect(stdout.replace(/kicked: .*\n/, '')).toBe(PRINTED),
  )

  test.concurrent.each([true, false])('works in a run with heartbeats enabled: %s', async (on) => {
    await withPeer(async (peer) => {
      setScene(peer, "print(ward.ask('price', 'gold', 3, nil, true, { 1, 2 }))", { beat: { ...LATE, on } })
      peer.live.scene.answer = () => ({ value: 30 })
      expect(await run(peer)).toEqual({ status: 0, stdout: '30\n', stderr: '' })
      expect(askedOf(peer)).toEqual([['price', 'gold', 3, null, true, [1, 2]]])
    })
  })

  test.concurrent('is resent unchanged when its answer was lost, and runs only once', async () => {
    await withPeer(async (peer) => {
      setScene(peer, "print(ward.ask('echo', 1), ward.ask('echo', 2))")
      peer.live.scene.beat = (n) => (n === 1 ? 'lost' : {})
      expect((await run(peer)).stdout).toBe('1\t2\n')
      expect(askedOf(peer)).toEqual([
        ['echo', 1],
        ['echo', 2],
      ])
      expect(peer.live.beats[1]?.body).toBe(peer.live.beats[0]?.body)
    })
  })

  test.concurrent('batches calls from several threads and gives each its own answer', async () => {
    const threads = `for i = 1, 10 do
      task.spawn(function() print(i, ward.ask('echo', i * 11)) done = (done or 0) + 1 end)
    end
    while done ~= 10 do task.wait(0.05) end
    ward.ask('last')`
    await withPeer(async (peer) => {
      setScene(peer, threads)
      peer.live.scene.beat = (n) => {
        if (n === 1) return 'lost'
        return n > 4 ? kick('key_expired') : {}
      }
      const lines = await runThreads(peer)
      expect(lines.sort()).toEqual(Array.from({ length: 10 }, (_, i) => `${i + 1}\t${(i + 1) * 11}`).sort())
      expect(peer.live.beats.map(({ a }) => a?.length)).toEqual([1, undefined, 8, 1, 1])
    })
  })

  test.concurrent('works in coroutines and in change handlers', async () => {
    const script = `ward.on_change = function(name, value) print(name, value, ward.ask('echo', 'in a handler')) end
      local function asking(i) return function() print(i, ward.ask('echo', i)) coroutine.yield() end end
      for i = 1, 2 do coroutine.wrap(asking(i))() end`
    await withPeer(async (peer) => {
      setScene(peer, script)
      const rest = { chat_id: null, script_name: 'test script', plan: 'Pro', in_grace: false } as const
      const features = { turbo: true as const, slots: 3, tone: 'blue' }
      const vars = { ...rest, note: 'changed', features, status: 'active' as const }
      peer.live.scene.beat = () => ({ vars })
      expect((await run(peer)).stdout).toBe('note\tchanged\tin a handler\n1\t1\n2\t2\n')
    })
  })
})

describe('the number of calls', () => {
  test.concurrent.each([
    [undefined, 20, '60'],
    [90, 30, '90'],
    [2, 1, '2'],
    [0, 0, '0'],
  ])('is limited to what the grant allows a minute: %s', async (calls, answered, told) => {
    const script = `local answered, problem = 0, nil
      for i = 1, 40 do
        local value, wrong = ward.ask('echo', i)
        if value == i then answered = answered + 1 else problem = wrong end
      end
      print(answered, problem)`
    await withPeer(async (peer) => {
      const grant = calls === undefined ? {} : { calls }
      peer.reset({
        script: `return function(ward)\n${script}\nend`,
        decide: () => ({ beat: LATE, ws: NO_SESSION, ...grant }),
      })
      peer.live.scene.next = 3_600_000
      const stopped = `os.time = function() return 0 end`
      const { stdout } = await run(peer, stopped)
      expect(stdout).toBe(
        `${answered}\tscriptward: ask: too many calls at a time: a run can make ${told} a minute\n`,
      )
    })
  })
})

describe('a call without an answer', () => {
  test.concurrent('gives up after half a minute, is not sent later, and the run keeps going', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scriptward-asks-'))
    const sign = join(folder, 'gave up')
    // Half a minute passes in two seconds. The second call gets all the time that a busy machine needs.
    const faster = `local real, start, ahead = os.time, os.time(), nil
      os.time = function(at)
        if at then return real(at) end
        return ahead and real() + ahead or start + (real() - start) * 15
      end
      function slow_down() ahead = os.time() - real() end`
    const script = `print(ward.ask('echo', 'unheard'))
      print(ward.ask('echo', 'never sent'))
      slow_down()
      io.open('${sign}', 'w'):close()
      print(ward.ask('echo', 'heard'))`
    await withPeer(async (peer) => {
      setScene(peer, script, { beat: { ...LATE, grace: 3_600_000 } })
      peer.live.scene.beat = () => (existsSync(sign) ? {} : 'unheard')
      const { stdout } = await run(peer, faster)
      rmSync(folder, { recursive: true })
      expect(stdout).toBe(`${'nil\tscriptward: ask: no response within 30 seconds\n'.repeat(2)}heard\n`)
      expect(new Set(askedOf(peer).map(([, value]) => value))).toEqual(new Set(['unheard', 'heard']))
      const [first, ...again] = peer.live.beats.filter(({ n }) => n === 1).map(({ body }) => body)
      expect(new Set(again)).toEqual(new Set([first]))
    })
  })

  test.concurrent('ends with its run, and a program that calls again is stopped', async () => {
    await withPeer(async (peer) => {
      setScene(peer, "print(ward.ask('echo', 1)) print(ward.ask('echo', 2))")
      peer.live.scene.beat = () => kick('key_expired')
      const { status, stdout, stderr } = await run(peer)
      expect([status, stdout]).toEqual([1, `nil\t${ENDED}\n`])
      expect(stderr).toBe('scriptward: Your key has expired. (key_expired)\n')
    })
  })

  test.concurrent('also ends with its run when a thread made it', async () => {
    await withPeer(async (peer) => {
      setScene(peer, "for i = 1, 2 do task.spawn(function() print(ward.ask('echo', i)) end) end")
      peer.live.scene.beat = () => kick('key_expired')
      expect(await runThreads(peer)).toEqual([`nil\t${ENDED}`, `nil\t${ENDED}`])
    })
  })

  test.concurrent('can be repeated: of a thousand calls in a row, the first ones succeed and the session stays alive', async () => {
    const script = `local answered, refused = 0, 0
      ward.handle('count', function() return { answered = answered, refused = refused } end)
      for i = 1, 1000 do
        local value, problem = ward.ask('echo', i)
        if value == i then answered = answered + 1
        elseif problem == 'scriptward: ask: too many calls at a time: a run can make 60 a minute' then refused = refused + 1 end
      end
      while true do ward.step(1) end`
    await withPeer(async (peer) => {
      setScene(peer, script, { ws: SESSION })
      let counts: Partial<Record<'answered' | 'refused', number>> = {}
      const sum = () => (counts.answered ?? 0) + (counts.refused ?? 0)
      peer.live.scene.session = async (session) => {
        for (let id = 1; sum() < 1000; id++) {
          session.command(id, 'count')
          counts = ((await session.result(id)).data ?? {}) as typeof counts
        }
        session.send({ t: 'kick', ...kick('disconnected') })
      }
      const { stderr } = await runLoader({
        ...{ command: 'lua5.1', text: peer.loader(), env: TRANSPORTS.LuaSocket },
        before: 'script_key = "K"',
      })
      expect(stderr).toContain('(disconnected)')
      expect(sum()).toBe(1000)
      expect(askedOf(peer)).toHaveLength(counts.answered ?? 0)
      expect(counts.answered).toBeGreaterThanOrEqual(20)
    })
  })
})

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test.each<[unknown, boolean]>([
  [[['price']], true],
  [[['a_1', 'b', 1.5, true, null, {}, [1, { c: [] }]]], true],
  [[['deep', nested(29)]], true],
  [[['deep', nested(30)]], false],
  [[], false],
  [[[]], false],
  [[[1]], true],
  [[[0]], false],
  [[[1.5]], false],
  [[[1000]], false],
  [[['Price']], false],
  [[['1a']], false],
  [[['x'.repeat(41)]], false],
  [[['many', ...Array(17).fill(0)]], false],
  [Array(9).fill(['price']), false],
  [['price'], false],
  ['price', false],
])('a heartbeat with calls is parsed strictly: %j', (a, isRight) => {
  expect(readBeat(Buffer.from(JSON.stringify({ up: 1, a }))) !== undefined).toBe(isRight)
})
