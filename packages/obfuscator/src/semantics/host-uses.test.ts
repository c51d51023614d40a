import { expect, test } from 'vitest'
import { obfuscate } from '../index.ts'

function usesOf(script: string, files?: Record<string, string>) {
  const built = obfuscate(files ? { main: 'main.lua', files: { 'main.lua': script, ...files } } : script, {
    preset: 'light',
  })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built.report.hostUses
}
const namesOf = (script: string) => usesOf(script).map(({ name }) => name)

test('a build lists the globals and fields that a script needs, with their first position', () => {
  expect(usesOf('\nwritefile("a", "b")\nwritefile("c", debug.getinfo(1).source)')).toEqual([
    { name: 'writefile', file: null, line: 2, uses: 2 },
    { name: 'debug', file: null, line: 3, uses: 1 },
    { name: 'debug.getinfo', file: null, line: 3, uses: 1 },
  ])
})

test('places in required files are those of the file', () => {
  const files = { 'lib/save.lua': 'local M = {}\nfunction M.save() writefile("a", "b") end\nreturn M' }
  const uses = usesOf('require("lib.save").save()', files)
  expect(uses).toContainEqual({ name: 'writefile', file: 'lib/save.lua', line: 2, uses: 1 })
})

test('names that the script tests are left out, wherever they are used', () => {
  for (const script of [
    'if writefile then writefile("a") end',
    'if not writefile then return end writefile("a")',
    'local write = writefile or function() end write("a")',
    'local write = writefile and writefile("a")',
    'if type(writefile) == "function" then writefile("a") end',
    'if writefile ~= nil then writefile("a") end',
    'local write = writefile if write then write("a") end',
    'pcall(writefile, "a")',
    'pcall(function() writefile("a") end)',
    'writefile = function() end writefile("a")',
    'while writefile do writefile("a") end',
  ])
    expect([script, namesOf(script).includes('writefile')]).toEqual([script, false])
  expect(namesOf('if crypt then crypt.encrypt("a") end')).toEqual([])
  expect(namesOf('if crypt.hash then crypt.hash("a") end')).toEqual(['crypt'])
})

test('locals of the same name are not globals, and an untested local still needs its global', () => {
  expect(namesOf('local function writefile() end writefile("a")')).toEqual([])
  expect(namesOf('local write = writefile write("a")')).toEqual(['writefile'])
  expect(namesOf('pcall(function() end) writefile("a")')).toContain('writefile')
})

test('a script with many globals costs no more than a thousand names', () => {
  expect(usesOf(Array.from({ length: 1500 }, (_, i) => `g${i}()`).join(' '))).toHaveLength(1000)
})
