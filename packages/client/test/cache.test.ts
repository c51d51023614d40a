// Tests the loader cache: a later start downloads no code, and a file that the server does not expect never
// runs.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { packInterpreter } from '../src/bundle.ts'
import { CODE_FILES, fileNumber, LOADER_FILES } from '../src/kept-code.ts'
import type { Grant } from '../src/messages.ts'
import { Peer } from './peer.ts'
import { CACHE_HOSTS, Device, lineFor } from './run-cached.ts'

const peer = new Peer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const INTERPRETER =
  packInterpreter('local d=...\nreturn function(ward) print(d[1], ward.script_name) end') ?? ''
const code = { loader: peer.core, interpreter: INTERPRETER }
const payload = { kind: 'vm' } as Grant['payload']
const line = () => lineFor(`${peer.url}/loader?rt=any&cache=read`)
const RAN = { status: 0, stdout: 'ran\n', stderr: '' }

/**
 * Returns the requests since the last call. Leaves out end messages, and removes bodies from query strings.
 */
function requests(): string[] {
  const all = peer.exchanges.splice(0).map(({ method, url }) => `${method} ${url.replace(/\?b=.*/, '')}`)
  return all.filter((one) => !one.endsWith('/end'))
}
const bytes = () => peer.exchanges.reduce((sum, { answer }) => sum + answer.length, 0)

const READ = 'GET /loader?rt=any&cache=read'
const WRITE = 'GET /loader?rt=any&cache=write'
const EXEC = expect.stringMatching(/^(POST|GET) \/exec$/)
const FILE = `scriptward-code-${fileNumber(peer.core)}.txt`

let device: Device
afterEach(() => device.remove())

describe.each(CACHE_HOSTS)('on %s', (host) => {
  beforeEach(() => {
    device = new Device(host)
  })

  test('the second start downloads no code, with one request before the run', async () => {
    expect(await device.start(line())).toEqual(RAN)
    const first = bytes()
    expect(requests()).toEqual([READ, WRITE, EXEC])
    expect(Object.keys(device.files)).toEqual([FILE])
    expect(await device.start(line())).toEqual(RAN)
    expect(bytes()).toBeLessThan(first / 3)
    expect(requests()).toEqual([READ, EXEC])
  })

  test('an interpreter is kept beside the loader, and both are needed', async () => {
    peer.reset({ script: '"text"', decide: () => ({ payload }), code })
    const ran = { ...RAN, stdout: 'text\ttest script\n' }
    expect(await device.start(line())).toEqual(ran)
    expect(Object.values(device.files).sort()).toEqual([peer.core, INTERPRETER].sort())
    requests()
    expect(await device.start(line())).toEqual(ran)
    expect(requests()).toEqual([READ, EXEC])
    device.write(`scriptward-code-${fileNumber(INTERPRETER, true)}.txt`, `${INTERPRETER} `)
    expect(await device.start(line())).toEqual(ran)
    expect(requests()).toEqual([READ, WRITE, EXEC])
  })

  test('a changed file never runs and is replaced', async () => {
    await device.start(line())
    const kept = device.files[FILE] ?? ''
    const at = kept.length >> 1
    for (const content of [
      'print("not ours")',
      `print("not ours")\n${kept}`,
      `${kept}\nprint("not ours")`,
      kept.slice(0, -1),
      kept.slice(0, at) + String.fromCharCode(kept.charCodeAt(at) ^ 1) + kept.slice(at + 1),
      kept.slice(0, 100),
      '',
    ]) {
      device.write(FILE, content)
      requests()
      expect(await device.start(line())).toEqual(RAN)
      expect(requests()).toEqual([READ, WRITE, EXEC])
      expect(device.files).toEqual({ [FILE]: kept })
    }
  })
})

describe('on a host', () => {
  beforeEach(() => {
    device = new Device('lua5.1')
  })

  test.each([
    ['without files', 'readfile, writefile, delfile = nil', '', {}],
    ['that can only write', 'readfile = nil', '', {}],
    ['that can only read', 'writefile = nil', '', {}],
    [
      'with functions that raise errors',
      'local function no() error({}) end readfile, writefile = no, no',
      WRITE,
      {},
    ],
    ['that writes nothing', 'writefile = function() end', WRITE, {}],
    ['that reads something else', 'readfile = function() return 5 end', WRITE, { [FILE]: peer.core }],
    [
      'that writes a part',
      'local write = writefile writefile = function(name, text) write(name, text:sub(1, 99)) end',
      WRITE,
      { [FILE]: peer.core.slice(0, 99) },
    ],
    ['whose user turned the cache off', 'ward = { cache = false }', '', {}],
    [
      'whose user turned the cache off in getgenv',
      'function getgenv() return { ward = { cache = false } } end',
      '',
      {},
    ],
  ])('%s, every start downloads the code', async (_, before, download, files) => {
    for (let start = 0; start < 2; start++) {
      expect(await device.start(line(), before)).toEqual(RAN)
      expect(requests()).toEqual([READ, download || 'GET /loader?rt=any&', EXEC])
      expect(device.files).toEqual(files)
    }
  })

  test('two starts at once leave nothing that runs unchecked', async () => {
    const starts = [device.start(line()), device.start(line()), device.start(line())]
    expect(await Promise.all(starts)).toEqual([RAN, RAN, RAN])
    expect(await device.start(line())).toEqual(RAN)
  })

  test('a newer loader replaces what it can, and at most sixteen files are kept', async () => {
    for (let release = 0; release < 12; release++) {
      const loader = `${peer.core}\n-- ${release}`
      peer.reset({ code: { loader } })
      expect(await device.start(line())).toEqual(RAN)
      expect(Object.values(device.files)).toContain(loader)
      requests()
      await device.start(line())
      expect(requests()).toEqual([READ, EXEC])
    }
    expect(Object.keys(device.files).length).toBeLessThanOrEqual(LOADER_FILES)
  })

  test('nothing about the customer, the script or the run is kept', async () => {
    peer.reset({ code, decide: () => ({ payload }), script: '"secret text"' })
    await device.start(line(), 'script_key = "KEY-1234"')
    const text = Object.values(device.files).join('\n')
    for (const word of ['KEY-1234', 'secret', 'scr_test', 'prj_test', peer.url])
      expect(text).not.toContain(word)
  })
})

test('files are numbered within their limits, by content', () => {
  device = new Device('lua5.1')
  const texts = Array.from({ length: 300 }, (_, i) => `text ${i}`)
  const numbers = (isInterpreter: boolean) => [
    ...new Set(texts.map((text) => fileNumber(text, isInterpreter))),
  ]
  const byValue = (a: number, b: number) => a - b
  expect(numbers(false).sort(byValue)).toEqual([...Array(LOADER_FILES).keys()])
  expect(numbers(true).sort(byValue)).toEqual([...Array(CODE_FILES).keys()].slice(LOADER_FILES))
})
