// Tests how the loader sends requests: TLS, command lines and the choice among the transports that a host
// offers.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { denial } from '../src/messages.ts'
import { Peer } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

const folder = mkdtempSync(join(tmpdir(), 'scriptward-transport-'))
const certFile = join(folder, 'cert.pem')
const peer = new Peer()
let secure: Peer

beforeAll(async () => {
  const words = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1'
  const files = ['-keyout', join(folder, 'key.pem'), '-out', certFile]
  execFileSync('openssl', [...words.split(' '), ...files], { stdio: 'pipe' })
  secure = new Peer({ key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(certFile) })
  await Promise.all([peer.listen(), secure.listen()])
})
afterAll(async () => {
  await Promise.all([peer.close(), secure.close()])
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  peer.reset()
  secure.reset()
})

const RAN = { status: 0, stdout: 'ran\n', stderr: '' }
const PREPARED = COMMANDS.filter(({ missing }) => !missing)
const BOTH = Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[]

describe.each(BOTH)('TLS over %s', (transport) => {
  test.each(PREPARED)('accepts a server signed by the specified authority, on $name', async ({ name }) => {
    const env = { ...TRANSPORTS[transport], SSL_CERT_FILE: certFile }
    expect(await runLoader({ command: name, text: secure.loader(), env })).toEqual(RAN)
    expect(secure.exchanges[0]?.agent.toLowerCase()).toContain(transport === 'curl' ? 'curl' : 'socket')
  })

  test('rejects a server that was not signed by a known authority', async () => {
    const outcome = await runLoader({ command: 'lua5.1', text: secure.loader(), env: TRANSPORTS[transport] })
    expect(outcome.stderr).toContain('scriptward: the server cannot be reached')
    expect(secure.exchanges).toEqual([])
  })
})

describe('curl', () => {
  test.each(PREPARED)(
    'leaves neither key nor body in the process list and no file behind, on $name',
    async ({ name }) => {
      const log = join(folder, 'arguments')
      const temporary = mkdtempSync(join(folder, 'bin-'))
      writeFileSync(
        join(temporary, 'curl'),
        `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\nexec ${curlPath()} "$@"\n`,
      )
      chmodSync(join(temporary, 'curl'), 0o755)
      const env = { ...TRANSPORTS.curl, PATH: `${temporary}:/usr/bin:/bin` }
      const before = 'script_key = "KEY-IN-NO-LIST"'
      expect(await runLoader({ command: name, text: peer.loader(), before, env })).toEqual(RAN)
      const words = readFileSync(log, 'utf8')
      const [, body = ''] = /^@(.+)$/m.exec(words) ?? []
      expect(words).toContain(`${peer.url}/exec`)
      expect(body).not.toBe('')
      expect(existsSync(body)).toBe(false)
      expect(words).not.toMatch(/lp1\.|KEY-IN-NO-LIST/)
      rmSync(log)
    },
  )

  test("receives a URL that cannot break out of the shell's quoting", async () => {
    const marker = join(folder, 'marker')
    const url = `${peer.url}/'$(touch ${marker})'\`touch ${marker}\`;touch ${marker};'`
    const outcome = await runLoader({
      command: 'lua5.1',
      text: peer.loader(peer.bootRecord([url])),
      env: TRANSPORTS.curl,
    })
    expect(outcome.status).toBe(1)
    expect(readdirSync(folder)).not.toContain('marker')
  })
})

describe('bytes', () => {
  const script = `return function() print(#[[${'x'.repeat(9000)}]]) end`
  const raws = () => peer.hellos.map(({ caps }) => caps.raw)

  test.each(PREPARED)('arrive unchanged over LuaSocket, in $name', async ({ name }) => {
    for (const chunkBytes of [undefined, 1000]) {
      peer.reset({ script, raw: true, unpacked: true, chunkBytes })
      const outcome = await runLoader({ command: name, text: peer.loader(), env: TRANSPORTS.LuaSocket })
      expect([outcome, raws()]).toEqual([{ status: 0, stdout: '9000\n', stderr: '' }, [true]])
    }
  })

  test('can also contain a denial', async () => {
    peer.reset({ raw: true, decide: () => denial('key_expired') })
    const { stderr } = await runLoader({ command: 'lua5.1', text: peer.loader(), env: TRANSPORTS.LuaSocket })
    expect(stderr).toContain('(key_expired)')
  })

  test('are not requested if an intermediary may damage them', async () => {
    peer.reset({ script, raw: true })
    const outcome = await runLoader({ command: 'lua5.1', text: peer.loader(), env: TRANSPORTS.curl })
    expect([outcome.stdout, raws()]).toEqual(['9000\n', [false]])
    const before = 'function request() error("no") end'
    expect((await runLoader({ command: 'lua5.1', text: peer.loader(), before })).stdout).toBe('9000\n')
    expect((await runLuau({ text: peer.loader() })).stdout).toBe('9000\n')
    expect(raws()).toEqual([false, false, false])
  })
})

describe('when the transport is chosen,', () => {
  test('a host without any transport suggests a fix', async () => {
    const env = { ...TRANSPORTS.LuaSocket, ...TRANSPORTS.curl }
    const outcome = await runLoader({ command: 'lua5.1', text: peer.loader(), env })
    expect(outcome.stderr).toContain(
      'scriptward: this host has no way to send an HTTP request; LuaSocket or curl gives it one',
    )
  })

  test('a host without io and os can still use LuaSocket', async () => {
    const before = 'require("socket.http") io, os, debug = nil, nil, nil'
    expect(
      await runLoader({ command: 'lua5.1', text: peer.loader(), before, env: TRANSPORTS.LuaSocket }),
    ).toEqual(RAN)
  })

  test('the functions of an executor come before the libraries', async () => {
    const before = 'function request() return { StatusCode = 403, Body = "no" } end'
    const outcome = await runLoader({ command: 'lua5.1', text: peer.loader(), before })
    expect(outcome.stderr).toContain('HTTP 403')
    expect(peer.exchanges).toEqual([])
  })
})

describe('a game', () => {
  const ASK = `local http, ltn12 = require('socket.http'), require('ltn12')
    local function ask(message)
      local parts = {}
      local _, status = http.request({ url = message.Url, method = message.Method, sink = ltn12.sink.table(parts),
        headers = { ['content-length'] = #(message.Body or '') }, source = ltn12.source.string(message.Body or '') })
      return { StatusCode = status, Body = table.concat(parts) }
    end
    local service = {}\n`

  test('that may send requests uses its platform for them', async () => {
    const before = `${ASK} function service:RequestAsync(message) return ask(message) end
      game = { GetService = function(_, name) return name == 'HttpService' and service or error('none') end }`
    expect(await runLoader({ command: 'luajit', text: peer.loader(), before })).toEqual(RAN)
    expect(peer.exchanges[0]?.method).toBe('POST')
  })

  test('that may not send requests falls back to other functions', async () => {
    const before = `${ASK} function service:RequestAsync()
        error('Http requests can only be executed by game server')
      end
      game = {
        GetService = function(_, name) return name == 'HttpService' and service or error('none') end,
        HttpGet = function(_, url) return ask({ Url = url, Method = 'GET' }).Body end,
      }
      require = nil io = nil`
    expect(await runLoader({ command: 'luajit', text: peer.loader(), before })).toEqual(RAN)
    const ways = peer.exchanges.map(({ method, url }) => `${method} ${url.split('?')[0]}`)
    expect(ways).toEqual(['GET /exec', 'GET /end'])
  })
})

describe('LuaSocket', () => {
  test("has its timeouts restored to the script's own", async () => {
    peer.reset({ script: 'return function() print(require("socket.http").TIMEOUT) end' })
    const before = 'require("socket.http").TIMEOUT = 77'
    const outcome = await runLoader({
      command: 'lua5.1',
      text: peer.loader(),
      before,
      env: TRANSPORTS.LuaSocket,
    })
    expect(outcome.stdout).toBe('77\n')
  })
})

function curlPath(): string {
  return execFileSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim()
}
