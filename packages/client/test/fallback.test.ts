// Tests executors with broken request functions: the loader finds a working function and keeps using it, or
// reports how each function failed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Peer } from './peer.ts'
import { runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { BEATS, NO_SESSION } from './story.ts'

const peer = new Peer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

/** Prints how many times the broken request function was called. */
const COUNT = 'return function() print(tries) end'

/** Replaces the executor's working request function with a broken one that counts its calls. */
const broken = (body: string) => `ask, tries = request, 0
  function request(message) tries = tries + 1 ${body} end`
const GAME = `game = {
  HttpGet = function(_, url)
    local answer = ask({ Url = url, Method = 'GET' })
    if answer.StatusCode ~= 200 then error('HTTP ' .. answer.StatusCode .. ' (failed)') end
    return answer.Body
  end,
}`

const start = (before: string, text = peer.loader()) =>
  runLuau({ text, before: `script_key = 'KEY-1'\n${before}` })
const expired = () => peer.loader(peer.bootRecord([peer.url], Date.now() - 1))
const ways = () => peer.exchanges.map(({ method, url }) => `${method} ${url.split('?')[0]}`)

const KINDS: readonly (readonly [what: string, body: string, problem: string])[] = [
  ['raises an error', 'error("disabled", 0)', 'disabled'],
  ['raises an error without a message', 'error()', 'raised nil'],
  [
    'raises an error that is not a string',
    'error(setmetatable({}, { __tostring = error }))',
    'raised a table',
  ],
  ['returns nothing', '', 'returned nil'],
  ['returns false', 'return false', 'returned a boolean'],
  ['returns a string', 'return "blocked"', 'returned a string'],
  ['returns no status', 'return { Body = "" }', 'returned no StatusCode'],
  ['returns the status 0', 'return { StatusCode = 0, Body = "" }', 'returned no StatusCode'],
  [
    'returns a status that is not a number',
    'return { StatusCode = {}, Body = "" }',
    'returned no StatusCode',
  ],
  ['returns no body', 'return { StatusCode = 200 }', 'returned no Body'],
  ['returns a reason', 'return { StatusCode = 0, StatusMessage = "HTTP is off", Body = "" }', 'HTTP is off'],
]

describe.each(KINDS)('a request function that %s', (_, body, problem) => {
  test('is replaced by game:HttpGet, once for all requests', async () => {
    peer.reset({ script: COUNT })
    expect(await start(`${broken(body)} ${GAME}`, expired())).toMatchObject({ stdout: '1\n', stderr: '' })
    expect(ways()).toEqual(['GET /exec', 'GET /boot', 'GET /exec'])
  })

  test('is named in the error along with its failure if nothing else works', async () => {
    const { stderr } = await start(broken(body))
    expect(stderr).toBe(`scriptward: the server cannot be reached (request: ${problem})`)
  })
})

describe('a broken request function', () => {
  test.each([
    ['http_request', 'http_request = ask'],
    ['http.request', 'http = { request = ask }'],
    ['syn.request', 'syn = { request = ask }'],
    ['fluxus.request', 'fluxus = { request = ask }'],
  ])('is replaced by %s', async (_, working) => {
    peer.reset({ script: COUNT })
    const outcome = await start(`${broken('error("disabled")')} ${working}`, expired())
    expect(outcome).toMatchObject({ stdout: '1\n', stderr: '' })
    expect(ways()).toEqual(['POST /exec', 'GET /boot', 'POST /exec'])
  })

  test('is not called again under another name', async () => {
    peer.reset({ script: COUNT })
    const names = 'http_request, syn = request, { request = request }'
    expect((await start(`${broken('return nil')} ${names} ${GAME}`)).stdout).toBe('1\n')
  })

  test('is replaced by a library in plain Lua', async () => {
    for (const env of [TRANSPORTS.LuaSocket, TRANSPORTS.curl]) {
      peer.reset()
      const before = 'function request() error("disabled") end'
      const outcome = await runLoader({ command: 'lua5.1', text: peer.loader(), before, env })
      expect(outcome).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
    }
  })

  test('is listed in the error with the others if all of them are broken', async () => {
    const { stderr } = await start(`${broken('error("disabled", 0)')}
      function http_request() return nil end
      syn = { request = function() return { StatusCode = 200 } end }
      game = {
        HttpGet = function() error('HttpGet is not allowed\\nstack', 0) end,
        GetService = function() return { RequestAsync = function() error(('x'):rep(999), 0) end } end,
      }`)
    expect(stderr).toBe(
      'scriptward: the server cannot be reached (request: disabled; http_request: returned nil; ' +
        `syn.request: returned no Body; HttpService: ${'x'.repeat(100)}; game:HttpGet: HttpGet is not allowed)`,
    )
    expect(peer.exchanges).toEqual([])
  })

  test('is listed in the error along with the error of game:HttpGet, including its status or line', async () => {
    const get = (words: string) => `game = { HttpGet = function() error('${words}', 0) end }`
    const { stderr } = await start(`${broken('return nil')} ${get('executor:126: disabled')}`)
    expect(stderr).toContain('game:HttpGet: executor:126: disabled')
    expect((await start(`${broken('return nil')} ${get('HTTP 403')}`)).stderr).toContain('(HTTP 403)')
  })

  test.each([
    'Failed to connect to ward.example.com port 443 after 412 ms: Connection refused',
    'connect to 203.0.113.7:443 failed',
    'timed out after 500 milliseconds',
  ])('is listed with an error of game:HttpGet that contains a number but no status: %s', async (words) => {
    const { stderr } = await start(
      `${broken('return nil')} game = { HttpGet = function() error('${words}', 0) end }`,
    )
    expect(stderr).toContain(`the server cannot be reached (request: returned nil; game:HttpGet: ${words})`)
  })

  test('limits heartbeats to the length of a URL if only game:HttpGet works', async () => {
    peer.reset({
      script: 'return function(ward) print(ward.send(1, ("x"):rep(4000)), ward.send(1, ("x"):rep(2000))) end',
      decide: () => ({ beat: { ...BEATS, first: 3_600_000 }, ws: NO_SESSION }),
    })
    const outcome = await start(`${broken('error("disabled")')} ${GAME}`)
    expect(outcome).toMatchObject({ stdout: 'false\ttrue\n', stderr: '' })
  })
})

test('a transport that has worked is kept when it fails later', async () => {
  const before = `ask = request
    function request(message)
      local answer = ask(message)
      ask = function() error('connection lost', 0) end
      return answer
    end
    http_request = function() error('not used', 0) end`
  const { stderr } = await start(before, expired())
  expect(stderr).toBe('scriptward: the server cannot be reached (request: connection lost)')
  expect(ways()).toEqual(['POST /exec'])
})
