// Tests locked code on every host, against a simulated server. It runs with keys from the grant or from
// heartbeats, and with nothing else.
import { randomBytes } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { deriveKeyStreams, lockKey } from '../packages/client/src/leases.ts'
import { kick } from '../packages/client/src/live-messages.ts'
import type { Grant } from '../packages/client/src/messages.ts'
import { toB64u } from '../packages/client/src/wire.ts'
import type { Peer } from '../packages/client/test/peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { BEATS, NO_SESSION, withPeer } from '../packages/client/test/story.ts'
import { obfuscate } from '../packages/obfuscator/src/index.ts'

const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)
const LATE: Grant['beat'] = { ...BEATS, first: 3_600_000 }
const KEY = Buffer.alloc(32, 7)

function build(source: string, serviceKey = KEY): string {
  const options = { preset: 'max', parameters: ['ward'], servicePad: deriveKeyStreams(serviceKey) }
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.code
}

const SOURCE = `
local first = WARD_ENCFUNC(function(x) return 'the first treasure ' .. x end)
local second = WARD_ENCFUNC(function() return 'the second treasure' end)
local function check(x) if x > 1 then return 'a cold text' end return 'small' end
print(check(1), check(2)) print(first('a'), first('b'), second())`
const PRINTED = 'small\ta cold text\nthe first treasure a\tthe first treasure b\tthe second treasure\n'

/** The locks of the script's functions, in the order they are first called. */
const REQUESTED = [[3], [1], [2]]

/** Makes the peer serve a build, with its keys or with key grants. */
function serve(peer: Peer, source: string, beat?: Grant['beat']): void {
  const cold = { cold: toB64u(lockKey(KEY, 0)) }
  const all = { all: toB64u(KEY) }
  const decide = () => (beat ? { beat, ws: NO_SESSION, locks: cold } : { locks: all })
  peer.reset({ script: build(source), decide })
  peer.live.scene.serviceKey = KEY
}

/** Returns the keys requested by each heartbeat; retries after a late response count once. */
const asked = (peer: Peer) => peer.live.beats.filter(({ up }) => up >= 0).map(({ q }) => q)

const run = (peer: Peer, command = 'lua5.1', before = '') =>
  runLoader({ command, text: peer.loader(), before: `script_key = "K" ${before}`, env: TRANSPORTS.LuaSocket })

describe('locked code runs', () => {
  test.concurrent.each(PREPARED)('with the key of the grant, in %s', async (name) => {
    await withPeer(async (peer) => {
      serve(peer, SOURCE)
      expect(await run(peer, name)).toEqual({ status: 0, stdout: PRINTED, stderr: '' })
      expect(peer.live.beats).toEqual([])
    })
  })

  test.concurrent.each(PREPARED)('with key grants that each function requests once, in %s', async (name) => {
    await withPeer(async (peer) => {
      serve(peer, SOURCE, LATE)
      expect(await run(peer, name)).toEqual({ status: 0, stdout: PRINTED, stderr: '' })
      expect(asked(peer)).toEqual(REQUESTED)
      // The interpreter does not wait for the delivery of its last message.
      await vi.waitFor(() => expect(peer.live.ends).toHaveLength(1), 120_000)
    })
  })

  test.concurrent('with the key of the grant, in Luau', async () => {
    await withPeer(async (peer) => {
      serve(peer, SOURCE)
      const outcome = await runLuau({ text: peer.loader(), before: 'script_key = "K"' })
      expect(outcome).toMatchObject({ status: 0, stdout: PRINTED, stderr: '' })
    })
  })

  test.concurrent('with key grants that threads wait for, in Luau', async () => {
    const early = "task.spawn(function() print('early', #first('x')) end)"
    const threads = SOURCE.replace('print(check', `${early} print(check`)
    const last = "print(pcall(WARD_ENCFUNC(function() return 'the third treasure' end)))"
    await withPeer(async (peer) => {
      serve(peer, `${threads} ${last}`, LATE)
      // The last heartbeat ends the run. Otherwise, the script's threads would wait forever.
      peer.live.scene.beat = (n) => (n < 4 ? {} : kick('disconnected'))
      const { stdout, stderr } = await runLuau({
        text: peer.loader(),
        before: 'script_key = "K"',
        live: true,
      })
      expect(stderr).toBe('')
      for (const line of PRINTED.trimEnd().split('\n')) expect(stdout.split('\n')).toContain(line)
      expect(stdout).toMatch(/^early\t20$/m)
      expect(stdout).toMatch(/^false\tscriptward: .* \(disconnected\)$/m)
      expect(asked(peer)).toEqual([[1], [3], [2], [4]])
    })
  })

  test.concurrent('after a lost response, which is requested again first', async () => {
    await withPeer(async (peer) => {
      serve(peer, `ward.step(0.3) ${SOURCE}`, BEATS)
      peer.live.scene.beat = (n) => (n === 1 ? 'lost' : {})
      const { stdout, stderr } = await run(peer)
      expect([stdout, stderr]).toEqual([PRINTED, ''])
      expect(peer.live.beats.map(({ n, q }) => [n, q])).toEqual([
        [1, undefined],
        [1, undefined],
        ...REQUESTED.map((lock, i) => [i + 2, lock]),
      ])
    })
  })
})

describe('in Luau, where a request pauses the thread,', () => {
  const PAUSING = `script_key = "K"
    local send = request function request(message) task.wait(0) return send(message) end`
  /** The last message of each script ends the run. Otherwise, the script's threads would wait forever. */
  const ENDING = `pcall(WARD_ENCFUNC(function() return 'the end' end))`
  const play = (peer: Peer, source: string) => {
    serve(peer, `${source} ${ENDING}`, LATE)
    peer.live.scene.beat = () => (peer.live.beats.at(-1)?.q?.[0] === LAST ? kick('disconnected') : {})
    return runLuau({ text: peer.loader(), before: PAUSING, live: true })
  }
  /** Lock number of `ENDING` in scripts with one automatic lock. */
  const LAST = 2

  test.concurrent('cold code waits if its thread can wait, and has its key from the start if it cannot', async () => {
    await withPeer(async (peer) => {
      const { stdout } = await play(
        peer,
        `local function check(x) if x then return 'a cold text' end end
        print(check(true)) local flag = ward
        table.sort({ 2, 1 }, function(a, b) if a ~= b then print('cold in sort') end return a < b end)
        print(pcall(function() return setmetatable({}, { __index = function() if flag then error('cold in a metamethod', 0) end end }).x end))
        for x in coroutine.wrap(function() if flag then print('cold in a coroutine') end coroutine.yield('first') end) do print(x) end`,
      )
      const lines = [
        'a cold text',
        'cold in sort',
        'false\tcold in a metamethod',
        'cold in a coroutine',
        'first',
      ]
      expect(stdout.split('\n').slice(0, lines.length)).toEqual(lines)
      expect(asked(peer)).toEqual([[1], [LAST]])
    })
  })

  test.concurrent('code that the build missed fails with a message, and runs the next time', async () => {
    await withPeer(async (peer) => {
      const { stdout } = await play(
        peer,
        `local compare = { function(a, b) if a ~= b then print('cold in sort') end return a < b end }
        local name = 1
        print(pcall(table.sort, { 2, 1 }, compare[name])) task.wait(0.5) print(pcall(table.sort, { 2, 1 }, compare[name]))`,
      )
      expect(stdout).toMatch(
        /^false\tscriptward: this part of the script needs a key, .*\ncold in sort\ntrue\n/,
      )
    })
  })
})

describe('locked code waits for keys that arrive later', () => {
  /** The rate is ten times the server's: two keys immediately, then one every 0.2 seconds. */
  function pace(peer: Peer): void {
    const start = Date.now()
    const given = new Set<number>()
    peer.live.scene.leaseIn = (lock) => {
      const due = given.has(lock) ? 0 : start + (given.size - 1) * 200 - Date.now()
      if (due <= 0) given.add(lock)
      return Math.max(0, due)
    }
  }
  const FUNCTIONS = Array.from({ length: 8 }, (_, i) => `f${i}`)
  const DECLARED = FUNCTIONS.map((f) => `local ${f} = WARD_ENCFUNC(function() return 'the text of ${f}' end)`)
  const TEXTS = FUNCTIONS.map((f) => `the text of ${f}`)

  test.concurrent.each(PREPARED)('one after the other, in %s', async (name) => {
    await withPeer(async (peer) => {
      serve(peer, `${DECLARED.join('\n')} ${FUNCTIONS.map((f) => `print(${f}())`).join(' ')}`, LATE)
      pace(peer)
      expect(await run(peer, name)).toEqual({ status: 0, stdout: `${TEXTS.join('\n')}\n`, stderr: '' })
    })
  })

  test.concurrent('in Luau, whose threads take turns without flooding the server', async () => {
    await withPeer(async (peer) => {
      const threads = FUNCTIONS.map((f) => `task.spawn(function() print(${f}()) done = done + 1 end)`)
      const wait = `while done < ${FUNCTIONS.length} do task.wait(0.05) end`
      const last = 'pcall(WARD_ENCFUNC(function() return "the last" end))'
      serve(peer, `done = 0 ${DECLARED.join('\n')} ${threads.join(' ')} ${wait} ${last}`, LATE)
      pace(peer)
      // The request for the last lock ends the run. Otherwise, the script's threads would wait forever.
      const lastLock = FUNCTIONS.length + 1
      peer.live.scene.beat = () => (peer.live.beats.at(-1)?.q?.[0] === lastLock ? kick('disconnected') : {})
      const { stdout } = await runLuau({ text: peer.loader(), before: 'script_key = "K"', live: true })
      for (const text of TEXTS) expect(stdout.split('\n')).toContain(text)
      expect(peer.live.beats.length).toBeLessThan(2 * FUNCTIONS.length)
    })
  })
})

describe('locked code fails with a message', () => {
  const CAUGHT = `local f = WARD_ENCFUNC(function(x) return 'the treasure ' .. x end)`
  const REFUSED = 'scriptward: the server did not send the key for this part of the script'

  test.concurrent('while the server does not respond, and runs when it does again', async () => {
    await withPeer(async (peer) => {
      serve(peer, `${CAUGHT} print(pcall(f, 1)) print(pcall(f, 2))`, LATE)
      peer.live.scene.beat = (n) => (n <= 3 ? 'unheard' : {})
      const { stdout } = await run(peer)
      expect(stdout).toBe(`false\t${REFUSED}\ntrue\tthe treasure 2\n`)
    })
  })

  test.concurrent('when the server kicks instead of granting a key', async () => {
    await withPeer(async (peer) => {
      serve(peer, `ward.on_kick = print ${CAUGHT} print(pcall(f, 1)) print(pcall(f, 2))`, LATE)
      peer.live.scene.beat = () => kick('key_expired')
      const { stdout } = await run(peer)
      expect(stdout).toMatch(
        /^key_expired\ttable: \w+\n(false\tscriptward: Your key has expired. \(key_expired\)\n){2}$/,
      )
      expect(peer.live.beats).toHaveLength(1)
    })
  })

  test.concurrent.each(['lua5.1', 'luajit'])(
    'when heartbeats were patched out and the key grant has expired, in %s',
    async (name) => {
      const socket = `local socket = require('socket') local real, shift = socket.gettime, 0
        socket.gettime = function() return real() + shift end function later(seconds) shift = shift + seconds end`
      await withPeer(async (peer) => {
        // From this point, no requests are sent, as in a loader whose heartbeats were patched out.
        const cut = `require('socket').tcp = function() return nil, 'cut' end`
        serve(peer, `${CAUGHT} print(f(1)) ${cut} later(80) print(f(2)) later(20) print(pcall(f, 3))`, LATE)
        const { stdout } = await run(peer, name, socket)
        expect(stdout).toBe(
          'the treasure 1\nthe treasure 2\nfalse\tscriptward: The server could not be reached for too long. (heartbeat_lost)\n',
        )
      })
    },
  )

  test.concurrent('when the key belongs to another build', async () => {
    await withPeer(async (peer) => {
      serve(peer, SOURCE)
      peer.scene.script = build(`${CAUGHT} print(pcall(f, 1))`, randomBytes(32))
      const { stdout } = await run(peer)
      expect(stdout).toBe('false\tscriptward: this code runs only with a key from its server\n')
    })
  })
})

test('a host that never calls the loader sends a heartbeat when the key grant expires, and continues', async () => {
  await withPeer(async (peer) => {
    const source = `local f = WARD_ENCFUNC(function() return 'the treasure' end)
      print(f()) later(100) print(f())`
    serve(peer, source, LATE)
    const clock = `debug.sethook = nil local socket = require('socket') local real, shift = socket.gettime, 0
      socket.gettime = function() return real() + shift end function later(seconds) shift = shift + seconds end`
    expect((await run(peer, 'lua5.1', clock)).stdout).toBe('the treasure\nthe treasure\n')
    expect(asked(peer)).toEqual([[1], [1]])
  })
})
