/** A project's branding: reading it, editing it, and the public URL of its logo. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { png, VP8, webpOf } from '../../../../test/images.ts'
import { createOwner, createProject, createScript, expire } from '../../../../test/nouns.ts'
import { countRows } from '../../../../test/store/rows.ts'

const NONE = { name: null, accent: null, links: [], all_scripts: true, scripts: [], logo: null }
const LOGO = png().toString('base64')

describe.each(anyEngine)('the branding of a project on $name', (engine) => {
  const { at } = serverOn(engine)
  const begin = async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/branding`
    const edit = (members: object) => owner.post(`${path}/edit`, members)
    const get = async () =>
      (await owner.get(path)).body.branding as { logo: { path: string }; scripts: string[] }
    return { owner, project, path, edit, get }
  }

  it('is the default until it is edited, and edits keep omitted fields', async () => {
    const { edit, get } = await begin()
    expect(await get()).toEqual(NONE)
    const links = [{ title: ' Our chat ', url: 'https://chat.example.com' }]
    const { body } = await edit({ name: ' Gärten 🌱 ', accent: '#1F5FD0', links, logo: LOGO })
    const branding = {
      ...{ name: 'Gärten 🌱', accent: '#1f5fd0', all_scripts: true, scripts: [] },
      links: [{ title: 'Our chat', url: 'https://chat.example.com/' }],
      logo: { type: 'image/png', width: 16, height: 20 },
    }
    expect(body).toMatchObject({ success: true, branding })
    expect(await get()).toEqual(body.branding)
    await edit({ all_scripts: false, name: null })
    expect(await get()).toEqual({ ...(body.branding as object), all_scripts: false })
  })

  it('loses fields that are set to an empty value', async () => {
    const { edit, get } = await begin()
    const links = [{ title: 'Shop', url: 'https://shop.example.com/' }]
    await edit({ name: 'Garden', accent: '#1f5fd0', logo: LOGO, links })
    await edit({ name: ' ', accent: '', logo: '', links: [] })
    expect(await get()).toEqual(NONE)
  })

  it('lists only scripts of the project, and drops a script that is removed', async () => {
    const { owner, project, edit, get } = await begin()
    const [one, two] = [await createScript(owner, project), await createScript(owner, project)]
    const other = await createScript(owner, await createProject(owner))
    expect((await edit({ all_scripts: false, scripts: [two, one, two] })).status).toBe(200)
    expect((await get()).scripts).toEqual([two, one])
    const refused = await edit({ scripts: [one, other] })
    expect(refused.error.failed).toEqual([
      { field: 'scripts.1', errors: ['must be the ID of a script in this project'] },
    ])
    await owner.post(`/v1/scripts/${two}/remove`)
    expect(await get()).toMatchObject({ all_scripts: false, scripts: [one] })
  })

  it.each([
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u0007' }, 'name'],
    [{ accent: 'red' }, 'accent'],
    [{ accent: '#12345' }, 'accent'],
    [{ accent: '#1f5fd0;}' }, 'accent'],
    [{ links: [{ title: 'x', url: 'http://example.com/' }] }, 'links.0.url'],
    [{ links: [{ title: 'x', url: 'javascript:alert(1)' }] }, 'links.0.url'],
    [{ links: [{ title: 'x', url: 'https://bank.example@example.com/' }] }, 'links.0.url'],
    [{ links: [{ title: ' ', url: 'https://example.com/' }] }, 'links.0.title'],
    [{ links: [{ title: 'x' }] }, 'links.0.url'],
    [{ links: Array(6).fill({ title: 'x', url: 'https://example.com/' }) }, 'links'],
    [{ logo: Buffer.from('<svg/>').toString('base64') }, 'logo'],
    [{ logo: png(1025, 20).toString('base64') }, 'logo'],
    [{ scripts: ['scr_none'] }, 'scripts.0'],
  ])('names the invalid field and changes nothing: %j', async (members, field) => {
    const { edit, get } = await begin()
    const { error } = await edit({ all_scripts: false, ...members })
    expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field }] })
    expect(await get()).toEqual(NONE)
  })

  it('rejects empty edits and edits by an expired account', async () => {
    const { owner, edit, get } = await begin()
    expect((await edit({ name: null })).error).toMatchObject({ type: 'cannot_edit_nothing', code: 1 })
    await expire(at(), owner.id)
    expect((await edit({ name: 'x' })).error).toMatchObject({ type: 'account_expired', code: 0 })
    expect(await get()).toEqual(NONE)
  })

  it('is recorded in the audit log with its previous values and without the image', async () => {
    const { owner, edit } = await begin()
    await edit({ name: 'Garden', all_scripts: true, logo: LOGO })
    await edit({ name: 'Meadow', logo: '' })
    const { body } = await owner.get('/v1/audit?action=v1.branding.edit')
    const [second, first] = body.entries as { changes: object }[]
    expect(first?.changes).toEqual({
      name: { before: '', after: 'Garden' },
      logo: { before: '•••', after: '•••' },
    })
    expect(second?.changes).toMatchObject({ name: { before: 'Garden', after: 'Meadow' } })
  })

  it('is deleted with its project', async () => {
    const { owner, project, edit, get } = await begin()
    await edit({ logo: png(40, 41).toString('base64') })
    const { path } = (await get()).logo
    expect((await fetch(at().url + path)).status).toBe(200)
    const before = await countRows(at().deps.db.read, 'branding')
    await owner.post(`/v1/projects/${project}/remove`)
    expect(await countRows(at().deps.db.read, 'branding')).toBe(before - 1)
    expect((await fetch(at().url + path)).status).toBe(404)
  })

  it('has a logo that anyone can load and cache, served as an image', async () => {
    const { edit, get } = await begin()
    for (const [bytes, type] of [
      [png(32, 33), 'image/png'],
      [webpOf([VP8]), 'image/webp'],
    ] as const) {
      await edit({ logo: bytes.toString('base64') })
      const { path } = (await get()).logo
      const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
      expect(path).toContain(`/logo.${digest}.`)
      for (const folder of ['/me/assets/', '/ads/assets/']) {
        const answer = await fetch(at().url + path.replace('/me/assets/', folder))
        expect(answer.status).toBe(200)
        expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
        expect(answer.headers.get('content-type')).toBe(type)
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
        expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      }
    }
  })

  it('can share a logo with another project, and keeps it when that project removes it', async () => {
    const [one, other] = [await begin(), await begin()]
    const logo = png(50, 51).toString('base64')
    await one.edit({ logo })
    await other.edit({ logo })
    const { path } = (await one.get()).logo
    await other.edit({ logo: '' })
    expect((await fetch(at().url + path)).status).toBe(200)
    await one.edit({ logo: '' })
    expect((await fetch(at().url + path)).status).toBe(404)
  })

  it('can be previewed on every page, in each language, without being saved', async () => {
    const { owner, project, path, edit, get } = await begin()
    await createScript(owner, project, { name: 'Night shift' })
    await edit({ name: 'Garden', logo: LOGO })
    const before = await get()
    const preview = async (members: object) => (await owner.post(`${path}/preview`, members)).string('html')
    const pages: [object, string][] = [
      [{}, 'Free keys'],
      [{ page: 'key' }, 'Night shift'],
      [{ page: 'me', language: 'de' }, 'Dein Key'],
    ]
    for (const [members, text] of pages) {
      const html = await preview(members)
      expect(html).toContain(text)
      expect(html).toContain('Garden')
      expect(html).toContain(`src="data:image/png;base64,${LOGO}"`)
      expect(html).not.toMatch(/<script|<link/)
    }
    const draft = await preview({
      page: 'key',
      name: 'Meadow',
      accent: '#0A7D4F',
      logo: '',
      all_scripts: false,
    })
    expect(draft).toContain('#0a7d4f')
    expect(draft).toContain('Meadow')
    expect(draft).not.toMatch(/Garden|<img|Night shift/)
    expect(await get()).toEqual(before)
    expect((await owner.get('/v1/audit?action=v1.branding.preview')).body.entries).toEqual([])
  })

  it('rejects a preview for the same reasons as an edit', async () => {
    const { owner, path } = await begin()
    const other = await begin()
    const foreign = await createScript(other.owner, other.project)
    for (const [members, field] of [
      [{ logo: 'AAAA' }, 'logo'],
      [{ scripts: [foreign] }, 'scripts.0'],
      [{ links: [{ title: 'x', url: 'http://example.com' }] }, 'links.0.url'],
      [{ page: 'other' }, 'page'],
    ] as const)
      expect((await owner.post(`${path}/preview`, members)).error).toMatchObject({ failed: [{ field }] })
  })
})
