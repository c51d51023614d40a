/** Tests how an older Node.js downloads the pinned version, and the messages when the download fails. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { placeOf } from '../packages/scriptward/bin/runtime.mjs'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { startProxy } from './intercepting-proxy.ts'
import { asNode } from './old-node.ts'

const BIN = path.join(path.dirname(import.meta.dirname), 'packages', 'scriptward', 'bin')
const NAME = 'pinned-by-digest'
const HOST = 'registry.example.com'

let folder: string
let tarball: Buffer
let address: string
/** How the registry responds to requests for the package. */
let delivery: 'whole' | 'cut off' | 'held back' = 'whole'
let held = 0

/** A registry that serves any content with a matching checksum. */
const answer: RequestListener = ({ url, headers: { host } }, response) => {
  if (url?.endsWith('.tgz')) {
    if (delivery === 'whole') return void response.end(tarball)
    response.setHeader('content-length', tarball.length)
    response.write(tarball.subarray(0, tarball.length / 2))
    if (delivery === 'held back') held += 1
    else setImmediate(() => response.destroy())
    return
  }
  const place = host === HOST ? `https://${HOST}` : address
  const dist = { tarball: `${place}/${NAME}/-/${NAME}-1.0.0.tgz`, integrity: digestOf(tarball) }
  const versions = Object.fromEntries(
    ['1.0.0', '2.0.0'].map((version) => [version, { name: NAME, version, hasInstallScript: true, dist }]),
  )
  response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.0.0' }, versions }))
}
const registry = createServer(answer)

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-runtime-'))
  tarball = packed('#!/bin/sh\necho v24.0.0\n')
  address = `http://127.0.0.1:${await listenOnFreePort(registry)}`
})
beforeEach(() => {
  delivery = 'whole'
})
afterAll(() => {
  registry.close()
  registry.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

/** Packs a package whose program has this content. */
function packed(program: string): Buffer {
  const made = mkdtempSync(path.join(folder, 'package-'))
  mkdirSync(path.join(made, 'bin'))
  writeFileSync(path.join(made, 'bin', 'node'), program, { mode: 0o755 })
  const scripts = { postinstall: 'touch it-ran' }
  const manifest = { name: NAME, version: '1.0.0', bin: { node: 'bin/node' }, scripts }
  writeFileSync(path.join(made, 'package.json'), JSON.stringify(manifest))
  spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: made })
  return readFileSync(path.join(made, `${NAME}-1.0.0.tgz`))
}

const digestOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

type Pin = { readonly name: string; readonly version: string; readonly integrity: string }
type Start = { readonly child: ChildProcess; readonly said: () => string }

const pinned = (version = '1.0.0'): Pin => ({ name: NAME, version, integrity: digestOf(tarball) })
const cacheOf = () => path.join(mkdtempSync(path.join(folder, 'home-')), 'cache')

/** Requests Node.js the way that the first start on Node.js 20 does, in a separate process group. */
function start(cache: string | undefined, pin: Pin, env: Readonly<Record<string, string>> = {}): Start {
  const file = JSON.stringify(path.join(BIN, 'runtime.mjs'))
  const pins = `{ [process.platform + '-' + process.arch]: ${JSON.stringify(pin)} }`
  const program = `import { runtimeIn } from ${file}\nawait runtimeIn([${cache && JSON.stringify(cache)}], ${pins})`
  // The npm settings of this machine, such as a CA, must not affect these tests.
  const files = {
    npm_config_userconfig: path.join(folder, 'no-npmrc'),
    npm_config_globalconfig: path.join(folder, 'no-npmrc-of-all'),
  }
  const settings = { ...files, npm_config_registry: address, npm_config_cache: `${cache}-of-npm` }
  const child = spawn(process.execPath, [...asNode('20.20.2'), '--input-type=module', '-e', program], {
    env: { ...withoutNpm(process.env), ...settings, ...env },
    detached: true,
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  return { child, said: () => said }
}

function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_config_/i.test(name)))
}

async function download(...given: Parameters<typeof start>) {
  const { child, said } = start(...given)
  const [code] = await once(child, 'close')
  return { code, said: said() }
}

const isInstalled = (cache: string, pin: Pin) => existsSync(placeOf(pin, cache).program)

test('the package with the pinned digest is installed, and its scripts are not run', async () => {
  const cache = cacheOf()
  expect((await download(cache, pinned())).code).toBe(0)
  expect(isInstalled(cache, pinned())).toBe(true)
  expect(readdirSync(cache, { recursive: true }).filter((name) => name.includes('it-ran'))).toEqual([])
})

test('a package with another digest is rejected and removed', async () => {
  const cache = cacheOf()
  const { code, said } = await download(cache, { ...pinned(), integrity: digestOf(Buffer.from('pinned')) })
  expect(said).toContain('npm got another package than the expected one (EINTEGRITY)')
  expect(code).toBe(1)
  expect(readdirSync(cache)).toEqual([])
})

test('without a network, the message names it and the remedy after a few seconds', async () => {
  const cache = cacheOf()
  const begun = performance.now()
  const { code, said } = await download(cache, pinned(), { npm_config_registry: 'http://127.0.0.1:9' })
  expect(said.split('\n').slice(1)).toEqual([
    `scriptward: can't download Node.js 1.0.0: npm can't reach its registry (ECONNREFUSED, http://127.0.0.1:9/${NAME}). Check your network and npm's proxy settings, or install Node.js 24 or newer.`,
    '',
  ])
  expect(code).toBe(1)
  expect(readdirSync(cache)).toEqual([])
  // With npm's default retry delays, this would take 70 seconds.
  expect(performance.now() - begun).toBeLessThan(40_000)
})

test('without npm, the message says what to install', async () => {
  const { code, said } = await download(cacheOf(), pinned(), { PATH: folder })
  expect(said).toContain("can't start npm, which downloads Node.js 1.0.0 (ENOENT): install Node.js 24")
  expect(code).toBe(1)
})

test('without a home folder, the message says what to install', async () => {
  const { code, said } = await download(undefined, pinned())
  expect(said).toContain('there is no home folder for a newer one: install Node.js 24 or newer')
  expect(code).toBe(1)
})

test('with a cache of npm that cannot be written, the message says which folder to look at', async () => {
  const cache = cacheOf()
  const { code, said } = await download(cache, pinned(), { npm_config_cache: '/dev/null/cache' })
  expect(said).toContain(
    "npm can't write to its cache (ENOTDIR). Make the folder that `npm config get cache`",
  )
  expect(code).toBe(1)
})

describe('a proxy with a certificate of its own', () => {
  const through = async (settings: (caFile: string) => Readonly<Record<string, string>>) => {
    const cache = cacheOf()
    const proxy = await startProxy(HOST, folder, answer)
    const env = { HTTPS_PROXY: proxy.url, npm_config_registry: `https://${HOST}` }
    const done = await download(cache, pinned(), { ...env, ...settings(proxy.caFile) })
    proxy.close()
    return { ...done, isInstalled: isInstalled(cache, pinned()) }
  }

  test('is explained while its CA is unknown', async () => {
    const { code, said } = await through(() => ({}))
    expect(said).toContain("npm doesn't trust the certificate of its registry or of your proxy")
    expect(said).toContain('Set NODE_EXTRA_CA_CERTS to the file')
    expect(code).toBe(1)
  })

  test.each(['NODE_EXTRA_CA_CERTS', 'npm_config_cafile'])('is used once %s names its CA', async (name) => {
    const done = await through((caFile) => ({ [name]: caFile }))
    expect(done).toMatchObject({ code: 0, isInstalled: true })
  })
})

describe('a half-finished download', () => {
  test('is removed when the connection breaks, and the next start repeats it', async () => {
    const cache = cacheOf()
    delivery = 'cut off'
    const { code, said } = await download(cache, pinned())
    expect(said).toContain("can't download Node.js 1.0.0")
    expect(said).toContain('install Node.js 24 or newer')
    expect(code).toBe(1)
    expect(readdirSync(cache)).toEqual([])
    delivery = 'whole'
    expect((await download(cache, pinned())).code).toBe(0)
    expect(isInstalled(cache, pinned())).toBe(true)
  })

  test('of a killed process, and an install without its program, are replaced', async () => {
    const cache = cacheOf()
    const { home } = placeOf(pinned(), cache)
    const { pid } = spawnSync('true')
    for (const left of [home, `${home}.${pid}`])
      mkdirSync(path.join(left, 'node_modules'), { recursive: true })
    expect((await download(cache, pinned())).code).toBe(0)
    expect(isInstalled(cache, pinned())).toBe(true)
    expect(readdirSync(cache)).toEqual([path.basename(home)])
  })

  test('is noticed when npm is content with a part of the program, as on a full disk', async () => {
    const cache = cacheOf()
    const whole = tarball
    tarball = packed('')
    const { code, said } = await download(cache, pinned())
    tarball = whole
    expect(said).toContain(
      'the downloaded Node.js 1.0.0 does not run on this system. Make sure that the disk',
    )
    expect(code).toBe(1)
    expect(readdirSync(cache)).toEqual([])
  })

  test.each([
    ['Ctrl-C', 'SIGINT', 130, (pid: number) => -pid],
    ['SIGTERM to the launcher alone', 'SIGTERM', 143, (pid: number) => pid],
  ] as const)('ends on %s, with npm, and leaves nothing', async (_, signal, expected, target) => {
    const cache = cacheOf()
    delivery = 'held back'
    const before = held
    const { child } = start(cache, pinned())
    await expect.poll(() => held).toBe(before + 1)
    process.kill(target(child.pid ?? 0), signal)
    expect(await once(child, 'close')).toEqual([expected, null])
    expect(readdirSync(cache)).toEqual([])
  })
})

test('two first starts at the same time, and two versions, share the cache folder', async () => {
  const cache = cacheOf()
  const pins = [pinned(), pinned(), pinned('2.0.0')]
  const done = await Promise.all(pins.map((pin) => download(cache, pin)))
  expect(done.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(pins.map((pin) => isInstalled(cache, pin))).toEqual([true, true, true])
  expect(readdirSync(cache).sort()).toEqual([`${NAME}-1.0.0`, `${NAME}-2.0.0`])
})
