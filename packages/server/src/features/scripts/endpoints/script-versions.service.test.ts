/** A script's versions: how the API represents them, and rollback to an older version. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createProject, createScript, createTier, expire, readAccount } from '../../../../test/nouns.ts'
import { rowOf, rowsOf } from '../../../../test/stored.ts'
import { unpack } from '../../builds/lz4.ts'

const FIRST = 'print("première")'
const SECOND = 'print("second", 2)'

describe.each(anyEngine)('versions of a script on $name', (engine) => {
  const { at } = serverOn(engine)

  async function twoVersions(account = {}): Promise<{ owner: Owner; id: string; path: string }> {
    const owner = await at().createCustomer(account)
    const id = await createScript(owner, await createProject(owner), { script: FIRST })
    await owner.post(`/v1/scripts/${id}/update`, { script: SECOND })
    return { owner, id, path: `/v1/scripts/${id}/versions` }
  }

  async function servedText(id: string): Promise<string> {
    const { version } = await rowOf(at(), 'scripts', { id })
    const row = await rowOf(at(), 'script_versions', { script_id: id, version })
    return unpack(row.payload, row.payload_size)
  }

  test('are listed in order of upload, the newest one active', async () => {
    const { owner, path } = await twoVersions()
    const { body } = await owner.get(path)
    expect(body).toMatchObject({
      versions: [
        { version: 1, active: false, source_bytes: Buffer.byteLength(FIRST), created_at: at().clock.now },
        { version: 2, active: true, source_bytes: Buffer.byteLength(SECOND) },
      ],
      total: 2,
    })
    const part = await owner.get(`${path}?from=1&limit=1`)
    expect(part.body).toMatchObject({
      success: true,
      versions: (body.versions as unknown[]).slice(1),
      total: 2,
    })
  })

  test('include their obfuscation report and its duration', async () => {
    const { owner, id, path } = await twoVersions()
    const version = (await owner.get(`${path}/2`)).body.version as Record<string, unknown>
    expect(version).toMatchObject({ version: 2, active: true, source_bytes: Buffer.byteLength(SECOND) })
    expect(version.protected_bytes).toBe(Buffer.byteLength(await servedText(id)))
    expect(version.report).toMatchObject({ preset: version.preset, sourceSize: Buffer.byteLength(SECOND) })
    expect(version.duration_ms).toBeGreaterThan(0)
  })

  test('return their source as uploaded, and store it encrypted', async () => {
    const { owner, path } = await twoVersions()
    const alone = { success: true, script_path: null, files: null }
    expect((await owner.get(`${path}/1/source`)).body).toEqual({ ...alone, source: FIRST })
    expect((await owner.get(`${path}/2/source`)).body).toEqual({ ...alone, source: SECOND })
    const kept = await rowsOf(at(), 'script_versions')
    for (const { source } of kept) expect(Buffer.from(source).includes('print')).toBe(false)
  })

  test('can be activated back and forth at no cost', async () => {
    const { owner, id, path } = await twoVersions()
    const newest = await servedText(id)
    const { obfuscations_used } = await readAccount(owner)
    expect((await owner.post(`${path}/1/activate`)).body).toEqual({ success: true })
    expect(await servedText(id)).not.toBe(newest)
    expect((await owner.get(path)).body.versions).toMatchObject([{ active: true }, { active: false }])
    await owner.post(`${path}/2/activate`)
    expect(await servedText(id)).toBe(newest)
    expect((await readAccount(owner)).obfuscations_used).toBe(obfuscations_used)
  })

  test('continue their numbering after a rollback', async () => {
    const { owner, id, path } = await twoVersions()
    await owner.post(`${path}/1/activate`)
    await owner.post(`/v1/scripts/${id}/update`, { script: SECOND })
    expect((await owner.get(path)).body.versions).toMatchObject([
      { version: 1, active: false },
      { version: 2, active: false },
      { version: 3, active: true },
    ])
  })

  test('can be activated without remaining obfuscations, but not by an expired account', async () => {
    const { owner, path } = await twoVersions({ tier: await createTier(at(), { obfuscations: 2 }) })
    expect((await owner.post(`${path}/1/activate`)).status).toBe(200)
    await expire(at(), owner.id)
    expect((await owner.post(`${path}/2/activate`)).error.code).toBe(0)
    expect((await owner.get(`${path}/2/source`)).status).toBe(200)
  })

  test.each(['0', '3', '-1', '1.5', 'x', '99999999999', '%00'])('are not found under "%s"', async (n) => {
    const { owner, path } = await twoVersions()
    const calls = [
      owner.get(`${path}/${n}`),
      owner.get(`${path}/${n}/source`),
      owner.post(`${path}/${n}/activate`),
      owner.post(`${path}/${n}/edit`, { notes: 'x' }),
      owner.post(`${path}/${n}/yank`),
      owner.post(`${path}/${n}/unyank`),
      owner.get(`${path}/${n}/compare?with=1`),
    ]
    for (const { error } of await Promise.all(calls)) expect(error.type).toBe('not_found')
  })

  test('name who uploaded them, and keep their notes', async () => {
    const { owner, id, path } = await twoVersions()
    const made = await owner.post('/v1/tokens/new', { name: 'deploy', scopes: ['scripts:write'] })
    const token = at().client(made.string('secret'))
    await token.post(`/v1/scripts/${id}/update`, { script: SECOND, notes: ' Faster.\n', notes_public: true })
    expect((await owner.get(path)).body.versions).toMatchObject([
      { author: `${owner.apiKey.slice(0, 8)}…`, notes: null, notes_public: false, yanked_at: null },
      { version: 2 },
      { author: 'deploy', notes: 'Faster.', notes_public: true },
    ])
  })

  test('have notes that can be edited and removed, with an audit entry', async () => {
    const { owner, path } = await twoVersions()
    await owner.post(`${path}/1/edit`, { notes: 'First\tone', notes_public: true })
    expect((await owner.get(`${path}/1`)).body.version).toMatchObject({
      notes: 'First\tone',
      notes_public: true,
    })
    await owner.post(`${path}/1/edit`, { notes: ' ' })
    expect((await owner.get(`${path}/1`)).body.version).toMatchObject({ notes: null, notes_public: true })
    const { body } = await owner.get('/v1/audit?action=v1.scriptVersions.edit')
    expect(body.entries).toMatchObject([
      { nouns: { n: '1' }, changes: { notes: { before: 'First\tone', after: ' ' } } },
      { changes: { notes_public: { before: false, after: true } } },
    ])
  })

  test.each([
    ['nothing', {}, 'cannot_edit_nothing'],
    ['4,001 characters', { notes: 'x'.repeat(4001) }, 'invalid_request'],
    ['a control character', { notes: 'a\u001b[31m' }, 'invalid_request'],
  ])('reject notes with %s', async (_, body, type) => {
    const { owner, id, path } = await twoVersions()
    expect((await owner.post(`${path}/1/edit`, body)).error.type).toBe(type)
    if (type === 'cannot_edit_nothing') return
    const update = await owner.post(`/v1/scripts/${id}/update`, { script: SECOND, ...body })
    expect(update.error.type).toBe(type)
  })

  test('that are yanked cannot be activated until the yank is undone', async () => {
    const { owner, path } = await twoVersions()
    expect((await owner.post(`${path}/1/yank`)).body).toEqual({ success: true })
    const yankedAt = at().clock.now
    at().clock.now += 1000
    await owner.post(`${path}/1/yank`)
    expect((await owner.get(path)).body.versions).toMatchObject([
      { yanked_at: yankedAt },
      { yanked_at: null },
    ])
    const { error, status } = await owner.post(`${path}/1/activate`)
    expect([status, error.type]).toEqual([409, 'version_yanked'])
    expect(error.message).toMatch(
      /^Version 1 of \S+ is yanked\. Undo the yank first, or choose another version\.$/,
    )
    expect((await owner.get(path)).body.versions).toMatchObject([{ active: false }, { active: true }])
    expect((await owner.post(`${path}/1/unyank`)).status).toBe(200)
    expect((await owner.post(`${path}/1/activate`)).status).toBe(200)
  })

  test('cannot be yanked while active', async () => {
    const { owner, path } = await twoVersions()
    const { error, status } = await owner.post(`${path}/2/yank`)
    expect([status, error.type]).toEqual([409, 'version_active'])
    expect(error.message).toMatch(
      /^Version 2 of \S+ is active and can't be yanked\. Activate another version first\.$/,
    )
    await owner.post(`${path}/1/activate`)
    expect((await owner.post(`${path}/2/yank`)).status).toBe(200)
  })

  test('cannot be yanked while a channel has them or they are being released', async () => {
    const { owner, id, path } = await twoVersions()
    await owner.post(`/v1/scripts/${id}/channels/beta`, { version: 1 })
    const inChannel = await owner.post(`${path}/1/yank`)
    expect(inChannel.error.message).toMatch(/^Version 1 of \S+ is used by a channel and can't be yanked/)
    await owner.post(`/v1/scripts/${id}/channels/beta`, { version: 2 })
    expect((await owner.post(`${path}/1/release`, { percent: 10 })).status).toBe(200)
    const released = await owner.post(`${path}/1/yank`)
    expect(released.error).toMatchObject({ type: 'version_released' })
    expect(released.error.message).toMatch(/Roll back the release first\.$/)
    expect((await owner.post(`${path}/2/activate`)).status).toBe(200)
    expect((await owner.post(`${path}/1/yank`)).status).toBe(200)
    const refused = [
      await owner.post(`${path}/1/release`, { percent: 10 }),
      await owner.post(`/v1/scripts/${id}/channels/beta`, { version: 1 }),
    ]
    for (const { error } of refused) expect(error.type).toBe('version_yanked')
  })

  test('are never both active and yanked, whichever request comes first', async () => {
    const { owner, id, path } = await twoVersions()
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([owner.post(`${path}/1/yank`), owner.post(`${path}/1/activate`)])
      const { version } = await rowOf(at(), 'scripts', { id })
      const { yanked_at } = await rowOf(at(), 'script_versions', { script_id: id, version })
      expect(yanked_at).toBeNull()
      await owner.post(`${path}/2/activate`)
      await owner.post(`${path}/1/unyank`)
    }
  })

  test('that do not exist are reported with the newest version', async () => {
    const { owner, path } = await twoVersions()
    for (const call of [owner.get(`${path}/99`), owner.post(`${path}/99/activate`)]) {
      const { error } = await call
      expect(error.message).toMatch(/^Version 99 of \S+ does not exist\. The latest is 2$/)
    }
  })
})
