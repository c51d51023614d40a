// Tests a script's error reports on every host, against a server that parses them as the real server does.
import { describe, expect, test } from 'vitest'
import type { ErrorReport } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import type { Peer } from './peer.ts'
import { COMMANDS, type Outcome, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { BEATS, NO_SESSION, SESSION, withPeer } from './story.ts'

const KEY = 'HUB-U4Q5H-LUE6A-QZXAS'
const HOSTS = [...COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name), 'luau'] as const
const INTERPRETERS = HOSTS.filter((name) => name !== 'luau')

type Setting = Partial<Pick<Grant, 'beat'>> & { readonly isOff?: boolean }

/** Runs a script to its end. Returns the reports that arrived and the host's output. */
async function reportsOf(
  peer: Peer,
  host: string,
  script: string,
  { isOff = false, ...granted }: Setting = {},
): Promise<Outcome & { readonly errors: readonly ErrorReport[] }> {
  const errors = isOff ? {} : { errors: true as const }
  peer.reset({ script, decide: () => ({ ws: NO_SESSION, ...errors, ...granted }) })
  const run = { text: peer.loader(), before: `script_key = "${KEY}"` }
  const outcome =
    host === 'luau' ? await runLuau(run) : await runLoader({ ...run, command: host, env: TRANSPORTS.curl })
  return { ...outcome, errors: peer.live.errors }
}

const play = (host: string, script: string, setting?: Setting) =>
  withPeer((peer) => reportsOf(peer, host, script, setting))

/** Runs a program that contains the loader as a string, and loads and calls it. */
async function hosted(host: string, script: string, program: (loader: string) => string) {
  return withPeer(async (peer) => {
    peer.reset({ script, decide: () => ({ ws: NO_SESSION, errors: true }) })
    const text = program(`[==========[${peer.loader()}]==========]`)
    const run = { text, before: `script_key = "${KEY}"` }
    const { stdout, stderr } =
      host === 'luau' ? await runLuau(run) : await runLoader({ ...run, command: host, env: TRANSPORTS.curl })
    expect(stderr).toBe('')
    return { lines: stdout.trim().split('\n'), errors: peer.live.errors }
  })
}

describe.each(HOSTS)('in %s', { concurrent: true }, (host) => {
  test('reports a crash on the first line with the end of the run, and raises it again', async () => {
    const { errors, stderr, status } = await play(host, "return function(ward)\nerror('broken')\nend")
    expect(errors).toEqual([{ kind: 'crash', text: 'test script:2: broken', at: [2], n: 1 }])
    expect(status).toBe(1)
    expect(stderr).toContain('test script:2: broken')
  })

  test('reports the lines of all functions, innermost first', async () => {
    const script = `return function(ward)
local function third(value)
  local name = value.name
  return name .. ''
end
local function second(value)
  local name = third(value)
  return name
end
local name = second(nil)
return name
end`
    const { errors } = await play(host, script)
    expect(errors).toMatchObject([{ kind: 'crash', at: [3, 7, 10], n: 1 }])
    expect(errors[0]?.text).toMatch(/^test script:3: attempt to index .*nil/)
  })

  const VALUES = [
    ['nil', 'error object is nil'],
    ['{ 1 }', 'error object is a table'],
    [
      "setmetatable({}, { __tostring = function() print('called') return 'x' end })",
      'error object is a table',
    ],
    ['12.5', '12.5'],
    ['true', 'error object is a boolean'],
    ['print', 'error object is a function'],
  ] as const
  test.each(VALUES)('describes the error value %s without using it', async (value, text) => {
    const script = `return function(ward)\nward.report(${value})\nend`
    // Luau doesn't report the end of a run, so the script crashes at the end to send the reports.
    const { errors, stdout } = await play(host, script.replace(/end$/, "error('x', 0)\nend"))
    expect(errors[0]).toEqual({ kind: 'caught', text, at: [2], n: 1 })
    expect(stdout).not.toContain('called')
  })

  const VARIED = `return function(ward, ...)
  print(select('#', ...), ...)
  if ... == 'fail' then error(THROWN, 0) end
  if ... == 'level' then error('level 2', 2) end
  return nil, select('#', ...), nil
end`

  test('passes arguments and results through unchanged', async () => {
    const program = (loader: string) => `local function show(...) print(select('#', ...), ...) end
show((loadstring or load)(${loader}, '=loader')('a', nil, nil))`
    const { lines, errors } = await hosted(host, VARIED, program)
    expect(lines).toEqual(['3\ta\tnil\tnil', '3\tnil\t3\tnil'])
    expect(errors).toEqual([])
  })

  test('raises the same error value again', async () => {
    const program = (
      loader: string,
    ) => `THROWN = setmetatable({}, { __tostring = function() return 'thrown' end })
local ok, value = pcall((loadstring or load)(${loader}, '=loader'), 'fail')
print(ok, value == THROWN)`
    const { lines, errors } = await hosted(host, VARIED, program)
    expect(lines).toEqual(['1\tfail', 'false\ttrue'])
    expect(errors).toMatchObject([{ text: 'error object is a table' }])
  })

  test('keeps the position of an error level outside of the script', async () => {
    const program = (loader: string) => `print(pcall((loadstring or load)(${loader}, '=loader'), 'level'))`
    const { lines } = await hosted(host, VARIED, program)
    expect(lines[1]).toMatch(/^false\tloader:\d+: level 2$/)
  })

  test('lets a host that runs the loader in a coroutine yield and resume', async () => {
    const script = `return function(ward, ...)
  print('start', ...)
  print('resumed', coroutine.yield('first', nil))
  print('resumed', coroutine.yield('second'))
  error('after yields')
end`
    const program = (loader: string) => `local main = (loadstring or load)(${loader}, '=loader')
local thread = coroutine.create(main)
print(coroutine.resume(thread, 1, nil, 2))
print(coroutine.resume(thread, 'one', nil))
print(coroutine.resume(thread))
print(coroutine.status(thread))`
    const { lines, errors } = await hosted(host, script, program)
    expect(lines).toEqual([
      'start\t1\tnil\t2',
      'true\tfirst\tnil',
      'resumed\tone\tnil',
      'true\tsecond',
      'resumed',
      'false\ttest script:5: after yields',
      'dead',
    ])
    expect(errors).toEqual([{ kind: 'crash', text: 'test script:5: after yields', at: [5], n: 1 }])
  })

  test('lets a scheduler resume the script itself', async () => {
    const script = `return function(ward)
  wait()
  print('waited')
  wait()
  return 'done', nil
end`
    const program = (loader: string) => `local waiting = {}
function wait() waiting[#waiting + 1] = coroutine.running() coroutine.yield() end
local thread = coroutine.create(function()
  print((loadstring or load)(${loader}, '=loader')())
  wait()
  print('after')
end)
print(coroutine.resume(thread))
while waiting[1] do print((coroutine.resume(table.remove(waiting, 1)))) end`
    const { lines } = await hosted(host, script, program)
    const expected = ['true', 'waited', 'true', 'done\tnil', 'true', 'after', 'true']
    expect(lines).toEqual(expected)
  })

  test('reports a text of 10 MB like a short one', async () => {
    // Luau has only 16 MB of memory in these tests.
    const megabytes = host === 'luau' ? 1 : 10
    const script = `return function(ward)\nerror('big ' .. ('x'):rep(${megabytes} * 1024 * 1024))\nend`
    const { errors } = await play(host, script)
    expect(errors).toEqual([{ kind: 'crash', text: 'test script:2: big …', at: [2], n: 1 }])
  })

  test('reports a stack overflow, and raises it unchanged', async () => {
    const script = `return function(ward)
local function deeper(n) return 1 + deeper(n + 1) end
deeper(1)
end`
    const { errors, stderr } = await play(host, script)
    expect(stderr).toContain('stack overflow')
    expect(errors).toMatchObject([{ kind: 'crash', text: expect.stringContaining('stack overflow'), n: 1 }])
    expect(new Set(errors[0]?.at)).toEqual(new Set([2]))
  })

  test('replaces control characters and bytes that are not UTF-8', async () => {
    const script = "return function(ward)\nerror('a\\0b\\27c\\255d\\127', 0)\nend"
    const { errors } = await play(host, script)
    expect(errors).toMatchObject([{ text: 'a?b?c?d?' }])
  })

  test('counts an error that repeats, and reports at most five', async () => {
    const script = `return function(ward)
  for i = 1, 1000 do ward.report('again') end
  for i = 1, 20 do ward.report('other ' .. i, { i = i, yes = true, none = {}, [1] = 2 }) end
end`
    const off = { on: false, interval: 30_000, grace: 90_000, first: 5000 }
    await withPeer(async (peer) => {
      const { errors } = await reportsOf(peer, host, `${script.slice(0, -3)} error('last')\nend`, {
        beat: off,
      })
      expect(errors).toEqual([
        { kind: 'caught', text: 'again', at: [2], n: 1000 },
        ...[1, 2, 3, 4].map((i) => ({
          ...{ kind: 'caught', text: `other ${i}`, at: [3], n: 1 },
          tags: { i: `${i}`, yes: 'true' },
        })),
      ])
    })
  })

  test('sends nothing when the author does not want reports, or an older server does not know them', async () => {
    const script = "return function(ward)\nward.report('caught')\nerror('broken')\nend"
    const { errors, stderr } = await play(host, script, { isOff: true })
    expect(errors).toEqual([])
    expect(stderr).toContain('test script:3: broken')
  })

  test('removes the key, values of ward, paths and long parts', async () => {
    const script = `return function(ward)
  error('key ' .. '${KEY.toLowerCase()}' .. ', part U4Q5H-LUE, note ' .. ward.note .. ', at /home/joe/x.lua:3: or '
    .. 'C:\\\\Users\\\\Joe Doe\\\\x.txt, \\\\\\\\server\\\\share, ~/x, https://me:pw@x.example/a?b=c ' .. ('y'):rep(81), 0)
end`
    const { errors } = await play(host, script)
    expect(errors[0]?.text).toBe(
      'key <key>, part <key>, note <ward>, at <path>:3: or <path>, <path>, <path>, https://x.example<path> …',
    )
  })
})

describe('in a stand-alone interpreter', () => {
  test.concurrent.each(INTERPRETERS)('shows where the error was raised, in %s', async (host) => {
    const script = `return function(ward)
local function inner() error('broken') end
inner()
end`
    const { stderr } = await play(host, script)
    expect(stderr).toMatch(/test script:2: broken\nstack traceback:/)
    expect(stderr).toContain('test script:2: in ')
    expect(stderr).toContain('test script:3: in ')
  })
})

const HANDLERS = `return function(ward)
  ward.handle('fail', function()
    error('in a handler')
  end)
  ward.on_change = function() error('in on_change') end
  for _ = 1, 40 do ward.step(0.25) end
end`

describe('a run whose crash the host catches', () => {
  // LuaJIT reports the end of a run only if the script returns.
  const FINALIZING = INTERPRETERS.filter((name) => !name.startsWith('luajit'))

  test.concurrent.each(FINALIZING)(
    'continues for functions that the script left running, in %s',
    async (host) => {
      const script = `return function(ward)
  later = function() ward.report('later') print(ward.note) end
  error('broken')
end`
      await withPeer(async (peer) => {
        peer.reset({ script, decide: () => ({ ws: NO_SESSION, errors: true }) })
        const loader = `[==========[${peer.loader()}]==========]`
        const text = `print((pcall((loadstring or load)(${loader}, '=loader')))) later()`
        const run = { command: host, text, before: `script_key = "${KEY}"`, env: TRANSPORTS.curl }
        expect(await runLoader(run)).toEqual({ status: 0, stdout: 'false\na note\n', stderr: '' })
        expect(peer.live.beats.flatMap(({ e }) => e ?? [])).toMatchObject([{ kind: 'crash', at: [3] }])
        expect(peer.live.errors).toMatchObject([
          { kind: 'crash' },
          { kind: 'caught', text: 'later', at: [2] },
        ])
        expect(peer.live.ends).toHaveLength(1)
      })
    },
  )
})

describe('a session', () => {
  test.concurrent.each(INTERPRETERS)('carries reports of handlers, in %s', async (host) => {
    await withPeer(async (peer) => {
      peer.reset({ script: HANDLERS, decide: () => ({ beat: BEATS, ws: SESSION, errors: true }) })
      peer.live.scene.session = async (session) => {
        session.command(1, 'fail')
        await session.until(({ t }) => t === 'error')
        session.send({ t: 'kick', code: 40, reason: 'disconnected', message: 'x' })
      }
      await runLoader({
        ...{ command: host, text: peer.loader(), before: 'script_key = "KEY-1"', env: TRANSPORTS.LuaSocket },
      })
      const frames = peer.live.sessions.flatMap((session) => session.frames)
      const sent = frames.filter(({ t }) => t === 'error' || t === 'res')
      expect(sent).toEqual([
        { t: 'res', id: '1', ok: false, reason: expect.stringMatching(/: test script:3: in a handler$/) },
        { t: 'error', e: [{ kind: 'thread', text: 'test script:3: in a handler', at: [3], n: 1 }] },
      ])
    })
  })
})

describe('a heartbeat', () => {
  test.concurrent.each(INTERPRETERS)(
    'carries reports of a script that keeps running, in %s',
    async (host) => {
      // Without LuaSocket, the loader's clock has whole seconds, so the first one may be the last moment of a
      // step.
      const script = `return function(ward)
  ward.report('caught')
  ward.step(2)
  ward.report('caught')
end`
      await withPeer(async (peer) => {
        const { errors } = await reportsOf(peer, host, script, { beat: BEATS })
        expect(errors).toEqual(
          [{ kind: 'caught', text: 'caught', at: [2], n: 1 }, expect.anything()].slice(0, errors.length),
        )
        expect(peer.live.beats.flatMap(({ e }) => e ?? [])).toHaveLength(1)
      })
    },
  )

  test.concurrent('carries a crash on a host with threads, and the run continues', async () => {
    const script = `return function(ward)
  ward.on_kick = function(reason) print('kick', reason) end
  error('broken')
end`
    await withPeer(async (peer) => {
      const beat = { ...BEATS, on: false, first: 3_600_000 }
      peer.reset({ script, decide: () => ({ beat, ws: NO_SESSION, errors: true }) })
      peer.live.scene.next = 100
      peer.live.scene.beat = (n) =>
        n < 2 ? {} : ({ code: 40, reason: 'disconnected', message: 'x' } as never)
      const { stdout, stderr } = await runLuau({
        text: peer.loader(),
        before: 'script_key = "KEY-1"',
        live: true,
      })
      expect(stderr).toBe('test script:3: broken')
      expect(stdout).toContain('kick\tdisconnected')
      expect(peer.live.errors).toMatchObject([
        { kind: 'crash', text: 'test script:3: broken', at: [3], n: 1 },
      ])
      expect(peer.live.ends).toEqual([])
    })
  })
})
