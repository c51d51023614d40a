/**
 * Tests `scriptward push --dry-run` against a real server: it must report the same result as the push that
 * follows.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let own: Folder
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
})
beforeEach(() => {
  own = commandFolder(env)
})
afterEach(() => own.remove())

const SHOP = `local function price(n) return n * 17 + 23 end
local open = WARD_ENCFUNC(function() return 'open' .. 1234567 end)
print(price(...), open())
`

describe('push --dry-run', () => {
  const report = async (words: readonly string[]) => {
    const { stdout } = await own.run(['push', '--json', ...words])
    const { version: _, duration_ms: __, ...build } = JSON.parse(stdout)
    return build
  }
  /**
   * Does a dry run and then a push, and expects the push to report everything that the dry run reported.
   * Returns the dry run's report.
   */
  const both = async (words: readonly string[]) => {
    const { dry_run, ...dry } = await report(['--dry-run', ...words])
    expect(dry_run).toBe(true)
    expect(await report(words)).toMatchObject(dry)
    return dry
  }

  it.each([
    ['light', 'none', /^no copy can be traced/],
    ['strong', 'full', /the WARD_VARY number only gives candidates/],
    ['max', 'full', /the WARD_VARY number only gives candidates/],
  ])('reports what a push at %s reports', async (preset, watermark, tracing) => {
    own.write('main.lua', preset === 'light' ? SHOP : `${SHOP}print(WARD_VARY(61.25, 0.01))`)
    await own.run(['init', '--project', project, '--name', `dry ${preset}`])
    const dry = await both(['--set', `preset=${preset}`, 'seed=7'])
    const suggestions = [expect.objectContaining({ name: 'price' })]
    expect(dry).toMatchObject({ preset, watermark, tracing: expect.stringMatching(tracing), suggestions })
  })

  it('counts the slots that survive decompilation', async () => {
    const line = (n: number) =>
      `local a${n}, b${n} = {}, {} a${n}.x = ${n} b${n}.y = ${n} print(a${n}, b${n})`
    own.write('main.lua', Array.from({ length: 60 }, (_, n) => line(n)).join('\n'))
    await own.run(['init', '--project', project, '--name', 'lifted', '--set', 'seed=7'])
    expect((await both([])).tracing).toMatch(
      /after decompilation, the key can be identified if at least 36 of the remaining \d+ slots/,
    )
  })

  it('uses the options that a push would use, and those stored with the script', async () => {
    own.write('main.lua', SHOP)
    await own.run(['init', '--project', project, '--name', 'optioned'])
    await own.run(['push', '--set', 'preset=light', 'seed=7', 'encode-numbers=false', '--server', 'price'])
    const { script } = JSON.parse(own.read('scriptward.json'))
    const stored = await both([])
    expect(stored).toMatchObject({ preset: 'light', server_code: { functions: 1 } })
    // Without the ID, the script is found by name.
    own.write('scriptward.json', JSON.stringify({ project, name: 'optioned', entry: 'main.lua' }))
    expect(await report(['--dry-run'])).toMatchObject({ ...stored, dry_run: true })
    const options = { preset: 'light', seed: 7 }
    own.write('scriptward.json', JSON.stringify({ project, script, entry: 'main.lua', options }))
    const replaced = await both([])
    expect(replaced).toMatchObject({ preset: 'light', server_code: { functions: 1 } })
    expect(replaced.protected_bytes).not.toBe(stored.protected_bytes)
    expect((await both(['--set', 'server='])).server_code.functions).toBe(0)
    expect((await owner.get(`/v1/scripts/${script}/versions`)).body.total).toBe(4)
  })

  it('needs no server without a project', async () => {
    own.write('main.lua', SHOP)
    const nowhere = { SCRIPTWARD_URL: 'http://127.0.0.1:1' }
    const dry = await own.run(['push', 'main.lua', '--dry-run', '--server', 'price'], nowhere)
    expect(dry).toMatchObject({ status: 0, stdout: expect.stringContaining('1 function runs on the server') })
  })
})
