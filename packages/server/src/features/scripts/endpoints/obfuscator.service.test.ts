/**
 * Upload options and tests: the available choices, the data stored with each version, and errors for invalid
 * choices.
 */
import { describe, expect, test } from 'vitest'
import { anyEngine, sqlite } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createOwner, createScript, readAccount } from '../../../../test/nouns.ts'
import { rowsOf } from '../../../../test/stored.ts'

const SOURCE = 'print("hi", ...) return 7'
/** This script prints its own line numbers, which no build preserves. */
const TELLING = '\nprint(debug.info(1, "l"))'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function begin(members = {}): Promise<{ owner: Owner; project: string; id: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, id: await createScript(owner, project, { script: SOURCE, ...members }) }
  }

  const versionOf = async (owner: Owner, id: string, n: number) =>
    (await owner.get(`/v1/scripts/${id}/versions/${n}`)).body.version as Record<string, unknown>
  const optionsOf = async (owner: Owner, id: string) =>
    ((await owner.get(`/v1/scripts/${id}`)).body.script as Record<string, unknown>).options

  test('every listed option is documented, and every preset builds', async () => {
    const { owner, project } = await begin()
    const { body } = await owner.get('/v1/obfuscator/options')
    const options = body.options as {
      id: string
      description: string
      choices: string[] | null
      default: unknown
    }[]
    expect(options.map(({ id }) => id).slice(0, 3)).toEqual(['preset', 'target', 'seed'])
    for (const { description } of options) expect(description).toMatch(/\w.*\.$/)
    const presets = (body.presets as { id: string }[]).map(({ id }) => id)
    expect(presets).toContain(body.default_preset)
    expect(options[0]?.choices).toEqual(presets)
    for (const preset of presets) {
      const id = await createScript(owner, project, { script: SOURCE, options: { preset } })
      expect(await versionOf(owner, id, 1)).toMatchObject({ preset, options: { preset } })
    }
  })

  test('the macros and variables of Scriptward and other services are listed with their replacements', async () => {
    const { owner } = await begin()
    const { body } = await owner.get('/v1/obfuscator/options')
    const macros = body.macros as { name: string; kind: string; note: string }[]
    const kindOf = (name: string) => macros.find((each) => each.name === name)?.kind
    expect(['WARD_JIT', 'LPH_OPAQUE', 'LRM_UserNote', 'JD_CREATED_AT'].map(kindOf)).toEqual([
      'macro',
      'ignored',
      'variable',
      'refused',
    ])
    for (const { note } of macros) expect(note).toMatch(/\w/)
  })

  test('an unknown macro of another service is rejected with its line', async () => {
    const { owner, id } = await begin()
    const refused = await owner.post(`/v1/scripts/${id}/update`, { script: 'print(1)\nprint(LRM_Usernote)' })
    expect(refused.status).toBe(422)
    expect(refused.error).toMatchObject({
      obfuscator_errors: [{ message: expect.stringMatching(/^line 2, column 7: .*'LRM_UserNote'/) }],
    })
  })

  test('functions stay on the server when an upload does not repeat the list, until it is emptied', async () => {
    const script = 'local function price(n) return n * 17 + 23 end\nprint(price(2))'
    const { owner, id } = await begin({ script, options: { preset: 'light', server: 'price' } })
    const movedBy = async (n: number) =>
      ((await versionOf(owner, id, n)).server_code as { name: string }[]).map(({ name }) => name)
    await owner.post(`/v1/scripts/${id}/update`, { script, options: { preset: 'strong' } })
    expect(await optionsOf(owner, id)).toEqual({ preset: 'strong', server: 'price' })
    await owner.post(`/v1/scripts/${id}/update`, { script, options: { server: '' } })
    expect(await Promise.all([1, 2, 3].map(movedBy))).toEqual([['price'], ['price'], []])
  })

  test('a build suggests functions for the server, with observations from its smoke test', async () => {
    const script = `local function price(n) return n * 17 + 23 end
local function label(n) return 'one' .. tostring(n) .. 'two' end
return price(2), label(print)`
    const { owner, id } = await begin({ script })
    await owner.post(`/v1/scripts/${id}/update`, { script, test_script: 'script() script()' })
    const suggestionsOf = async (n: number) =>
      ((await versionOf(owner, id, n)).report as { suggestions: unknown }).suggestions
    const price = { name: 'price', place: 'line 1', lines: 1, constants: 2, callSites: 1, obstacle: null }
    const label = { ...price, name: 'label', place: 'line 2' }
    expect(await suggestionsOf(1)).toEqual([price, label].map((each) => ({ ...each, testCalls: null })))
    expect(await suggestionsOf(2)).toEqual([
      { ...price, testCalls: 2 },
      {
        ...label,
        testCalls: 2,
        obstacle: "its arguments or results in the test contained a function, which can't be sent",
      },
    ])
  })

  test('options are stored with the version and the script, and stay until replaced', async () => {
    const { owner, id } = await begin({ options: { preset: 'light', 'encode-numbers.share': 0.5 } })
    expect(await optionsOf(owner, id)).toEqual({ preset: 'light', 'encode-numbers.share': 0.5 })
    await owner.post(`/v1/scripts/${id}/update`, { script: SOURCE })
    expect(await versionOf(owner, id, 2)).toMatchObject({
      preset: 'light',
      options: { 'encode-numbers.share': 0.5 },
    })
    await owner.post(`/scripts/${id}/update`, { script: SOURCE, options: { preset: 'strong' } })
    expect(await versionOf(owner, id, 3)).toMatchObject({ preset: 'strong', options: { preset: 'strong' } })
    expect(await optionsOf(owner, id)).toEqual({ preset: 'strong' })
    await owner.post(`/scripts/${id}/update`, { script: SOURCE, options: {} })
    expect(await optionsOf(owner, id)).toEqual({})
    expect(await versionOf(owner, id, 1)).toMatchObject({ options: { preset: 'light' } })
  })

  test('a script for FiveM needs no target, and cannot have the target of another host', async () => {
    const { owner, project, id } = await begin()
    const script = 'local n, t in cfg\nn += 1\nprint(t?.x, `adder`)'
    const choicesOf = (await owner.get('/v1/obfuscator/options')).body.options as {
      id: string
      choices: string[]
    }[]
    expect(choicesOf.find((each) => each.id === 'dialect')?.choices).toContain('fivem')
    const built = await createScript(owner, project, { script, options: { dialect: 'fivem' } })
    expect(await versionOf(owner, built, 1)).toMatchObject({ options: { dialect: 'fivem' } })
    expect((await owner.post(`/v1/scripts/${id}/update`, { script })).status).toBe(422)
    const options = { dialect: 'fivem', target: 'luau' }
    const refused = await owner.post(`/v1/scripts/${id}/update`, { script, options })
    expect(refused.status).toBe(422)
    expect(refused.error).toMatchObject({
      obfuscator_errors: [{ message: expect.stringMatching(/choose 'lua54', or leave the target out/) }],
    })
  })

  test('a seed given by the author reproduces the same build', async () => {
    const { owner, project } = await begin()
    const payloadOf = async (options: object) => {
      const id = await createScript(owner, project, { script: SOURCE, options })
      const rows = await rowsOf(at(), 'script_versions', { script_id: id })
      return Buffer.from(rows[0]?.payload ?? []).toString('hex')
    }
    expect(await payloadOf({ seed: 'mine' })).toBe(await payloadOf({ seed: 'mine' }))
    expect(await payloadOf({ seed: 'mine' })).not.toBe(await payloadOf({ seed: 'other' }))
  })

  test.each([
    [{ preset: 'heroic' }, 'options.preset', /must be one of 'light'/],
    [{ nothing: true }, 'options.nothing', /there is no option 'nothing'/],
    [{ 'encode-numbers.share': 2 }, 'options.encode-numbers.share', /a number from 0 to 1/],
    [{ preset: ['light'] }, 'options.preset', /./],
    ['light', 'options', /object/],
  ])('invalid options %j are reported by name and cost nothing', async (options, field, words) => {
    const { owner, project, id } = await begin()
    const used = (await readAccount(owner)).obfuscations_used
    for (const path of [
      `/projects/${project}/scripts/new`,
      `/scripts/${id}/update`,
      `/v1/scripts/${id}/update`,
    ]) {
      const name = path.endsWith('new') ? { name: 'Name' } : {}
      const { status, error } = await owner.post(path, { ...name, script: SOURCE, options })
      expect(status).toBe(400)
      expect(error).toMatchObject({ failed: [{ field, errors: [expect.stringMatching(words)] }] })
    }
    expect((await readAccount(owner)).obfuscations_used).toBe(used)
  })

  test('a smoke test runs with every version until it is removed, and only its owner can read it', async () => {
    const { owner, id } = await begin({ test_script: 'print(script(1))' })
    const testOf = async (n: number, by = owner) =>
      (await by.get(`/v1/scripts/${id}/versions/${n}/test`)).body.test_script
    expect(await testOf(1)).toBe('print(script(1))')
    const refused = await owner.post(`/v1/scripts/${id}/update`, { script: 'error("always")' })
    expect(refused.status).toBe(422)
    expect((await owner.post(`/v1/scripts/${id}/update`, { script: 'return 2' })).status).toBe(200)
    expect(await testOf(2)).toBe('print(script(1))')
    expect(
      (await owner.post(`/v1/scripts/${id}/update`, { script: 'error("always")', test_script: '' })).status,
    ).toBe(200)
    expect(await testOf(3)).toBe(null)
    expect((await owner.get(`/v1/scripts/${id}/versions/4/test`)).status).toBe(404)
    expect(await testOf(1, await at().createCustomer())).toBeUndefined()
    const kept = await rowsOf(at(), 'script_versions')
    for (const { test_script } of kept) expect(Buffer.from(test_script ?? []).includes('print')).toBe(false)
  })

  test('a smoke test also runs with the version after one that is not live', async () => {
    const { owner, id } = await begin({})
    const upload = (body: object) => owner.post(`/v1/scripts/${id}/update`, body)
    const release = { percent: 5 }
    expect((await upload({ script: 'return 2', test_script: 'print(script())', release })).status).toBe(200)
    expect((await owner.get(`/v1/scripts/${id}`)).body.script).toMatchObject({ version: 1 })
    expect((await upload({ script: 'error("always")' })).status).toBe(422)
    expect((await upload({ script: 'error("always")', test_script: '', release })).status).toBe(200)
    expect((await upload({ script: 'error("always")' })).status).toBe(200)
  })

  test('a multi-file script is built with its required modules, and its owner gets the files back', async () => {
    const { owner, project } = await createOwner(at())
    const files = { 'lib/shop.lua': '\nreturn { buy = function()\n  error("sold out") end }' }
    const main = `local shop = require('lib.shop')\nprint(pcall(shop.buy))`
    const tree = { script: main, files, script_path: 'src/main.lua' }
    const body = { name: 'Garden', ...tree, test_script: 'script()' }
    const made = await owner.post(`/v1/projects/${project}/scripts/new`, body)
    expect(made.status).toBe(200)
    const id = String(made.body.script_id)
    const sourceOf = async (n: number) => (await owner.get(`/v1/scripts/${id}/versions/${n}/source`)).body
    expect(await sourceOf(1)).toMatchObject({ source: main, script_path: 'src/main.lua', files })
    const { source_bytes } = await versionOf(owner, id, 1)
    expect(source_bytes).toBe(main.length + files['lib/shop.lua'].length)
    const kept = await rowsOf(at(), 'script_versions')
    for (const row of kept) expect(Buffer.from(row.files ?? []).includes('sold out')).toBe(false)

    const lines = await rowsOf(at(), 'line_maps')
    expect(lines.length).toBeGreaterThan(0)
    const text = Array.from({ length: 200 }, (_, i) => `Garden:${i + 1}: sold out`).join('\n')
    const { places } = (await owner.post(`/v1/scripts/${id}/traceback`, { text })).body as {
      places: { file: string; line: number; source: string }[]
    }
    const found = places.find(({ file, line }) => file === 'lib/shop.lua' && line === 3)
    expect(found?.source).toBe('error("sold out") end }')

    expect(
      (await owner.post(`/v1/scripts/${id}/update`, { script: 'return 2', test_script: '' })).status,
    ).toBe(200)
    expect(await sourceOf(2)).toMatchObject({ source: 'return 2', script_path: null, files: null })
  })

  test.each([
    ['a path outside the source folder', { files: { '../x.lua': '' } }, 'files["../x.lua"]', /has '\.\.'/],
    ['the path of the main script', { files: { 'main.lua': '' } }, 'files["main.lua"]', /script_path/],
    [
      'too many files',
      { files: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${i}.lua`, ''])) },
      'files',
      /at most 2000/,
    ],
    [
      'an invalid path of the main script',
      { files: { 'a.lua': '' }, script_path: '/main.lua' },
      'files["/main.lua"]',
      /absolute path/,
    ],
    ['a source that is not a string', { files: { 'a.lua': 3 } }, 'files.a.lua', /string/],
  ])('%s is rejected with the name of the file', async (_, members, field, words) => {
    const { owner, id } = await begin()
    const { status, error } = await owner.post(`/v1/scripts/${id}/update`, { script: SOURCE, ...members })
    expect(status).toBe(400)
    expect(error).toMatchObject({ failed: [{ field, errors: [expect.stringMatching(words)] }] })
  })

  test('an error in a file names that file, and all files count toward the source limit', async () => {
    const { owner, id } = await begin()
    const update = (files: Record<string, string>) =>
      owner.post(`/v1/scripts/${id}/update`, { script: `return require('./a')`, files })
    expect((await update({ 'a.lua': 'local x =' })).error).toMatchObject({
      type: 'obfuscation_failed',
      obfuscator_errors: [
        { param: 'files["a.lua"]', message: expect.stringMatching(/^line 1, column 10: /) },
      ],
    })
    const large = { 'a.lua': `return [[${'x'.repeat(at().deps.config.scriptLimit)}]]` }
    expect((await update(large)).error).toMatchObject({ type: 'too_large' })
  })

  test('a build that behaves differently in the test is not published and costs nothing', async () => {
    const { owner, project, id } = await begin()
    const used = (await readAccount(owner)).obfuscations_used
    const attempt = { script: TELLING, test_script: 'script()' }
    const created = await owner.post(`/projects/${project}/scripts/new`, { name: 'Name', ...attempt })
    const updated = await owner.post(`/scripts/${id}/update`, attempt)
    expect([created.error.code, updated.error.code]).toEqual([3, 1])
    for (const { status, error } of [created, updated]) {
      expect(status).toBe(422)
      expect(error).toMatchObject({
        type: 'obfuscation_failed',
        obfuscator_errors: [
          {
            param: 'test_script',
            message: expect.stringMatching(
              /^line 1 of the test output differs: the original script prints "2", the protected script prints "\d+"$/,
            ),
          },
        ],
      })
    }
    expect(await readAccount(owner)).toMatchObject({ obfuscations_used: used, total_scripts: 1 })
    expect((await owner.get(`/v1/scripts/${id}/versions`)).body).toMatchObject({ total: 1 })
  })

  test.each(['lua51', 'luajit'])(
    'a test is rejected for target %s, since tests run in Luau',
    async (target) => {
      const { owner, id } = await begin()
      const body = { script: SOURCE, options: { target }, test_script: 'script()' }
      const { status, error } = await owner.post(`/scripts/${id}/update`, body)
      expect(status).toBe(400)
      expect(error).toMatchObject({ failed: [{ field: 'test_script' }] })
    },
  )
})

describe('the rate limit of tests', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  test('is six uploads with a test per minute and does not affect uploads without one', async () => {
    const { owner, project } = await createOwner(at())
    const upload = (members: object) =>
      owner.post(`/projects/${project}/scripts/new`, { name: 'n', script: SOURCE, ...members })
    for (let i = 0; i < 6; i++) expect((await upload({ test_script: 'no Luau at all' })).status).toBe(422)
    const { status, error, headers } = await upload({ test_script: 'script()' })
    expect([status, error.type, headers.get('retry-after')]).toEqual([429, 'rate_limited', '10'])
    expect((await upload({})).status).toBe(200)
  })
})
