/** Uploading, reading, editing and removing scripts in the unversioned API, and the cost of an upload. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Client, type Owner, serverOn } from '../../../../test/harness.ts'
import {
  createOwner,
  createProject,
  createScript,
  createTier,
  expire,
  readAccount,
} from '../../../../test/nouns.ts'
import { rowOf, rowsOf } from '../../../../test/stored.ts'
import { unpack } from '../../builds/lz4.ts'

const SOURCE = "local greeting = 'hello from the author'\nprint(greeting, ...)"
const BROKEN = 'local a = 1\nlocal = 2\nprint(a'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scriptOf(members = {}): Promise<{ owner: Owner; project: string; id: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, id: await createScript(owner, project, members) }
  }

  const versionsOf = (id: string) => rowsOf(at(), 'script_versions', { script_id: id }, 'version')

  const readScript = async (client: Client, id: string) => (await client.get(`/scripts/${id}`)).body.script

  describe('POST /projects/:project_id/scripts/new', () => {
    test('returns only an id, and the script has the defaults of the interface', async () => {
      const { owner, project } = await createOwner(at())
      const { body } = await owner.post(`/projects/${project}/scripts/new`, {
        name: ' First ',
        script: SOURCE,
      })
      expect(body).toEqual({ success: true, script_id: expect.stringMatching(/^scr_[0-9A-Za-z]+$/) })
      expect((await owner.get(`/scripts/${body.script_id}`)).body).toEqual({
        success: true,
        script: {
          id: body.script_id,
          name: 'First',
          free_for_all: false,
          use_heartbeat: true,
          kick_outdated: false,
          enabled: true,
          total_executions: 0,
          require_sessions: false,
          silent: false,
        },
      })
    })

    test('takes null for every default, and explicit values otherwise', async () => {
      const none = { free_for_all: null, use_heartbeat: null, kick_outdated: null }
      const { owner, project, id } = await scriptOf(none)
      expect(await readScript(owner, id)).toMatchObject({ free_for_all: false, use_heartbeat: true })
      const some = { free_for_all: true, use_heartbeat: false, kick_outdated: true }
      expect(await readScript(owner, await createScript(owner, project, some))).toMatchObject(some)
    })

    test('stores the source encrypted and the protected script compressed', async () => {
      const { id } = await scriptOf({ script: SOURCE })
      const [version] = await versionsOf(id)
      if (!version) throw new Error('no version was stored')
      const { source, source_bytes, payload, payload_size, report } = version
      expect(Buffer.from(source).includes('hello')).toBe(false)
      const { secrets } = at().deps
      expect(secrets.openText('source', id, source)).toBe(SOURCE)
      expect(source_bytes).toBe(Buffer.byteLength(SOURCE))
      const text = unpack(payload, payload_size)
      expect(text).toMatch(/\breturn[ (]*function/)
      expect(text).not.toContain('greeting')
      expect(JSON.parse(report)).toMatchObject({ preset: version.preset })
    })

    test('builds the same source differently each time', async () => {
      const { owner, project, id } = await scriptOf({ script: SOURCE })
      const again = await createScript(owner, project, { script: SOURCE })
      const [[one], [other]] = [await versionsOf(id), await versionsOf(again)]
      expect(Buffer.from(one?.payload ?? []).equals(Buffer.from(other?.payload ?? []))).toBe(false)
    })

    test('reports the position of a syntax error, and does not count the upload', async () => {
      const { owner, project } = await createOwner(at())
      const body = { name: 'Broken', script: BROKEN }
      const { status, error } = await owner.post(`/projects/${project}/scripts/new`, body)
      expect(status).toBe(422)
      expect(error).toMatchObject({
        code: 3,
        type: 'obfuscation_failed',
        message: 'failed to obfuscate script',
      })
      const complaints = error.obfuscator_errors as { param: string; message: string }[]
      expect(complaints[0]).toEqual({
        param: 'script',
        message: expect.stringMatching(/^line 2, column \d+: ./),
      })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 0, total_scripts: 0 })
      expect((await owner.get(`/projects/${project}/scripts`)).body.scripts).toEqual([])
    })

    test.each([
      { members: { script: undefined }, field: 'script' },
      { members: { script: '' }, field: 'script' },
      { members: { script: null }, field: 'script' },
      { members: { script: ['print(1)'] }, field: 'script' },
      { members: { script: 'print("a\0b")' }, field: 'script' },
      { members: { name: undefined }, field: 'name' },
      { members: { name: null }, field: 'name' },
      { members: { name: '  ' }, field: 'name' },
      { members: { name: 'x'.repeat(101) }, field: 'name' },
      { members: { name: 'a\tb' }, field: 'name' },
      { members: { free_for_all: 1 }, field: 'free_for_all' },
      { members: { silent: true }, field: 'silent' },
    ])('rejects $members and names $field', async ({ members, field }) => {
      const { owner, project } = await createOwner(at())
      const body = { name: 'Name', script: SOURCE, ...members }
      const { status, error } = await owner.post(`/projects/${project}/scripts/new`, body)
      expect(status).toBe(400)
      expect(error).toMatchObject({ code: -1, failed: [{ field, errors: [expect.any(String)] }] })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 0 })
    })

    test('accepts a source of more than a megabyte, and rejects one over the limit', async () => {
      const { owner, project } = await createOwner(at())
      const limit = at().deps.config.scriptLimit
      const upload = (bytes: number) =>
        owner.post(`/projects/${project}/scripts/new`, { name: 'Long', script: `--${'x'.repeat(bytes - 2)}` })
      expect((await upload(2_000_000)).status).toBe(200)
      expect((await upload(limit)).status).toBe(200)
      const { status, error } = await upload(limit + 1)
      expect(status).toBe(413)
      expect(error).toMatchObject({ code: -1, type: 'too_large' })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 2 })
    })

    test('rejects more scripts than the service tier allows, across all projects', async () => {
      const owner = await at().createCustomer({ tier: await createTier(at(), { max_scripts: 2 }) })
      const [one, other] = [await createProject(owner), await createProject(owner)]
      await createScript(owner, one)
      await createScript(owner, other)
      const { status, error } = await owner.post(`/projects/${one}/scripts/new`, {
        name: 'n',
        script: BROKEN,
      })
      expect(status).toBe(403)
      expect(error).toMatchObject({ code: 0, type: 'max_scripts_reached', message: 'max scripts reached' })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 2, total_scripts: 2 })
    })

    test('rejects more obfuscations than the service tier allows, after the bonus is used up', async () => {
      const owner = await at().createCustomer({ tier: await createTier(at(), { obfuscations: 1 }) })
      const project = await createProject(owner)
      await createScript(owner, project)
      const upload = (script: string) => owner.post(`/projects/${project}/scripts/new`, { name: 'n', script })
      const { status, error } = await upload(SOURCE)
      expect(status).toBe(403)
      expect(error).toMatchObject({
        code: 1,
        type: 'max_obfuscations_reached',
        message: 'max obfuscations reached',
      })
      await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { bonus_obfuscations_left: 1 })
      expect((await upload(BROKEN)).status).toBe(422)
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 1, bonus_obfuscations_left: 1 })
      expect((await upload(SOURCE)).status).toBe(200)
      expect((await upload(SOURCE)).status).toBe(403)
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 2, bonus_obfuscations_left: 0 })
    })

    test('checks expiry first, then scripts, then obfuscations', async () => {
      const tier = await createTier(at(), { max_scripts: 0, obfuscations: 0 })
      const { owner, project } = await createOwner(at(), { tier })
      const code = async () =>
        (await owner.post(`/projects/${project}/scripts/new`, { name: 'n', script: SOURCE })).error.code
      expect(await code()).toBe(0)
      await expire(at(), owner.id)
      expect(await code()).toBe(2)
    })
  })

  describe('GET /projects/:project_id/scripts', () => {
    test('lists complete records in order of creation, and honors paging', async () => {
      const { owner, project, id } = await scriptOf()
      const ids = [id, await createScript(owner, project), await createScript(owner, project)]
      const list = async (query: string) => (await owner.get(`/projects/${project}/scripts${query}`)).body
      const records = await Promise.all(ids.map((one) => readScript(owner, one)))
      expect(await list('')).toEqual({ success: true, scripts: records })
      expect(await list('?from=1&limit=1')).toEqual({ success: true, scripts: [records[1]] })
      expect(await list('?from=3')).toEqual({ success: true, scripts: [] })
    })
  })

  describe('POST /scripts/:script_id/edit', () => {
    test('changes the given fields and nothing else', async () => {
      const { owner, id } = await scriptOf({ name: 'old', use_heartbeat: false })
      const edit = (members: object) => owner.post(`/scripts/${id}/edit`, members)
      expect((await edit({ name: ' new ', kick_outdated: true, free_for_all: null })).body).toEqual({
        success: true,
      })
      expect(await readScript(owner, id)).toMatchObject({
        name: 'new',
        free_for_all: false,
        use_heartbeat: false,
        kick_outdated: true,
      })
      expect((await edit({ name: 'new' })).status).toBe(200)
    })

    test.each([{}, undefined, { name: null }])('rejects %j and changes nothing', async (members) => {
      const { owner, id } = await scriptOf()
      const { status, error } = await owner.post(`/scripts/${id}/edit`, members)
      expect(status).toBe(400)
      expect(error).toMatchObject({ code: 1, type: 'cannot_edit_nothing' })
    })

    test.each([{ name: '' }, { name: 5 }, { enabled: true }, { silent: true }])(
      'rejects %j',
      async (members) => {
        const { owner, id } = await scriptOf()
        const { status, error } = await owner.post(`/scripts/${id}/edit`, members)
        expect(status).toBe(400)
        expect(error.failed).toMatchObject([{ field: Object.keys(members)[0] }])
      },
    )
  })

  describe('POST /scripts/:script_id/update', () => {
    const activeOf = async (id: string) => (await rowOf(at(), 'scripts', { id })).version

    test('stores and serves a new version and keeps the old one', async () => {
      const { owner, id } = await scriptOf()
      expect((await owner.post(`/scripts/${id}/update`, { script: 'print(2)' })).body).toEqual({
        success: true,
      })
      expect(await activeOf(id)).toBe(2)
      const versions = await versionsOf(id)
      expect(versions.map(({ version }) => version)).toEqual([1, 2])
      const { secrets } = at().deps
      expect(secrets.openText('source', id, versions[1]?.source ?? new Uint8Array())).toBe('print(2)')
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 2, total_scripts: 1 })
    })

    test('numbers every version when several uploads run concurrently', async () => {
      const { owner, id } = await scriptOf()
      const update = (_: unknown, index: number) =>
        owner.post(`/scripts/${id}/update`, { script: `print(${index})` })
      const answers = await Promise.all(Array.from({ length: 4 }, update))
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200))
      expect((await versionsOf(id)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5])
      expect(await activeOf(id)).toBe(5)
    })

    test('keeps the old version when the new source does not parse, and does not count the upload', async () => {
      const { owner, id } = await scriptOf()
      const { status, error } = await owner.post(`/scripts/${id}/update`, { script: BROKEN })
      expect(status).toBe(422)
      expect(error).toMatchObject({
        code: 1,
        type: 'obfuscation_failed',
        obfuscator_errors: expect.arrayContaining([
          { param: 'script', message: expect.stringMatching(/^line 2, column \d+: ./) },
        ]),
      })
      expect(await versionsOf(id)).toHaveLength(1)
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 1 })
    })

    test('returns one code for two reasons, with a distinct type for each', async () => {
      const owner = await at().createCustomer({ tier: await createTier(at(), { obfuscations: 1 }) })
      const id = await createScript(owner, await createProject(owner))
      const { status, error } = await owner.post(`/scripts/${id}/update`, { script: SOURCE })
      expect(status).toBe(403)
      expect(error).toMatchObject({ code: 1, type: 'max_obfuscations_reached' })
      await expire(at(), owner.id)
      expect((await owner.post(`/scripts/${id}/update`, { script: SOURCE })).error).toMatchObject({
        code: 0,
        type: 'account_expired',
      })
    })

    test.each([{}, { script: null }, { script: '' }, { script: 1 }])('rejects %j', async (members) => {
      const { owner, id } = await scriptOf()
      const { status, error } = await owner.post(`/scripts/${id}/update`, members)
      expect(status).toBe(400)
      expect(error.failed).toMatchObject([{ field: 'script' }])
    })
  })

  describe('POST /scripts/:script_id/toggle', () => {
    test('disables and enables a script', async () => {
      const { owner, id } = await scriptOf()
      for (const state of [false, false, true]) {
        expect((await owner.post(`/scripts/${id}/toggle`, { state })).body).toEqual({ success: true })
        expect(await readScript(owner, id)).toMatchObject({ enabled: state })
      }
    })

    test.each([{}, { state: null }, { state: 'true' }])('rejects %j', async (members) => {
      const { owner, id } = await scriptOf()
      const { status, error } = await owner.post(`/scripts/${id}/toggle`, members)
      expect(status).toBe(400)
      expect(error.failed).toMatchObject([{ field: 'state' }])
    })
  })

  describe('POST /scripts/:script_id/remove', () => {
    test('removes a script with its versions, even for an expired account', async () => {
      const { owner, id } = await scriptOf()
      await expire(at(), owner.id)
      expect((await owner.post(`/scripts/${id}/remove`)).body).toEqual({ success: true })
      expect((await owner.get(`/scripts/${id}`)).status).toBe(404)
      expect(await versionsOf(id)).toEqual([])
    })
  })
})
