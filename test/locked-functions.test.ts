/**
 * Tests that a run with heartbeats gets only the keys of the functions that it calls. When its script ends,
 * every reachable string is recorded and tried on every lock in its copy: as a key, as a service key and as a
 * key stream.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { executionKey, lockKey, lockPad } from '../packages/client/src/leases.ts'
import { KEY_BYTES } from '../packages/client/src/wire.ts'
import { openLock, sealLock } from '../packages/obfuscator/src/lock-keystream.ts'
import type { LockedTexts } from '../packages/server/src/features/builds/locked-texts.ts'
import { loadPayload } from '../packages/server/src/features/builds/payloads.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { liveScene } from './live-scene.ts'

/** Writes every reachable string of at least 32 bytes in hexadecimal, one per line. */
const RECORD = (file: string) => `
function RECORD()
  local debug, seen, strings, open = debug, {}, {}, {}
  local function push(value)
    local kind = type(value)
    if kind == 'string' then
      if #value >= ${KEY_BYTES} then strings[value] = true end
    elseif kind ~= 'nil' and kind ~= 'boolean' and kind ~= 'number' and not seen[value] then
      seen[value] = true
      open[#open + 1] = value
    end
  end
  push(debug.getregistry())
  for level = 1, 200 do
    local frame = debug.getinfo(level, 'f')
    if not frame then break end
    push(frame.func)
    for i = 1, 250 do push(select(2, debug.getlocal(level, i))) end
  end
  while #open > 0 do
    local value = table.remove(open)
    push(debug.getmetatable(value))
    push(debug.getfenv(value))
    if type(value) == 'table' then for k, v in next, value do push(k) push(v) end end
    if type(value) == 'function' then for i = 1, 250 do push(select(2, debug.getupvalue(value, i))) end end
  end
  local out = assert(io.open('${file}', 'wb'))
  for text in next, strings do out:write((text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)), '\\n') end
  out:close()
end`

const NAMES = ['first', 'second', 'third', 'fourth', 'fifth']
const FUNCTIONS = NAMES.map(
  (name) => `local function ${name}(x) if x then return 'the text of ${name}!' end return 0 end`,
)
/** Calls the first three functions, but does not reach the cold code in the third. */
const SCRIPT = `${FUNCTIONS.join('\n')}
local marked = WARD_ENCFUNC(function() return 'the text of marked!' end)
local unused = WARD_ENCFUNC(function() return 'the text of unused!' end)
print(first(1), second(1), third(), marked())
RECORD()
if not ward then return fourth, fifth, unused end`

describe('a run with heartbeats', () => {
  const { at, newJob } = liveScene(sqlite)
  let strings: readonly Buffer[] = []
  let locked: LockedTexts
  let exec = ''

  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'locked-functions-'))
    try {
      const job = await newJob('print(1)')
      await job.change('update', { script: SCRIPT, options: { preset: 'max' } })
      const file = path.join(folder, 'strings')
      const { stdout, stderr } = await job.run({ command: 'lua5.1', before: RECORD(file) })
      expect([stdout, stderr]).toEqual([
        'the text of first!\tthe text of second!\t0\tthe text of marked!\n',
        '',
      ])
      strings = readFileSync(file, 'latin1')
        .trimEnd()
        .split('\n')
        .map((line) => Buffer.from(line, 'hex'))
      exec = (await job.instances())[0]?.exec ?? ''
      const payload = await loadPayload(at().deps, { id: job.scriptId, version: 2 })
      if (!payload?.locked) throw new Error('the version has no locks')
      locked = payload.locked
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  /** Returns the names of the functions that the recorded strings unlock in this copy. */
  function opened(): string[] {
    const service = executionKey(locked.serviceKey, exec)
    return locked.texts.flatMap(({ plain, size }, lock) => {
      const text = new Uint8Array(2 * plain.length)
      sealLock(plain, lockPad(lockKey(service, lock), size), text, 0)
      const isOpen = padsFor(lock, size).some((pad) => Buffer.from(openLock(text, pad)).equals(plain))
      return isOpen ? namesIn(plain) : []
    })
  }

  function padsFor(lock: number, size: number): Uint8Array[] {
    const decoded = strings.map((each) => Buffer.from(each.toString('latin1'), 'base64url'))
    const keys = [...strings, ...decoded].filter(({ length }) => length === KEY_BYTES)
    return [
      ...strings.filter(({ length }) => length >= size),
      ...keys.flatMap((key) => [lockPad(key, size), lockPad(lockKey(key, lock), size)]),
    ]
  }

  const namesIn = (plain: Uint8Array) =>
    [
      ...Buffer.from(plain)
        .toString('latin1')
        .matchAll(/the text of (\w+)!/g),
    ].map(([, name]) => name ?? '')

  test('has locks for every function, which the server can open', () => {
    const all = locked.texts.flatMap(({ plain }) => namesIn(plain))
    expect(all.sort()).toEqual([...NAMES, 'marked', 'unused'].sort())
  })

  test('holds the keys of the functions whose locked code it ran, and of no others', () => {
    expect(opened().sort()).toEqual(['first', 'marked', 'second'])
  })
})
