/** The runtime from npm must have the digest pinned in the launcher. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenOnFreePort } from '../packages/server/test/ports.ts'

const ROOT = path.dirname(import.meta.dirname)
const NAME = 'pinned-by-digest'

let folder: string
let tarball: Buffer
/** A registry that serves any content with a matching checksum. */
const registry = createServer((request, response) => {
  if (request.url?.endsWith('.tgz')) return void response.end(tarball)
  const dist = { tarball: `${address()}/${NAME}/-/${NAME}-1.0.0.tgz`, integrity: digestOf(tarball) }
  const version = { name: NAME, version: '1.0.0', hasInstallScript: true, dist }
  response.end(
    JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
  )
})

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-runtime-'))
  const manifest = { name: NAME, version: '1.0.0', scripts: { postinstall: 'touch it-ran' } }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: folder })
  tarball = readFileSync(path.join(folder, `${NAME}-1.0.0.tgz`))
  await listenOnFreePort(registry)
})
afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

const address = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
const digestOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Runs a line of JavaScript with the launcher's functions, with npm set to use the registry above. */
async function launcher(line: string): Promise<{ code: number; said: string }> {
  const file = JSON.stringify(path.join(ROOT, 'packages', 'scriptward', 'bin', 'runtime.mjs'))
  const program = `import { INSTALL_FLAGS, installPinned, runIn } from ${file}\n${line}`
  const cache = path.join(folder, 'cache')
  const env = { ...process.env, npm_config_registry: address(), npm_config_cache: cache }
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, said }
}

async function install(integrity: string) {
  const home = mkdtempSync(path.join(folder, 'home-'))
  const pin = { name: NAME, version: '1.0.0', integrity }
  const done = await launcher(`installPinned(${JSON.stringify(home)}, ${JSON.stringify(pin)})`)
  return { ...done, package: path.join(home, 'node_modules', NAME) }
}

test('a package with another digest is rejected and removed', async () => {
  const other = await install(digestOf(Buffer.from('what was pinned')))
  expect(other.code).toBe(1)
  expect(other.said).toContain('EINTEGRITY')
  expect(existsSync(path.join(other.package, 'package.json'))).toBe(false)
})

test('the package with the pinned digest is installed', async () => {
  const right = await install(digestOf(tarball))
  expect(right.code).toBe(0)
  expect(existsSync(path.join(right.package, 'package.json'))).toBe(true)
})

test('packages run no code during installation', async () => {
  const home = mkdtempSync(path.join(folder, 'home-'))
  const words = JSON.stringify(['install', '--prefix', home, NAME])
  expect(
    (await launcher(`runIn(process.cwd(), ['npm', ...${words}, ...INSTALL_FLAGS], process.env)`)).code,
  ).toBe(0)
  const installed = path.join(home, 'node_modules', NAME)
  expect(existsSync(path.join(installed, 'package.json'))).toBe(true)
  expect(existsSync(path.join(installed, 'it-ran'))).toBe(false)
})
