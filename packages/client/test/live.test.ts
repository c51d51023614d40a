// Tests heartbeats, sessions, kicks and end messages while a script runs, on every host, against a simulated
// server.
import { describe, expect, test, vi } from 'vitest'
import { kick } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import type { PeerSession } from './live-peer.ts'
import type { Peer } from './peer.ts'
import { COMMANDS, type Outcome, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import {
  BEATS,
  expectStory,
  NO_SESSION,
  OBEDIENT,
  SESSION,
  THREADED,
  tellBeats,
  tellStory,
  withPeer,
} from './story.ts'

const EXPIRED = 'scriptward: Your key has expired. (key_expired)'
const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)
// LuaJIT reports the end of a run only if the script returns; see docs/loader.md.
const FINALIZING = PREPARED.filter((name) => !name.startsWith('luajit'))

const run = (peer: Peer, command = 'lua5.1', env: Readonly<Record<string, string>> = TRANSPORTS.LuaSocket) =>
  runLoader({ command, text: peer.loader(), before: 'script_key = "KEY-1"', env })

function expectKicked({ status, stdout, stderr }: Outcome, printed: string): void {
  expect(stdout).toBe(printed)
  expect(stderr).toBe(`${EXPIRED}\n`)
  expect(status).toBe(1)
}

describe('a full session', () => {
  describe.each(COMMANDS)('in $name', ({ name, missing }) => {
    test
      .skipIf(missing)
      .concurrent(
        `runs from its start to a kick over LuaSocket, through a dropped connection ${missing ?? ''}`,
        async () => {
          await withPeer(async (peer) => {
            tellStory(peer, OBEDIENT)
            expectKicked(await run(peer, name), 'started\ta note\nkick\tkey_expired\ta note\n')
            expectStory(peer)
          })
        },
      )

    test.skipIf(missing).concurrent(`runs from its start to a kick over curl ${missing ?? ''}`, async () => {
      await withPeer(async (peer) => {
        tellBeats(peer, OBEDIENT)
        const outcome = await run(peer, name, TRANSPORTS.curl)
        expectKicked(outcome, 'started\ta note\nchanged\nkick\tkey_expired\tnil\n')
        expect(peer.live.beats.map(({ n }) => n)).toEqual([1, 1, 2])
        expect(peer.hellos[0]?.caps.ws).toBe(false)
        expect(peer.live.connections).toBe(0)
      })
    })
  })

  test.concurrent('runs from its start to a kick in Luau, with the threads and events of its platform', async () => {
    await withPeer(async (peer) => {
      tellStory(peer, THREADED)
      const outcome = await runLuau({ text: peer.loader(), before: 'script_key = "KEY-1"', live: true })
      expect(outcome).toMatchObject({ status: 0, stderr: '' })
      expect(outcome.stdout).toBe(`started\ta note\nkick\tkey_expired\ta note\nkicked: ${EXPIRED}\n`)
      expectStory(peer)
      expect(peer.hellos[0]).toMatchObject({ rt: 'luau', caps: { ws: true } })
    })
  })
})

describe('an executor whose WebSocket is broken', () => {
  const sockets = [
    ['has no events', 'return {}'],
    ['raises errors for its events', 'return setmetatable({}, { __index = function() error("no") end })'],
    ['receives something other than text', 'return odd()'],
  ] as const
  const odd = `local function odd()
    local listen = { Connect = function(_, call) task.spawn(call, 5) task.spawn(call, {}) end }
    return { OnMessage = listen, OnClose = { Connect = function() end }, Send = function() end, Close = function() end }
  end`

  test.concurrent.each(sockets)('keeps its run alive with heartbeats if it %s', async (_, body) => {
    await withPeer(async (peer) => {
      peer.reset({ script: THREADED, decide: () => ({ beat: BEATS, ws: SESSION }) })
      peer.live.scene.beat = () => kick('key_expired')
      const before = `${odd} WebSocket = { connect = function() ${body} end }`
      const { stdout } = await runLuau({ text: peer.loader(), before, live: true })
      expect(stdout).toContain(`kicked: ${EXPIRED}\n`)
      expect(stdout).not.toContain('thread: ')
    })
  })
})

describe('a kick', () => {
  const LOOPS = PREPARED.filter((name) => name !== 'luajit')
  const busy = `return function(ward)
    local n = 0
    while true do n = n + 1 end
  end`

  test.concurrent.each(LOOPS)('stops a script that never calls the loader, in %s', async (name) => {
    await withPeer(async (peer) => {
      peer.reset({ script: busy, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
      peer.live.scene.beat = (n) => (n < 2 ? {} : kick('key_expired'))
      expectKicked(await run(peer, name), '')
    })
  })

  test.concurrent('cannot be suppressed permanently by a script that catches it', async () => {
    const script = `return function(ward)
      for _ = 1, 3 do
        local ok, problem
        repeat ok, problem = pcall(ward.step, 5) until not ok
        print(ok, problem)
      end
      print(ward.note, ward.is_premium, ward.seconds_left())
    end`
    await withPeer(async (peer) => {
      peer.reset({ script, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
      peer.live.scene.beat = () => kick('key_expired')
      const { stdout } = await run(peer)
      expect(stdout).toBe(`${`false\t${EXPIRED}\n`.repeat(3)}nil\tnil\t0\n`)
      expect(peer.live.beats).toHaveLength(1)
    })
  })

  test.concurrent.each(PREPARED)('is an error that a coroutine can catch, in %s', async (name) => {
    const script = `return function(ward)
      local function wait() while true do ward.step(5) end end
      print(coroutine.resume(coroutine.create(wait)))
      coroutine.wrap(wait)()
    end`
    await withPeer(async (peer) => {
      peer.reset({ script, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
      peer.live.scene.beat = () => kick('key_expired')
      const { status, stdout, stderr } = await run(peer, name)
      expect([status, stdout]).toEqual([1, `false\t${EXPIRED}\n`])
      expect(stderr).toContain(`${EXPIRED}\nstack traceback`)
    })
  })

  test.concurrent('of a silent script shows only its reason', async () => {
    await withPeer(async (peer) => {
      const flags: Grant['flags'] = { silent: true, kick_outdated: false, free_for_all: false }
      peer.reset({ script: OBEDIENT, decide: () => ({ beat: BEATS, ws: NO_SESSION, flags }) })
      peer.live.scene.beat = () => kick('blacklisted')
      const { stderr } = await run(peer)
      expect(stderr).toBe('scriptward: blacklisted\n')
    })
  })

  test.concurrent('is raised by the client itself when the server is unreachable for longer than the grace period', async () => {
    await withPeer(async (peer) => {
      const beat = { ...BEATS, grace: 6000 }
      peer.reset({ script: OBEDIENT, decide: () => ({ beat, ws: NO_SESSION }) })
      peer.live.scene.beat = (n) => (n === 1 ? {} : 'unheard')
      const { stdout, stderr } = await run(peer)
      expect(stdout).toBe('started\ta note\nkick\theartbeat_lost\ta note\n')
      expect(stderr).toContain('The server could not be reached for too long. (heartbeat_lost)')
      const bodies = peer.live.beats.slice(1).map(({ body }) => body)
      expect(bodies.length).toBeGreaterThan(1)
      expect(new Set(bodies).size).toBe(1)
    })
  })

  test.concurrent('of a copied run is accepted even though its number was already answered', async () => {
    await withPeer(async (peer) => {
      peer.reset({ script: OBEDIENT, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
      peer.live.scene.copied = true
      expect((await run(peer)).stderr).toContain('(token_reuse)')
    })
  })
})

describe('the end of a script', () => {
  test.concurrent.each(PREPARED)('is reported when the script returns, in %s', async (name) => {
    await withPeer(async (peer) => {
      peer.reset({ script: "return function(ward) print('done') end", decide: () => ({ beat: BEATS }) })
      expect(await run(peer, name)).toEqual({ status: 0, stdout: 'done\n', stderr: '' })
      await vi.waitFor(() => expect(peer.live.ends).toHaveLength(1), 120_000)
    })
  })

  test.concurrent.each(FINALIZING)(
    'is reported after an error, even if the script kept a reference to ward, in %s',
    async (name) => {
      await withPeer(async (peer) => {
        const script = "return function(ward) kept = ward error('oops', 0) end"
        peer.reset({ script, decide: () => ({ beat: BEATS, ws: SESSION }) })
        expect((await run(peer, name)).status).toBe(1)
        await vi.waitFor(() => expect(peer.live.ends).toHaveLength(1), 120_000)
      })
    },
  )

  test.concurrent.each(PREPARED)('waits for a script that its host calls again, in %s', async (name) => {
    const script = 'return function(ward) function later() ward.step(2) print(ward.note) end end'
    await withPeer(async (peer) => {
      peer.reset({ script, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
      const text = `local loader = function(...) ${peer.loader()} end loader() collectgarbage() later()`
      const outcome = await runLoader({ command: name, text, env: TRANSPORTS.LuaSocket })
      expect(outcome).toEqual({ status: 0, stdout: 'a note\n', stderr: '' })
      expect(peer.live.beats.length).toBeGreaterThan(0)
    })
  })
})

describe('a script that requires sessions', () => {
  const required: Grant['ws'] = { ...SESSION, required: true, deadline: 240_000 }
  const payload = { mode: 'ws' } as Grant['payload']

  test.concurrent.each(PREPARED)('gets its key only over the session, in %s', async (name) => {
    await withPeer(async (peer) => {
      peer.reset({ decide: () => ({ beat: BEATS, ws: required, payload }) })
      peer.live.scene.payloadKey = true
      expect(await run(peer, name)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
      expect(peer.live.sessions).toHaveLength(1)
    })
  })

  test.concurrent("does not start without one, and says so in the customer's language", async () => {
    await withPeer(async (peer) => {
      const kicks = { session_lost: 'Die Verbindung ist abgebrochen.', heartbeat_lost: '' }
      peer.reset({ decide: () => ({ beat: BEATS, ws: { ...required, deadline: 1500 }, payload, kicks }) })
      peer.live.scene.admit = () => false
      const outcome = await run(peer)
      expect(outcome).toMatchObject({ status: 1, stdout: '' })
      expect(outcome.stderr).toContain('scriptward: Die Verbindung ist abgebrochen. (session_lost)')
    })
  })

  test.concurrent('gets its key in Luau, too', async () => {
    await withPeer(async (peer) => {
      peer.reset({ decide: () => ({ beat: BEATS, ws: required, payload }) })
      peer.live.scene.payloadKey = true
      peer.live.scene.session = async (session) => {
        session.send({ t: 'kick', ...kick('script_disabled') })
      }
      const outcome = await runLuau({ text: peer.loader(), before: '', live: true })
      expect(outcome).toMatchObject({ status: 0, stderr: '' })
      expect(outcome.stdout).toContain('ran\n')
    })
  })
})

/** Runs `OBEDIENT` with a session that the test controls, then kicks it. */
async function inSession(play: (session: PeerSession) => Promise<void>, script = OBEDIENT): Promise<Outcome> {
  return withPeer(async (peer) => {
    peer.reset({ script, decide: () => ({ beat: BEATS, ws: SESSION }) })
    let failure: unknown
    let isFirst = true
    peer.live.scene.session = async (session) => {
      if (isFirst) {
        isFirst = false
        await play(session).catch((error: unknown) => {
          failure = error
        })
      }
      const last = peer.live.sessions.at(-1)
      last?.send({ t: 'kick', ...kick('key_expired') })
      last?.ws.close(4403)
    }
    const outcome = await run(peer)
    if (failure) throw failure
    return outcome
  })
}

describe('a frame', () => {
  const attacks: [string, (session: PeerSession) => void][] = [
    ['sent twice', (session) => session.ws.send(session.sent.at(-1) ?? '')],
    [
      'sent out of order',
      (session) => {
        const [first, second] = [
          session.seal({ t: 'ping', n: 1, st: 1 }),
          session.seal({ t: 'ping', n: 2, st: 1 }),
        ]
        session.ws.send(second)
        session.ws.send(first)
      },
    ],
    ['that is not encrypted', (session) => session.ws.send('{"t":"cmd","id":"1","key":"sum"}')],
    ['encrypted with a foreign key', (session) => session.ws.send('A'.repeat(64))],
    [
      'with a changed byte',
      (session) =>
        session.ws.send(
          session.seal({ t: 'ping', n: 1, st: 1 }).replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
        ),
    ],
  ]

  test.concurrent.each(attacks)('%s ends the connection and runs nothing', async (_, attack) => {
    await inSession(async (session) => {
      session.together(() => {
        attack(session)
        session.command(1, 'sum', { a: 1, b: 2 })
      })
      expect(await session.end()).toBe(4400)
      expect(session.frames.filter(({ t }) => t === 'ack')).toEqual([])
    })
  })

  test.concurrent('larger than the server ever sends ends the connection', async () => {
    await inSession(async (session) => {
      session.ws.send('A'.repeat(180_000))
      await session.end()
      expect(session.frames).toEqual([])
    })
  })

  test.concurrent('can arrive in parts, between pings, and at full size', async () => {
    await inSession(async (session) => {
      const text = session.seal({
        t: 'cmd',
        id: '1',
        key: 'sum',
        data: { a: 1, b: 2, rest: 'x'.repeat(125_000) },
        ttl: 1,
      })
      session.ws.ping('hello')
      session.ws.send(text.slice(0, 30_000), { fin: false })
      session.ws.ping()
      session.ws.send(text.slice(30_000), { fin: true })
      expect(await session.result(1)).toMatchObject({ ok: true, data: { total: 3 } })
    })
  })
})

describe('a command', () => {
  test.concurrent('that arrives twice is answered again but not run again', async () => {
    const script = `return function(ward)
      local count = 0
      ward.handle('count', function() count = count + 1 return { count = count } end)
      while true do ward.step(1) end
    end`
    await inSession(async (session) => {
      session.command(1, 'count')
      await session.result(1)
      session.command(1, 'count')
      session.command(2, 'count')
      await session.result(2)
      const results = session.frames.filter(({ t }) => t === 'res').map(({ data }) => data)
      expect(results).toEqual([{ count: 1 }, { count: 1 }, { count: 2 }])
    }, script)
  })

  const answers: [string, string, object][] = [
    ['nothing', '', { ok: true }],
    ['a list', 'return { 1, "two", ward.null }', { ok: true, data: [1, 'two', null] }],
    ['a number', 'return 7', { ok: false, reason: 'invalid return data' }],
    ['a function in a table', 'return { print }', { ok: false, reason: 'invalid return data' }],
    ['a string that is not UTF-8', 'return { "\\255" }', { ok: false, reason: 'invalid return data' }],
    ['more than 64 KiB', 'return { ("x"):rep(65536) }', { ok: false, reason: 'invalid return data' }],
    [
      'an error that is not UTF-8',
      'error("\\255!", 0)',
      { ok: false, reason: 'function errored, message: ?!' },
    ],
    [
      'an error that is a table',
      'error(setmetatable({}, { __tostring = function() return "odd" end }))',
      { ok: false, reason: 'function errored, message: odd' },
    ],
    [
      'an error with a long message',
      'error(("é"):rep(400), 0)',
      { ok: false, reason: `function errored, message: ${'é'.repeat(250)}` },
    ],
  ]

  test.concurrent.each(answers)('that answers %s is reported accordingly', async (_, body, expected) => {
    const script = `return function(ward)
      ward.handle('act', function(value) ${body} end)
      while true do ward.step(1) end
    end`
    await inSession(async (session) => {
      session.command(1, 'act', null)
      const { t, id, ...rest } = await session.result(1)
      expect([t, id, rest]).toEqual(['res', '1', expected])
    }, script)
  })

  test.concurrent('is handled by a script that never calls the loader', async () => {
    const script = `return function(ward)
      local stop
      ward.handle('stop', function() stop = true return {} end)
      while not stop do end
      print('stopped')
    end`
    const { stdout } = await inSession(async (session) => {
      session.command(1, 'stop')
      expect(await session.result(1)).toMatchObject({ ok: true })
      // The session has to end first, because a kick that arrived before the script continued would end the
      // script.
      await session.end()
    }, script)
    expect(stdout).toBe('stopped\n')
  })
})
