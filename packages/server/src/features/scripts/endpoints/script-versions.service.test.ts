/** Versions of a script: their representation in the API, and rollback to an older one. */
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
    ]
    for (const { error } of await Promise.all(calls)) expect(error.type).toBe('not_found')
  })

  test('that do not exist are reported with the newest version', async () => {
    const { owner, path } = await twoVersions()
    for (const call of [owner.get(`${path}/99`), owner.post(`${path}/99/activate`)]) {
      const { error } = await call
      expect(error.message).toMatch(/^Version 99 of \S+ does not exist\. The latest is 2$/)
    }
  })
})
