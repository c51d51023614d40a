/**
 * Errors of protected scripts in real Lua, and the source lines that `/v1/scripts/:script_id/traceback`
 * returns.
 */
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { rowOf } from '../../../test/stored.ts'
import { unpack } from '../builds/lz4.ts'

const NAME = 'Garden: hub 2'
const FAILING = `local shop = {}
function shop.buy(item)
  local price = item.price.gold
  return price
end
print(shop.buy({}))`
const LATER = `-- a line more\n${FAILING}`

describe.each(anyEngine)('errors on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scene() {
    const { owner, project } = await createOwner(at(), { tier: 0 })
    const script = await createScript(owner, project, { name: NAME, script: FAILING })
    const traceback = (body: object, by: Owner = owner) => by.post(`/v1/scripts/${script}/traceback`, body)
    return { owner, project, script, traceback }
  }

  /** Returns a failing version's error message, with the chunk name that the loader uses. */
  async function errorOf(script: string, version: number): Promise<string> {
    const row = await rowOf(at(), 'script_versions', { script_id: script, version })
    const load = `assert(loadstring(io.read('*a'), '=${NAME}'))()()`
    const input = unpack(row.payload, row.payload_size)
    return spawnSync('lua5.1', ['-e', load], { input, encoding: 'latin1' }).stderr
  }

  test("are mapped to the author's lines in the version that failed, assumed or given", async () => {
    const { owner, script, traceback } = await scene()
    await owner.post(`/v1/scripts/${script}/update`, { script: LATER })
    const [first, second] = [await errorOf(script, 1), await errorOf(script, 2)]
    const assumed = (await traceback({ text: second })).body
    expect(assumed).toMatchObject({
      success: true,
      version: 2,
      assumed: true,
      mapped: true,
      other_versions: [1],
      truncated: false,
    })
    expect(assumed.places).toContainEqual(
      expect.objectContaining({
        chunk: NAME,
        line: 4,
        source: 'local price = item.price.gold',
        function: 'shop.buy',
      }),
    )
    expect(assumed.text).toContain(`${NAME}:4: attempt to index`)
    const given = (await traceback({ text: first, version: 1 })).body
    expect(given).toMatchObject({ version: 1, assumed: false, other_versions: [2] })
    expect(given.text).toContain(`${NAME}:3: attempt to index`)
    expect((await traceback({ text: first, version: 1 })).body).toEqual(given)
  })

  test('of a version without a map stay unchanged, and the answer says so', async () => {
    const { owner, script, traceback } = await scene()
    await at().deps.db.transaction((tx) =>
      tx.deleteFrom('line_maps').where('script_id', '=', script).execute(),
    )
    await owner.post(`/v1/scripts/${script}/update`, { script: LATER })
    const text = await errorOf(script, 1)
    const { body } = await traceback({ text, version: 1 })
    expect(body).toMatchObject({ version: 1, mapped: false, other_versions: [2], text })
    expect(body.places).toContainEqual(expect.objectContaining({ line: null, source: null, function: null }))
  })

  test('are mapped only for readers of the source, in versions that exist', async () => {
    const { owner, script, traceback } = await scene()
    const stranger = await at().createCustomer({ tier: 0 })
    const refused = (by: Owner, body: object = { text: 'a:1: b' }) => traceback(body, by)
    const missing = await stranger.post('/v1/scripts/scr_none/traceback', { text: 'a:1: b' })
    const foreign = await refused(stranger)
    expect([foreign.status, foreign.body.message]).toEqual([missing.status, missing.body.message])
    expect((await refused(owner, { text: 'a:1: b', version: 7 })).status).toBe(404)
    expect((await refused(owner, { text: '' })).status).toBe(400)
    expect((await refused(owner, { text: 'x'.repeat(1_000_001) })).status).toBe(400)
    const { map } = await rowOf(at(), 'line_maps', { script_id: script })
    expect(() => at().deps.secrets.open('source', script, map)).toThrow()
    expect(at().deps.secrets.open('lineMap', script, map).length).toBeGreaterThan(0)
  })

  test('in a hostile megabyte are mapped up to a limit', async () => {
    const { traceback } = await scene()
    const places = Array.from({ length: 60_000 }, (_, i) => `${NAME}:${i}: x`)
      .join('\n')
      .slice(0, 1_000_000)
    const { status, body } = await traceback({ text: places })
    expect(status).toBe(200)
    expect(body.truncated).toBe(true)
    expect((body.places as unknown[]).length).toBeLessThan(501)
  })
})
