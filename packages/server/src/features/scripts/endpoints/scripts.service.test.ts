/** Differences between the `/v1` script endpoints and the unversioned ones. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createOwner, createScript } from '../../../../test/nouns.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scriptOf(): Promise<{ owner: Owner; project: string; id: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, id: await createScript(owner, project) }
  }

  test('POST /v1/scripts/:script_id/edit accepts the fields of both API families', async () => {
    const { owner, id } = await scriptOf()
    const sent = { free_for_all: true, require_sessions: true, silent: true }
    const flags = { ...sent, report_errors: false, staged_releases: false }
    const members = { name: 'new', ...flags }
    expect((await owner.post(`/v1/scripts/${id}/edit`, members)).body).toEqual({ success: true })
    expect((await owner.get(`/v1/scripts/${id}`)).body).toEqual({
      success: true,
      script: {
        id,
        enabled: true,
        use_heartbeat: true,
        kick_outdated: false,
        total_executions: 0,
        version: 1,
        options: {},
        disabled_message: null,
        places: [],
        games: [],
        ...members,
      },
    })
  })

  test('GET /v1/projects/:project_id/scripts returns the total with each page', async () => {
    const { owner, project, id } = await scriptOf()
    await createScript(owner, project)
    const { script } = (await owner.get(`/scripts/${id}`)).body
    const { body } = await owner.get(`/v1/projects/${project}/scripts?limit=1`)
    const added = { version: 1, disabled_message: null, report_errors: true, staged_releases: true }
    const listed = { ...(script as object), ...added }
    expect(body).toEqual({ success: true, scripts: [listed], total: 2, next: expect.any(String) })
  })

  test('scripts under /v1 include the active version, which may be an older one', async () => {
    const { owner, project, id } = await scriptOf()
    const versions = async () => {
      const list = (await owner.get(`/v1/projects/${project}/scripts`)).body.scripts as { version: number }[]
      const one = (await owner.get(`/v1/scripts/${id}`)).body.script as { version: number }
      return [list[0]?.version, one.version]
    }
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print(2)' })
    expect(await versions()).toEqual([2, 2])
    await owner.post(`/v1/scripts/${id}/versions/1/activate`)
    expect(await versions()).toEqual([1, 1])
    expect((await owner.get(`/scripts/${id}`)).body.script).not.toHaveProperty('version')
  })
})
