/**
 * Tests the loader cache end to end: real uploads, loader lines, hosts that can store files, and the
 * downloads of later starts.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CACHE_HOSTS, Device, lineFor } from '../packages/client/test/run-cached.ts'
import { anyEngine } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'

const PROGRAM = `local plants = { rose = 2, ivy = 4 }
local function describe(name) return name .. ' is ' .. plants[name] * 3 end
print(describe('rose'), ward.script_name, ...)`

/** Lua code that prints the host's downloads. */
const LISTENING = `local function listening(real)
  return function(first, url)
    local answer = real(first, url)
    local address = url or first.Url
    if not address:find('/exec', 1, true) and not address:find('/end', 1, true) then
      print('<' .. address:match('/client/v1(.*)') .. ' ' .. #(answer.Body or answer) .. '>')
    end
    return answer
  end
end
if request then request = listening(request) end
game = game or { PlaceId = 77, GameId = 5e9 }
local get = game.HttpGet or function(_, url) return request({ Url = url, Method = 'GET' }).Body end
game.HttpGet = request and get or listening(get)`

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function makeHub() {
    const { owner, project } = await createOwner(at())
    const options = { script: PROGRAM, options: { preset: 'strong' } }
    const add = (name: string) => createScript(owner, project, { name, ...options })
    const [farm, race] = [await add('Farm'), await add('Race')]
    await owner.post(`/v1/scripts/${farm}/edit`, { places: ['77'] })
    await owner.post(`/v1/scripts/${race}/edit`, { places: ['78'] })
    const key = await createUser(owner, project)
    // The first request for a cacheable loader starts its build, and returns an ordinary loader.
    await fetch(`${at().url}/client/v1/loader/${farm}?cache=write`)
    await at().deps.client.keptLoaders.any.settle()
    return { owner, project, farm, race, key }
  }

  describe.each(CACHE_HOSTS.filter((host) => host !== 'luajit -joff'))('%s', (host) => {
    let device: Device
    beforeEach(() => {
      device = new Device(host)
    })
    afterEach(() => device.remove())

    /** Starts the loader, and returns the paths that it downloads and the number of downloaded characters. */
    async function start(text: string, key: string, more = '') {
      const outcome = await device.start(text, `${LISTENING} script_key = "${key}" ${more}`)
      expect(outcome).toMatchObject({ status: 0, stderr: '' })
      const loads = [...outcome.stdout.matchAll(/^<(\S+) (\d+)>$/gm)]
      const size = loads.reduce((sum, [, , count]) => sum + Number(count), 0)
      return {
        stdout: outcome.stdout.replaceAll(/^<.*>\n/gm, ''),
        paths: loads.map(([, path]) => path),
        size,
      }
    }

    test('a later start of the hub line downloads no code, in any game whose script was started before', async () => {
      const { project, key } = await makeHub()
      const line = `return (loadstring or load)(game:HttpGet("${at().url}/client/v1/hub/${project}"))('one')`
      const address = `/hub/${project}`
      const first = await start(line, key)
      expect(first.stdout).toBe('rose is 6\tFarm\tone\n')
      expect(first.paths).toEqual([address, expect.stringMatching(/\?place=77&game=\d+&cache=write$/)])
      const second = await start(line, key)
      expect(second.stdout).toBe(first.stdout)
      expect(second.paths).toEqual([address, expect.stringMatching(/\?place=77&game=\d+&cache=read$/)])
      expect(second.size).toBeLessThan(first.size / 3)
      const other = await start(line, key, 'game.PlaceId = 78')
      expect(other.stdout).toBe('rose is 6\tRace\tone\n')
      expect(other.paths).toHaveLength(3)
      // Normally, the cache contains the loader and two interpreters. If both interpreters get the same file
      // number out of twelve, only one of them is cached.
      const isKept = Object.keys(device.files).length === 3
      expect((await start(line, key)).paths).toHaveLength(isKept ? 2 : 3)
    })

    test('an updated script gets its new interpreter, and runs without the cache', async () => {
      const { owner, farm, key } = await makeHub()
      const line = lineFor(`${at().url}/client/v1/loader/${farm}?cache=read`)
      const [read, write] = [`/loader/${farm}?cache=read`, `/loader/${farm}?cache=write`]
      expect((await start(line, key)).paths).toEqual([read, write])
      expect((await start(line, key)).paths).toEqual([read])
      const script = PROGRAM.replace('* 3', '* 5 - 1 + #name')
      expect((await owner.post(`/v1/scripts/${farm}/update`, { script })).status).toBe(200)
      const updated = await start(line, key)
      expect(updated).toMatchObject({ stdout: 'rose is 13\tFarm\n', paths: [read, write] })
      expect((await start(line, key)).paths).toEqual([read])
      const without = await start(line, key, 'ward = { cache = false }')
      expect(without).toMatchObject({ stdout: updated.stdout, paths: [read, `/loader/${farm}?`] })
    })
  })
})
