/** Reading, editing and removing a project, and the data that these requests must not change. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { createProject, expire } from '../../../../test/nouns.ts'
import { instance } from '../../../../test/store/rows.ts'
import { insertRows } from '../../../../test/stored.ts'
import { furnish } from '../../../../test/subjects.ts'
import { addOutcomes } from '../../executions/store/outcomes.ts'

const HOUR_MS = 3_600_000

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  describe('/v1/projects/:project_id', () => {
    it('is shown exactly as it was created', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      const { body } = await owner.get(`/v1/projects/${id}`)
      const listed = await owner.get('/v1/projects')
      expect(listed.body.projects).toHaveLength(1)
      expect(body.project).toMatchObject((listed.body.projects as object[])[0] ?? {})
    })

    it('is listed with counts of what it contains, on request', async () => {
      const { owner, ids } = await furnish(at())
      const project_id = ids.project_id ?? ''
      const empty = await createProject(owner)
      const hour = Math.floor(at().clock.now / HOUR_MS) * HOUR_MS
      const counted = { project_id, script_id: '', step: 'hour', count: 3, expires_at: 2 ** 42 } as const
      await at().deps.db.transaction((tx) =>
        addOutcomes(tx, [
          { ...counted, at: hour, outcome: 'granted' },
          { ...counted, at: hour, outcome: 'key_expired' },
          { ...counted, at: hour - 23 * HOUR_MS, outcome: 'granted' },
          { ...counted, at: hour - 25 * HOUR_MS, outcome: 'granted' },
        ]),
      )
      const { projects } = (await owner.get('/v1/projects?counts=true')).body
      expect(projects).toMatchObject([
        { id: project_id, counts: { users: 1, scripts: 1, open_errors: 1, recent_runs: 6 } },
        { id: empty, counts: { users: 0, scripts: 0, open_errors: 0, recent_runs: 0 } },
      ])
      const plain = (await owner.get('/v1/projects')).body.projects as object[]
      expect(plain.some((one) => 'counts' in one)).toBe(false)
    })

    it('is edited one field at a time; missing and null fields keep their value', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      const edit = (members: object) => owner.post(`/v1/projects/${id}/edit`, members)
      await edit({ execution_webhook: 'https://example.com/a', name: ' New ' })
      const edited = await edit({ fingerprint_reset_cooldown: 1000, name: null, execution_webhook: null })
      expect(edited.body.project).toMatchObject({
        name: 'New',
        execution_webhook: 'https://example.com/a',
        fingerprint_reset_cooldown: 1000,
      })
      expect((await owner.get(`/v1/projects/${id}`)).body.project).toEqual(edited.body.project)
    })

    it('loses a URL that is set to an empty string', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      await owner.post(`/v1/projects/${id}/edit`, { blacklist_webhook: 'https://example.com/a' })
      const cleared = await owner.post(`/v1/projects/${id}/edit`, { blacklist_webhook: '' })
      expect(cleared.body.project).toMatchObject({ blacklist_webhook: null })
    })

    it('accepts an edit to its current value, but not an empty edit', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      expect((await owner.post(`/v1/projects/${id}/edit`, { name: 'Project' })).status).toBe(200)
      for (const nothing of [undefined, {}, { name: null, delete_expired_users: null }]) {
        const { error, status } = await owner.post(`/v1/projects/${id}/edit`, nothing)
        expect({ status, ...error }).toMatchObject({ status: 400, code: 1, message: 'cannot edit nothing' })
      }
    })

    it('can be read and removed, but not edited, when the account has expired', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      await expire(at(), owner.id)
      expect((await owner.post(`/v1/projects/${id}/edit`, {})).error).toMatchObject({
        code: 0,
        type: 'account_expired',
      })
      expect((await owner.get(`/v1/projects/${id}`)).status).toBe(200)
      expect((await owner.post(`/v1/projects/${id}/remove`)).body).toMatchObject({ success: true })
      expect((await owner.get(`/v1/projects/${id}`)).status).toBe(404)
    })

    it('is removed with its scripts, users and instances, and nothing of other projects', async () => {
      const { owner, ids } = await furnish(at())
      const other = await furnish(at())
      const { project_id = '', script_id = '', user_key = '' } = ids
      const row = { ...instance, exec: owner.id, project_id, script_id, user_key }
      await insertRows(at(), 'instances', row)
      expect((await owner.post(`/v1/projects/${project_id}/remove`)).status).toBe(200)
      expect((await owner.get(`/scripts/${script_id}`)).status).toBe(404)
      expect((await owner.get(`/users/${user_key}`)).status).toBe(404)
      const { customer } = (await owner.get(`/customers/${owner.apiKey}`)).body
      expect(customer).toMatchObject({
        total_projects: 0,
        total_scripts: 0,
        total_users: 0,
        total_instances: 0,
      })
      expect((await other.owner.get(`/users/${other.ids.user_key}`)).status).toBe(200)
    })

    it('can be removed only once', async () => {
      const owner = await at().createCustomer()
      const id = await createProject(owner)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => owner.post(`/v1/projects/${id}/remove`)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
    })
  })
})
