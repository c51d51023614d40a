// Runs loaders in real interpreters, against a server that implements the protocol, until the script runs or
// an error message appears.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DENIALS, denial, LOADER_BUILD } from '../src/messages.ts'
import { Peer, SCRIPT_ID } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

const peer = new Peer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const SCRIPT = `return function(ward, ...)
  print(ward.script_name, ward.script_version, ward.is_premium, ward.note, ward.chat_id)
  print(ward.executions + 1, ward.seconds_left() == math.huge, select('#', ...), ...)
end`
const LINK = { text: 'Help', url: 'https://help.example/start' }
const LINE = '  Help: https://help.example/start'
const PRINTED = 'test script\t7\ttrue\ta note\tnil\n4\ttrue'

describe.each(COMMANDS)('in $name', ({ name, missing }) => {
  describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('over %s', (transport) => {
    const start = (before: string, args: readonly string[] = []) =>
      runLoader({ command: name, text: peer.loader(), before, args, env: TRANSPORTS[transport] })

    test.skipIf(missing)(`a granted script runs with its arguments ${missing ?? ''}`, async () => {
      peer.reset({ script: SCRIPT })
      const outcome = await start('script_key = "KEY-1"', ['one', 'two'])
      expect(outcome).toEqual({ status: 0, stdout: `${PRINTED}\t2\tone\ttwo\n`, stderr: '' })
      expect(peer.hellos[0]).toMatchObject({ key: 'KEY-1', script: SCRIPT_ID, lb: LOADER_BUILD, sv: 1 })
      const [exec] = peer.exchanges
      expect(exec?.agent.toLowerCase()).toContain(transport === 'curl' ? 'curl' : 'socket')
    })

    test.skipIf(missing)(`a denied user sees the reason and the program fails ${missing ?? ''}`, async () => {
      peer.reset({ decide: () => denial('fingerprint_mismatch', { link: LINK }) })
      const outcome = await start('script_key = "KEY-1"')
      const stderr = `scriptward: ${DENIALS.fingerprint_mismatch.message} (fingerprint_mismatch)\n${LINE}\n`
      expect(outcome).toEqual({ status: 1, stdout: '', stderr })
    })
  })

  const call = (text: string) =>
    runLoader({ command: name, text, before: 'script_key = "KEY-1"', env: TRANSPORTS.LuaSocket })
  const loader = () => `(loadstring or load)([=======[${peer.loader()}]=======], "=called")`

  test.skipIf(missing)(`a program that calls the loader can catch a denial ${missing ?? ''}`, async () => {
    peer.reset({ decide: () => denial('key_expired', { link: LINK }) })
    const outcome = await call(`print(pcall(${loader()}))`)
    const stdout = `false\tscriptward: ${DENIALS.key_expired.message} (key_expired)\n${LINE}\n`
    expect(outcome).toEqual({ status: 0, stdout, stderr: '' })
    const inside = await call(`local co = coroutine.create(${loader()}) print(coroutine.resume(co))`)
    expect(inside).toEqual({ status: 0, stdout, stderr: '' })
  })

  test.skipIf(missing)(`a denial is an error in a program that calls it ${missing ?? ''}`, async () => {
    peer.reset({ decide: () => denial('key_expired') })
    const outcome = await call(`local run = ${loader()}\nlocal result = run()\nprint("not reached")`)
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
    expect(outcome.stderr).toContain(`scriptward: ${DENIALS.key_expired.message} (key_expired)`)
    expect(outcome.stderr).toContain('stack traceback')
  })
})

describe('in Luau', () => {
  const start = (before: string) => runLuau({ text: peer.loader(), before })

  test('a granted script runs through the request function of the executor', async () => {
    peer.reset({ script: SCRIPT })
    const outcome = await start('script_key = "KEY-1"')
    expect(outcome).toMatchObject({ status: 0, stdout: `${PRINTED}\t0\n`, stderr: '' })
    expect(peer.hellos[0]).toMatchObject({ key: 'KEY-1', rt: 'luau', caps: { buffer: true, post: true } })
  })

  test('a denied user sees the reason', async () => {
    peer.reset({ decide: () => denial('key_expired', { link: LINK }) })
    const outcome = await start('script_key = "KEY-1"')
    expect(outcome.stderr).toBe(`scriptward: ${DENIALS.key_expired.message} (key_expired)\n${LINE}`)
  })

  test('a host that can only send GET requests sends its hello in the URL', async () => {
    const game = `local ask = request
      request = nil
      game = {
        HttpGet = function(_, url)
          local answer = ask({ Url = url, Method = 'GET' })
          if answer.StatusCode ~= 200 then error('HTTP ' .. answer.StatusCode .. ' (failed)') end
          return answer.Body
        end,
      }
      script_key = 'KEY-1'`
    expect(await start(game)).toMatchObject({ status: 0, stdout: 'ran\n', stderr: '' })
    expect(peer.exchanges.map(({ method, url }) => [method, url.slice(0, 8)])).toEqual([['GET', '/exec?b=']])
    expect(peer.hellos[0]).toMatchObject({ caps: { post: false, max_body: 4096 } })
    peer.reset({ refuse: { status: 409, times: 1 } })
    expect(await start(game)).toMatchObject({ status: 0, stdout: 'ran\n', stderr: '' })
  })

  test('a host without loadstring is reported before an execution is used up', async () => {
    const outcome = await start('loadstring = nil')
    expect(outcome.stderr).toBe('scriptward: your executor has no loadstring function, which scripts require')
    expect(peer.exchanges).toEqual([])
  })
})

const start = (text = peer.loader(), before = 'script_key = "KEY-1"') =>
  runLoader({ command: 'luajit', text, before, env: TRANSPORTS.LuaSocket })
const paths = () => peer.exchanges.map(({ method, url }) => `${method} ${url}`)

describe('at the start', () => {
  test('a loader kept in a file gets a new boot record and runs', async () => {
    const kept = peer.loader(peer.bootRecord([peer.url], Date.now() - 1))
    expect(await start(kept)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
    expect(paths()).toEqual(['POST /exec', `GET /boot?script=${SCRIPT_ID}`, 'POST /exec', 'POST /end'])
  })

  test('a boot record is requested only once', async () => {
    peer.reset({ refuse: { status: 409, times: 9 } })
    const outcome = await start()
    expect(outcome.stderr).toContain('scriptward: unexpected response from the server (HTTP 409)')
    expect(paths()).toEqual(['POST /exec', `GET /boot?script=${SCRIPT_ID}`, 'POST /exec'])
  })

  test("a loader without the server's new key reports that", async () => {
    const text = peer.loader(peer.bootRecord([peer.url], 0))
    const boot = { ...peer.bootRecord(), kid: '00000000' }
    const other = await new Peer().listen()
    try {
      other.bootRecord = () => boot
      const kept = text.replaceAll(peer.url, other.url)
      expect((await start(kept)).stderr).toContain('this loader is outdated; get a new one')
    } finally {
      await other.close()
    }
  })

  test('the next URL is used if the first is unreachable', async () => {
    const gone = await new Peer().listen()
    const { url } = gone
    await gone.close()
    const text = peer.loader(peer.bootRecord([url, peer.url]))
    expect(await start(text)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
    const nobody = await start(peer.loader(peer.bootRecord([url])))
    expect(nobody.stderr).toContain(
      'scriptward: the server cannot be reached (LuaSocket: connection refused)',
    )
  })

  test('the next URL is used if the first is broken', async () => {
    const broken = await new Peer().listen()
    try {
      broken.reset({ refuse: { status: 502, times: 9 } })
      const text = peer.loader(peer.bootRecord([broken.url, peer.url]))
      expect(await start(text)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
    } finally {
      await broken.close()
    }
  })
})

describe('when an answer arrives,', () => {
  const PLAIN_DENIAL = JSON.stringify({ ok: false, reason: 'blacklisted', message: 'Send me your password.' })
  test.each([
    ['a changed byte', (answer: string) => answer.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['a changed reply box', (answer: string) => answer.replace(/^lp1\.../, 'lp1.AA')],
    ['a truncated answer', (answer: string) => answer.slice(0, -40)],
    ['an empty answer', () => ''],
    ['an unencrypted denial', () => PLAIN_DENIAL],
  ])('%s is never treated as a decision', async (_, tamper) => {
    peer.reset({ tamper })
    const outcome = await start()
    expect(outcome.status).toBe(1)
    expect(outcome.stderr).toMatch(/scriptward: the (response of the server|payload) is not authentic/)
    expect(outcome.stderr + outcome.stdout).not.toMatch(/ran|password|blacklisted/)
  })

  test('a recorded answer of another run is rejected', async () => {
    await start()
    const recorded = peer.exchanges[0]?.answer ?? ''
    peer.reset({ tamper: () => recorded })
    expect((await start()).stderr).toContain('the response of the server is not authentic')
  })

  test('a server without the key of the loader cannot answer it', async () => {
    const impostor = await new Peer().listen()
    try {
      const text = peer.loader().replaceAll(peer.url, impostor.url)
      const outcome = await start(text)
      expect(outcome).toMatchObject({ status: 1, stdout: '' })
      expect(impostor.hellos).toEqual([])
    } finally {
      await impostor.close()
    }
  })

  test('a silent denial prints nothing and only reaches on_denied', async () => {
    peer.reset({ decide: () => denial('key_expired', { silent: true }) })
    expect(await start()).toEqual({ status: 0, stdout: '', stderr: '' })
    const watched = 'ward = { on_denied = function(reason) print(reason, ward.denied.code) end }'
    expect(await start(peer.loader(), watched)).toEqual({
      status: 0,
      stdout: 'key_expired\t11\n',
      stderr: '',
    })
  })

  test('its payload is the same whether it is uncompressed, compressed or in chunks', async () => {
    const script = `return function() print(#[[${'x'.repeat(9000)}]]) end`
    for (const changes of [{ unpacked: true }, { unpacked: false }, { chunkBytes: 1000, unpacked: true }]) {
      peer.reset({ script, ...changes })
      expect(await start()).toEqual({ status: 0, stdout: '9000\n', stderr: '' })
    }
    expect(paths().filter((path) => path.startsWith('GET /chunk/'))).toHaveLength(10)
  })
})

describe('when the script runs,', () => {
  const commands = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)
  const start = (command: string, text: string, args: readonly string[] = []) =>
    runLoader({ command, text, before: 'script_key = "K"', args, env: TRANSPORTS.LuaSocket })
  const called = (text: string) => `local loader = function(...) ${text} end\n`

  test.each(commands)('errors keep their value, and results are returned, on %s', async (command) => {
    peer.reset({
      script: 'return function(_, how) if how == "fail" then error({ code = 42 }) end return 1, nil, how end',
    })
    const check = `local ok, problem = pcall(loader, 'fail')
      print(ok, problem.code) print(select('#', again('three')), again('three'))`
    const again = `local again = function(...) ${peer.loader()} end\n`
    const outcome = await start(command, called(peer.loader()) + again + check)
    expect(outcome.stderr).toContain('')
    expect(outcome.stdout).toBe('false\t42\n3\t1\tnil\tthree\n')
  })

  test.each(commands)(
    'an error with a message ends the program as it would without the loader on %s',
    async (command) => {
      peer.reset({ script: 'return function() error("my own words", 0) end' })
      const outcome = await start(command, peer.loader())
      expect(outcome.status).toBe(1)
      expect(outcome.stderr).toContain(': my own words\n')
    },
  )

  test.each(commands)('the loader leaves no globals and uses no random numbers on %s', async (command) => {
    peer.reset({ script: 'return function() return math.random(1, 2 ^ 30) end' })
    // In Lua 5.1, LuaSocket defines the `ltn12` global, so the test loads LuaSocket beforehand.
    const text = `require('socket.http') local before = {}
      for name in pairs(_G) do before[name] = true end
      math.randomseed(5) local expected = math.random(1, 2 ^ 30) math.randomseed(5)
      print(loader() == expected)
      for name in pairs(_G) do if not before[name] then print('left', name) end end`
    const outcome = await start(command, called(peer.loader()) + text)
    expect(outcome).toEqual({ status: 0, stdout: 'true\n', stderr: '' })
  })

  test('ward counts down the remaining seconds', async () => {
    const vars = { seconds_left: 3 }
    peer.reset({
      decide: () => ({ vars: vars as never }),
      script: `return function(ward)
        print(ward.seconds_left()) later(2)
        print(ward.seconds_left()) later(2)
        print(ward.seconds_left())
      end`,
    })
    const clock = `local socket = require('socket') local now = socket.gettime()
      socket.gettime = function() return now end function later(seconds) now = now + seconds end`
    const run = { command: 'lua5.1', text: peer.loader(), before: clock, env: TRANSPORTS.LuaSocket }
    expect((await runLoader(run)).stdout).toBe('3\n1\n0\n')
  })

  test.each(commands)(
    'a strict host that raises errors for unknown names runs it too, on %s',
    async (command) => {
      const strict = `setmetatable(_G, { __index = function(_, name) error('no ' .. tostring(name), 2) end })\n`
      const text = strict + peer.loader()
      const outcome = await runLoader({ command, text, env: { ...TRANSPORTS.curl, SCRIPT_KEY: 'KEY-2' } })
      expect(outcome).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
      expect(peer.hellos[0]?.key).toBe('KEY-2')
    },
  )
})
