/** Tests `scriptward upgrade --check` with a real npm and a registry on this machine. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

let folder: Folder
let latest: string | undefined
const requests: string[] = []
const registry = createServer((request, response) => {
  requests.push(request.url ?? '')
  if (latest === undefined) return void response.writeHead(404).end('{}')
  const version = { name: 'scriptward', version: latest, dist: { tarball: '', shasum: '' } }
  const document = { name: 'scriptward', 'dist-tags': { latest }, versions: { [latest]: version } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
})

beforeAll(async () => {
  await listenOnFreePort(registry)
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
  folder = commandFolder(() => ({
    npm_config_registry: url,
    npm_config_cache: `${folder.path}/cache`,
    npm_config_fetch_retries: '0',
  }))
})
afterAll(() => {
  registry.close()
  folder.remove()
})

test('a newer version is named with the command that installs it', async () => {
  latest = '12.0.0'
  const { status, stdout } = await folder.run(['upgrade', '--check'])
  expect(stdout).toContain('scriptward 12.0.0 is available')
  expect(stdout).toContain('npm install scriptward@12.0.0')
  expect(status).toBe(0)
})

test('the newest version is recognized, and an older one or a beta of it on npm is not offered', async () => {
  const { stdout } = await folder.run(['version', '--json'])
  const { version } = JSON.parse(stdout) as { readonly version: string }
  for (latest of [version, `${version}-beta.1`, '0.0.9']) {
    const done = await folder.run(['upgrade', '--check', '--json'])
    expect(JSON.parse(done.stdout)).toEqual({ version, newest: latest, is_newer: false })
  }
})

test('a package that npm does not have is an error that names npm', async () => {
  latest = undefined
  const { status, stderr } = await folder.run(['upgrade', '--check'])
  expect(stderr).toContain(
    "couldn't get the latest version from npm: it can't find the package in its registry (E404)",
  )
  expect(status).toBe(4)
})

test('without a network or without npm, the cause and the remedy are named', async () => {
  const offline = { npm_config_registry: 'http://127.0.0.1:9' }
  for (const [env, says] of [
    [
      offline,
      "it can't reach its registry (ECONNREFUSED, http://127.0.0.1:9/scriptward). Check your network",
    ],
    [{ PATH: folder.path }, 'it is not installed. Install npm'],
  ] as const) {
    const { status, stderr } = await folder.run(['upgrade', '--check'], env)
    expect(stderr).toContain(says)
    expect(status).toBe(4)
  }
})

test('without --check, nothing is asked', async () => {
  requests.length = 0
  const { status, stderr } = await folder.run(['upgrade'])
  expect(stderr).toContain('--check')
  expect(status).toBe(1)
  expect(requests).toEqual([])
})
