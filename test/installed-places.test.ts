/** Where an installed package finds npm and keeps its cache, on each platform. */
import { expect, test } from 'vitest'
import { cacheFolder } from '../packages/scriptward/bin/cache-folder.mjs'
import { npmCommand } from '../packages/scriptward/bin/runtime.mjs'

const WINDOWS_NODE = 'C:\\Program Files\\nodejs\\node.exe'

test('npm is started by its name, and on Windows as a program of Node', () => {
  expect(npmCommand({ platform: 'linux', execPath: '/usr/bin/node', env: {} })).toEqual(['npm'])
  expect(npmCommand({ platform: 'win32', execPath: WINDOWS_NODE, env: {} })).toEqual([
    WINDOWS_NODE,
    'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js',
  ])
})

test('on Windows, npx passes on its own npm', () => {
  const env = { npm_execpath: 'D:\\npm\\bin\\npm-cli.js' }
  expect(npmCommand({ platform: 'win32', execPath: WINDOWS_NODE, env })[1]).toBe(env.npm_execpath)
})

test.each([
  ['linux', {}, '/home/ann/.cache/scriptward'],
  ['linux', { XDG_CACHE_HOME: '/var/cache/ann' }, '/var/cache/ann/scriptward'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/ann/.cache/scriptward'],
  ['darwin', {}, '/home/ann/.cache/scriptward'],
])('on %s with %j, the cache is in %s', (platform, env, expected) => {
  expect(cacheFolder({ platform, env }, '/home/ann')).toBe(expected)
})

test('on Windows, the cache is in the local application data', () => {
  const home = 'C:\\Users\\Ann'
  const env = { LOCALAPPDATA: `${home}\\AppData\\Local` }
  expect(cacheFolder({ platform: 'win32', env }, home)).toBe(`${home}\\AppData\\Local\\scriptward`)
  expect(cacheFolder({ platform: 'win32', env: {} }, home)).toBe(`${home}\\.cache\\scriptward`)
})
