/**
 * Lists sorted newest first: each row appears once across all pages, and a cursor is valid for one order
 * only.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createOwner, createProject, createScript, createUser } from '../../../../test/nouns.ts'

type Row = { id?: string; key?: string; version?: number }

describe.each(engines)('lists sorted newest first on $name', (engine) => {
  const { at } = serverOn(engine)

  async function idsOf(owner: Owner, path: string, member: string, query = ''): Promise<unknown[]> {
    const ids: unknown[] = []
    for (let after = ''; ; ) {
      const { body } = await owner.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${query}${after}`)
      ids.push(...(body[member] as Row[]).map(({ id, key, version }) => id ?? key ?? version))
      if (body.next === null) return ids
      after = `&after=${body.next}`
    }
  }

  it('return every row once, in the reverse of the default order', async () => {
    const { owner, project } = await createOwner(at())
    for (let i = 0; i < 4; i++) await createProject(owner)
    const script = await createScript(owner, project)
    for (let i = 0; i < 2; i++) await createScript(owner, project)
    for (let i = 0; i < 2; i++) await owner.post(`/v1/scripts/${script}/update`, { script: 'print(2)' })
    for (let i = 0; i < 3; i++) await owner.post('/v1/adsystems/new', { project_id: project, name: `S${i}` })
    for (let i = 0; i < 5; i++)
      await createUser(owner, project, { note: 'some words', key_expires: i % 2 === 0 ? 1 : 0 })
    const lists = [
      ['/v1/projects', 'projects', 5],
      [`/v1/projects/${project}/scripts`, 'scripts', 3],
      [`/v1/scripts/${script}/versions`, 'versions', 3],
      ['/v1/adsystems', 'systems', 3],
      [`/v1/projects/${project}/users`, 'users', 5],
      [`/v1/projects/${project}/users/filter?note=some%20words`, 'users', 5],
      [`/v1/projects/${project}/users/filter?search=words`, 'users', 5],
      [`/v1/projects/${project}/users/filter?status=expired`, 'users', 3],
    ] as const
    for (const [path, member, count] of lists) {
      const oldest = await idsOf(owner, path, member)
      expect([path, oldest.length]).toEqual([path, count])
      expect([path, await idsOf(owner, path, member, '&order=newest')]).toEqual([path, oldest.toReversed()])
      expect(await idsOf(owner, path, member, '&order=oldest')).toEqual(oldest)
      const join = path.includes('?') ? '&' : '?'
      const { body } = await owner.get(`${path}${join}order=newest&from=1&limit=1`)
      expect((body[member] as Row[]).map((row) => row.id ?? row.key ?? row.version)).toEqual([oldest.at(-2)])
      const wrong = await owner.get(`${path}${join}limit=1&after=${body.next}`)
      expect(wrong.error.type).toBe('invalid_request')
    }
  })
})
