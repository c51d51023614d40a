// Tests the loader's report about its host. Each test reads the hello of a real run, as the server receives
// it.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { denial, FINGERPRINT_STRENGTH, type Hello } from '../src/messages.ts'
import { Peer, PROJECT_ID } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

const peer = new Peer()
const home = mkdtempSync(join(tmpdir(), 'scriptward-home-'))
beforeAll(() => peer.listen())
afterAll(async () => {
  await peer.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => peer.reset())

const PREPARED = COMMANDS.filter(({ missing }) => !missing)

async function hello(before = '', env: Record<string, string> = {}, command = 'lua5.1'): Promise<Hello> {
  const text = peer.loader()
  const outcome = await runLoader({ command, text, before, env: { ...TRANSPORTS.LuaSocket, ...env } })
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  return peer.hellos.at(-1) as Hello
}

function component(name: string, value: string, project = PROJECT_ID): string {
  const hash = createHash('sha256').update(`lp1 fp\0${project}\0${name}\0${value}`).digest()
  return hash.subarray(0, 16).toString('base64url')
}

// Simulates a machine without the files that identify it.
const NAMELESS = `local open = io.open
  io.open = function(path, ...)
    if path:find('machine%-id') or path:find('/dmi/') then return nil end
    return open(path, ...)
  end`

describe.each(PREPARED)('a client in $name', ({ name }) => {
  test('reports its runtime and describes its host', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { rt, host, caps, env, t = 0 } = await hello('', {}, name)
    const after = Date.now() / 1000
    const expected = name.startsWith('luajit') ? 'luajit' : name
    expect(rt).toBe(expected)
    expect(host).toEqual({ executor: expected, version: '', platform: 'posix' })
    expect(caps).toMatchObject({ lz4: true, post: true, raw: true, ws: true, max_body: 65_536 })
    expect(env).toMatchObject({ hooked: 0, c_loadstring: true })
    expect([before <= t, t <= after]).toEqual([true, true])
  })

  test('gives the same fingerprint in every run', async () => {
    const env = { USER: 'somebody', HOSTNAME: 'some-host' }
    const [first, second] = [await hello('', env, name), await hello('', env, name)]
    expect(first.fp).toEqual(second.fp)
    expect(first.fp).toMatchObject({
      os_user: component('os_user', 'somebody'),
      hostname: component('hostname', 'some-host'),
    })
    for (const key of Object.keys(first.fp)) expect(FINGERPRINT_STRENGTH).toHaveProperty(key)
  })
})

describe('the fingerprint', () => {
  test('uses the machine ID of the system', async () => {
    const path = ['/etc/machine-id', '/var/lib/dbus/machine-id'].find(existsSync)
    const { fp } = await hello(`local open = io.open
      io.open = function(path, ...)
        if path == '/etc/machine-id' then path = '${join(home, 'machine-id')}' end
        return open(path, ...)
      end
      local file = open('${join(home, 'machine-id')}', 'w') file:write('0123456789abcdef\\n') file:close()`)
    expect(fp.machine_id).toBe(component('machine_id', '0123456789abcdef'))
    if (path)
      expect((await hello()).fp.machine_id).toBe(component('machine_id', readFileSync(path, 'utf8').trim()))
  })

  test('uses the device ID of an executor', async () => {
    const { fp } = await hello('function gethwid() return " DEVICE-A " end')
    expect(fp.gethwid).toBe(component('gethwid', 'DEVICE-A'))
    const other = await hello('syn = { gethwid = function() return "DEVICE-B" end }')
    expect(other.fp.gethwid).toBe(component('gethwid', 'DEVICE-B'))
    const broken = await hello('function gethwid() error("no") end')
    expect(broken.fp).not.toHaveProperty('gethwid')
  })

  test('cannot be compared across projects', async () => {
    const before = 'function gethwid() return "DEVICE-A" end'
    const text = peer.loader(peer.bootRecord(), { project_id: 'prj_other' })
    await runLoader({ command: 'lua5.1', text, before, env: TRANSPORTS.LuaSocket })
    expect(peer.hellos.at(-1)?.fp.gethwid).toBe(component('gethwid', 'DEVICE-A', 'prj_other'))
  })
})

describe('the fingerprint elsewhere', () => {
  test('reads the registry and the product on Windows', async () => {
    const { fp, host } = await hello(`package.config = '\\\\' .. package.config:sub(2)
      ${NAMELESS}
      io.popen = function(command)
        local answer = command:find('MachineGuid')
          and '\\r\\nHKEY_LOCAL_MACHINE\\r\\n    MachineGuid    REG_SZ    aaaa-bbbb\\r\\n\\r\\n'
          or 'UUID                                  \\r\\r\\nCCCC-DDDD  \\r\\r\\n'
        return { read = function() return answer end, close = function() return true end }
      end`)
    expect(host.platform).toBe('windows')
    expect(fp).toMatchObject({
      machine_id: component('machine_id', 'aaaa-bbbb'),
      product_uuid: component('product_uuid', 'CCCC-DDDD'),
    })
  })

  test('stores a random ID only if nothing else identifies the machine', async () => {
    const file = join(home, '.scriptward-install-id')
    await hello('function gethwid() return "DEVICE-A" end', { HOME: home })
    expect(existsSync(file)).toBe(false)
    const first = await hello(NAMELESS, { HOME: home })
    const second = await hello(NAMELESS, { HOME: home })
    expect(first.fp.install_id).toMatch(/^[\w-]{22}$/)
    expect(second.fp.install_id).toBe(first.fp.install_id)
    expect(statSync(file).size).toBe(43)
    rmSync(file)
    expect((await hello(NAMELESS, { HOME: home })).fp.install_id).not.toBe(first.fp.install_id)
  })

  test('stores the random ID in the workspace folder of an executor', async () => {
    const { files } = await runLuau({ text: peer.loader() })
    const id = files['scriptward-install-id'] ?? ''
    expect(id).toMatch(/^[\w-]{43}$/)
    const second = await runLuau({ text: peer.loader(), files })
    expect(second.files).toEqual({ 'scriptward-install-id': id })
    const fp = { install_id: component('install_id', id) }
    expect(peer.hellos.map((hello) => hello.fp)).toEqual([fp, fp])
  })
})

describe('the host', () => {
  const GAME = `local services = {
      RbxAnalyticsService = { GetClientId = function() return 'CLIENT-1' end },
      Players = { LocalPlayer = { UserId = 9007199254740991 } },
      HttpService = { GenerateGUID = function() return 'guid' end },
    }
    game = {
      PlaceId = 606849621, JobId = 'job-1',
      GetService = function(_, name) return services[name] or error('no ' .. name) end,
    }
    function identifyexecutor() return 'Some Executor', '1.2' end`

  test('is described by the executor and the game', async () => {
    await runLuau({ text: peer.loader(), before: GAME })
    expect(peer.hellos[0]).toMatchObject({
      host: { executor: 'Some Executor', version: '1.2', platform: 'game' },
      game: { place_id: '606849621', job_id: 'job-1', game_user_id: '9007199254740991' },
      fp: { client_id: component('client_id', 'CLIENT-1') },
    })
  })

  test.each([
    ['LANG', { LANG: 'pt_BR.UTF-8', LC_ALL: '' }, 'pt'],
    ['LC_ALL first', { LANG: 'pt_BR.UTF-8', LC_ALL: 'fil_PH.utf8' }, 'fil'],
    ['no language', { LANG: 'C.UTF-8', LC_ALL: '' }, undefined],
  ])('has the language of its environment: %s', async (_, env, lang) => {
    expect((await hello('', env)).lang).toBe(lang)
  })

  test("has the game's language in a game, whatever the host returns", async () => {
    const services = (id: string) =>
      `${GAME} services.LocalizationService = { RobloxLocaleId = ${id} } local _ = services`
    for (const id of ["'id-id'", "('x'):rep(5000)", '5', 'function() end'])
      await runLuau({ text: peer.loader(), before: services(id) })
    expect(peer.hellos.map(({ lang }) => lang)).toEqual(['id', 'xxx', undefined, undefined])
  })

  test('is truncated to the limits of a hello', async () => {
    const { host } = await hello(`function getexecutorname() return ('\\200' .. ('x'):rep(99)) end`)
    expect(host.executor).toBe(`?${'x'.repeat(63)}`)
  })

  test('reports hints of replaced functions', async () => {
    const before = 'local load = loadstring function loadstring(...) return load(...) end'
    expect((await hello(before)).env).toMatchObject({ hooked: 2, c_loadstring: false })
  })
})

describe('the user key', () => {
  test.each([
    ['a global', 'script_key = " KEY-1\\n"', {}, 'KEY-1'],
    [
      'the environment of the executor',
      'function getgenv() return { script_key = "KEY-2" } end',
      {},
      'KEY-2',
    ],
    ['an environment variable', '', { SCRIPT_KEY: 'KEY-3' }, 'KEY-3'],
    ['the global before the variable', 'script_key = "KEY-4"', { SCRIPT_KEY: 'KEY-5' }, 'KEY-4'],
    ['no global and no variable, which yields none', '', {}, null],
    ['a global that is false, which yields none', 'script_key = false', {}, null],
    ['an empty global, which yields none', 'script_key = ""', {}, null],
    [
      'a global with a long signed key of another service',
      'script_key = ("x"):rep(512)',
      {},
      'x'.repeat(512),
    ],
    ['a global that is too long for a key, which yields none', 'script_key = ("x"):rep(513)', {}, null],
    ['a global with bytes that no key contains, which yields none', 'script_key = "a\\0b\\255"', {}, null],
  ])('is read from %s', async (_, before, env, key) => {
    expect((await hello(before, env as Record<string, string>)).key).toBe(key)
  })
})

describe('the explanation that only the loader can give', () => {
  const start = async (before: string, env: Record<string, string> = {}) =>
    (
      await runLoader({
        command: 'lua5.1',
        text: peer.loader(),
        before,
        env: { ...TRANSPORTS.LuaSocket, ...env },
      })
    ).stderr

  test.each([
    ['12345678', 'a number'],
    ['{ "KEY-1" }', 'a table'],
    ['true', 'a boolean'],
  ])('names a key of the wrong type, without a request: %s', async (value, kind) => {
    const stderr = await start(`script_key = ${value}`, { SCRIPT_KEY: 'KEY-2' })
    expect(stderr).toBe(
      `scriptward: script_key must be a string in quotes, such as script_key = "your key", but it is ${kind}. (invalid_key)\n`,
    )
    expect(peer.exchanges).toEqual([])
  })

  test('reaches a script that handles denials', async () => {
    const watched = 'ward = { on_denied = function(reason) print(reason, ward.denied.code) end }'
    const { stdout } = await runLuau({ text: peer.loader(), before: `${watched} script_key = 12345678` })
    expect(stdout).toBe('invalid_key\t10\n')
  })

  test.each([
    ['"KEY-1\\194\\160"', 'contains characters that no license key has. Copy it again.'],
    ['("x"):rep(513)', 'is longer than any license key. Copy it again.'],
  ])('names a string that cannot be a key as the cause of a denial: %s', async (value, words) => {
    peer.reset({ decide: () => denial('invalid_key') })
    expect(await start(`script_key = ${value}`)).toBe(`scriptward: script_key ${words} (invalid_key)\n`)
    peer.reset({ decide: () => denial('key_expired') })
    expect(await start(`script_key = ${value}`)).toContain('This key has expired. (key_expired)')
  })

  test.each([
    ['', 'returned nil'],
    ['return ""', 'returned an empty string'],
    ['return " \\n"', 'returned an empty string'],
    ['return 12345678', 'returned a number instead of a string'],
    ['return {}', 'returned a table instead of a string'],
    ['error("no")', 'raised an error'],
  ])('names a broken gethwid function as the cause of a denial, with this body: %s', async (body, what) => {
    const before = `${NAMELESS} function gethwid() ${body} end`
    peer.reset({ decide: () => denial('fingerprint_missing') })
    expect(await start(before)).toBe(
      `scriptward: Your executor's gethwid function ${what}, so your device can't be identified. Use an executor ` +
        "where it works, or ask the author to allow devices that can't be identified. (fingerprint_missing)\n",
    )
    expect(peer.hellos[0]?.fp).not.toHaveProperty('gethwid')
    peer.reset({ decide: () => denial('key_expired') })
    expect(await start(before)).toContain('This key has expired. (key_expired)')
  })

  test("is left out if the host has no gethwid function, and the server's message is unchanged", async () => {
    peer.reset({ decide: () => ({ ...denial('fingerprint_missing'), message: "The server's words." }) })
    expect(await start('')).toBe("scriptward: The server's words. (fingerprint_missing)\n")
  })
})
