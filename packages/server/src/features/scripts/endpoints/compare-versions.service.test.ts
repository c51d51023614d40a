/** Comparing two versions: files, lines, build options, and the limits of the comparison. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createProject } from '../../../../test/nouns.ts'

type Upload = Readonly<Record<string, unknown>>

describe.each(anyEngine)('the comparison of two versions on $name', (engine) => {
  const { at } = serverOn(engine)

  async function versionsOf(first: Upload, ...others: Upload[]): Promise<{ owner: Owner; path: string }> {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    const made = await owner.post(`/v1/projects/${project}/scripts/new`, { name: 'Shop', ...first })
    const id = made.string('script_id')
    for (const upload of others) await owner.post(`/v1/scripts/${id}/update`, upload)
    return { owner, path: `/v1/scripts/${id}/versions` }
  }

  test('shows changed lines with the lines around them', async () => {
    const before = ['a = 1', 'b = 2', 'c = 3', 'd = 4', 'print(a)'].join('\n')
    const { owner, path } = await versionsOf({ script: before }, { script: before.replace('2', '20') })
    const { body } = await owner.get(`${path}/2/compare`)
    expect(body).toMatchObject({
      from: { version: 1, source_bytes: before.length },
      to: { version: 2, source_bytes: before.length + 1, active: true },
      options: [],
      truncated: false,
    })
    expect(body.files).toEqual([
      {
        ...{ path: 'main.lua', change: 'changed', added_lines: 1, removed_lines: 1 },
        diff: '@@ -1,5 +1,5 @@\n a = 1\n-b = 2\n+b = 20\n c = 3\n d = 4\n print(a)\n\\ No newline at end of file',
      },
    ])
  })

  test('shows added, removed and changed files in any direction, and options that differ', async () => {
    const main = "print(require('lib.a'))"
    const { owner, path } = await versionsOf(
      { script: main, files: { 'lib/a.lua': 'return 1\n' }, options: { preset: 'light' } },
      {
        ...{ script: `${main}\nrequire('lib.b')`, options: { preset: 'balanced' } },
        files: { 'lib/a.lua': 'return 1\n', 'lib/b.lua': 'return 2\n' },
      },
    )
    const { body } = await owner.get(`${path}/2/compare`)
    expect(body).toMatchObject({
      options: [{ id: 'preset', from: 'light', to: 'balanced' }],
      files: [
        { path: 'main.lua', change: 'changed', added_lines: 2, removed_lines: 1 },
        { path: 'lib/b.lua', change: 'added', added_lines: 1, diff: '@@ -0,0 +1,1 @@\n+return 2' },
      ],
    })
    expect((await owner.get(`${path}/1/compare?with=2`)).body).toMatchObject({
      from: { version: 2 },
      to: { version: 1 },
      files: [
        { path: 'main.lua', change: 'changed' },
        { path: 'lib/b.lua', change: 'removed', removed_lines: 1, diff: '@@ -1,1 +0,0 @@\n-return 2' },
      ],
    })
  })

  test('of a version with itself is empty, and the first version needs another one', async () => {
    const { owner, path } = await versionsOf({ script: 'print(1)' })
    expect((await owner.get(`${path}/1/compare?with=1`)).body).toMatchObject({ files: [], options: [] })
    const { error } = await owner.get(`${path}/1/compare`)
    expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'with' }] })
    expect((await owner.get(`${path}/1/compare?with=7`)).error.message).toMatch(/^Version 7 of \S+ does not/)
  })

  test('requires permission to read sources, leaves an audit entry, and hides versions of other accounts', async () => {
    const { owner, path } = await versionsOf({ script: 'print(1)' }, { script: 'print(2)' })
    const scopes = ['scripts:read', 'scripts:write']
    const made = await owner.post('/v1/tokens/new', { name: 'deploy', scopes })
    const token = at().client(made.string('secret'))
    expect((await token.get(`${path}/2/compare`)).error.type).toBe('forbidden')
    const stranger = await at().createCustomer()
    expect((await stranger.get(`${path}/2/compare`)).error.type).toBe('not_found')
    await owner.get(`${path}/2/compare`)
    const { entries } = (await owner.get('/v1/audit?action=v1.scriptVersions.compare')).body
    expect(entries).toHaveLength(1)
  })
})
