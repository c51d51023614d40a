/** Saved views: separate for each user and project, bounded, and deleted with the project. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createProject } from '../../../test/nouns.ts'
import { type Browser, browserOf } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { insertRows, rowsOf } from '../../../test/stored.ts'

describe.each(anyEngine)('saved views on $name', (engine) => {
  const { at } = serverOn(engine)
  const view = { list: 'users', name: 'Expiring 🌱', query: 'sort=expires&order=asc', columns: ['device'] }

  it('are separate for each user and project', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/views`
    expect((await owner.get(path)).body).toEqual({ success: true, views: [] })
    await owner.put(path, { views: [view, { ...view, columns: null }] })
    await owner.put(path, { views: [view] })
    expect((await owner.get(path)).body.views).toEqual([view])
    const other = await createProject(owner)
    expect((await owner.get(`/v1/projects/${other}/views`)).body.views).toEqual([])
    const person = await browserOf(at(), await createPerson(at(), owner.id, { role: 'reader' }))
    expect((await person.get(path)).body.views).toEqual([])
    await put(person, path, { views: [{ ...view, name: 'Mine' }] })
    expect((await person.get(path)).body.views).toMatchObject([{ name: 'Mine' }])
    expect((await owner.get(path)).body.views).toEqual([view])
  })

  it('are deleted with the member who leaves the account, and those of others are kept', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/views`
    await owner.put(path, { views: [view] })
    const person = await createPerson(at(), owner.id, { role: 'reader' })
    const elsewhere = await createOwner(at())
    const row = { project_id: elsewhere.project, owner: person.id, data: '[]', updated_at: 1 }
    await insertRows(at(), 'saved_views', row)
    await put(await browserOf(at(), person), path, { views: [view] })
    expect(await rowsOf(at(), 'saved_views', { project_id: project })).toHaveLength(2)
    const { members } = (await owner.get('/v1/members')).body as { members: { id: string }[] }
    for (const { id } of members) await owner.post(`/v1/members/${id}/remove`)
    expect(await rowsOf(at(), 'saved_views', { project_id: project })).toMatchObject([{ owner: '' }])
    expect(await rowsOf(at(), 'saved_views', { owner: person.id })).toEqual([row])
  })

  it('are limited in number and size', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/views`
    for (const views of [
      Array.from({ length: 51 }, () => view),
      [{ ...view, name: '' }],
      [{ ...view, name: 'a\nb' }],
      [{ ...view, query: 'q'.repeat(2001) }],
      [{ ...view, columns: Array.from({ length: 41 }, () => 'x') }],
    ])
      expect((await owner.put(path, { views })).error?.type).toBe('invalid_request')
  })
})

function put(person: Browser, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  return person.send('PUT', path, { headers, body: JSON.stringify(body) })
}
