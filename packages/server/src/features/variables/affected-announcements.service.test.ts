/**
 * Announcements to customers affected by an error: who sees them, when, and for which errors they can be
 * created.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { groupAll, listErrors, reportErrors } from '../../../test/errors.ts'
import { START } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { shopOn } from '../../../test/plans/shop.ts'
import { run } from '../../../test/protocol/running.ts'
import { rowsOf } from '../../../test/stored.ts'
import { listErrorKeys } from '../errors/store/error-details.ts'
import { MAX_TARGETED } from './announcements.ts'

describe.each(engines)('announcements to affected customers on $name', (engine) => {
  const { at, scene, later, sell, play } = shopOn(engine)
  const path = () => `/v1/projects/${scene().projectId}/announcements`
  const announce = (members: object) =>
    scene().owner.post(path(), { text: 'fixed', level: 'info', until: START + 3_600_000, ...members })
  const list = async () => (await scene().owner.get(path())).body.announcements
  const fieldOf = ({ status, error }: { status: number; error: { failed?: unknown } }) => [
    status,
    JSON.stringify(error.failed),
  ]

  /** Reports the same error from runs of these keys, and returns the error's ID. */
  async function failFor(...keys: readonly (string | null)[]): Promise<string> {
    const { owner, projectId, scriptId } = scene()
    for (const [i, user_key] of keys.entries()) {
      const ids = { project_id: projectId, script_id: scriptId, exec: `run-${i}`, user_key }
      await reportErrors(at(), ids, {})
      later(1)
    }
    await groupAll(at())
    const [error] = await listErrors(owner, scriptId)
    return String(error?.id)
  }

  it('reach the keys that reported the error, and neither other keys nor guests', async () => {
    const [hit, spared] = [await sell({}), await sell({})]
    const error_id = await failFor(hit, null)
    await announce({ text: 'for everyone' })
    const { body } = await announce({ error_id })
    expect(body.announcement).toMatchObject({ text: 'fixed', scripts: null, users: 1 })
    expect(await list()).toMatchObject([{ users: 1 }, { users: null }])
    expect(JSON.stringify(await list())).not.toContain(hit)
    const seen = async (key: string) => (await play(key)).grant.vars.announcement?.text
    expect([await seen(hit), await seen(spared)]).toEqual(['fixed', 'for everyone'])
    const { client, scriptId, edit } = scene()
    await edit('scripts', { free_for_all: 1 })
    const guest = await run(client, scriptId, { key: null })
    expect(guest.grant.vars.announcement?.text).toBe('for everyone')
  })

  it('arrive over a live session and with the next heartbeat, only at these keys', async () => {
    const [live, beating, spared] = [await sell({}), await sell({}), await sell({})]
    const error_id = await failFor(live, beating)
    const [first, second, third] = [await play(live), await play(beating), await play(spared)]
    const socket = await first.connect(at().url)
    await socket.frame('ready')
    const { body } = await announce({ error_id })
    expect(await socket.frame('set')).toMatchObject({ announcement: { text: 'fixed' } })
    later(30_000)
    expect(await second.beat()).toMatchObject({ vars: { announcement: { text: 'fixed' } } })
    expect(await third.beat()).not.toHaveProperty('vars')
    await scene().owner.post(`${path()}/${(body.announcement as { id: string }).id}/remove`)
    expect(await socket.frame('set')).not.toHaveProperty('announcement')
  })

  it('keep their keys when others report the error later, and leave out removed keys', async () => {
    const [hit, removed, late] = [await sell({}), await sell({}), await sell({})]
    const error_id = await failFor(hit, removed)
    await scene().owner.post(`/v1/users/${removed}/remove`)
    expect((await announce({ error_id })).body.announcement).toMatchObject({ users: 1 })
    await failFor(late)
    expect((await play(late)).grant.vars).not.toHaveProperty('announcement')
    expect((await play(hit)).grant.vars).toHaveProperty('announcement')
  })

  it('take the keys that reported the error last if there are too many', async () => {
    const [first, last] = [await sell({}), await sell({})]
    const id = await failFor(first, last)
    const error = { id, project_id: scene().projectId }
    expect(await listErrorKeys(at().deps.db.read, error, 1)).toEqual([last])
    const { group } = (await scene().owner.get(`/v1/scripts/${scene().scriptId}/errors/${id}`)).body
    expect(group).toMatchObject({ keys: 2, customers: 2 })
  })

  it("need an error of this project's scripts that a key reported, and no scripts", async () => {
    const error_id = await failFor(await sell({}))
    const stranger = await createOwner(at())
    const script_id = await createScript(stranger.owner, stranger.project, { script: 'print(1)' })
    await reportErrors(at(), { project_id: stranger.project, script_id }, {})
    await groupAll(at())
    const [theirs] = await listErrors(stranger.owner, script_id)
    const missing = fieldOf(await announce({ error_id: 'err_0VMc4VLkH7rAAAAAAAAAAA' }))
    expect(missing).toEqual([400, expect.stringContaining('must be the ID of an error')])
    expect(fieldOf(await announce({ error_id: theirs?.id }))).toEqual(missing)
    const ofStranger = { text: 'x', level: 'info', until: START + 3_600_000, error_id: theirs?.id }
    const empty = await stranger.owner.post(`/v1/projects/${stranger.project}/announcements`, ofStranger)
    expect(fieldOf(empty)).toEqual([400, expect.stringContaining('at least one key')])
    const both = await announce({ error_id, scripts: [scene().scriptId] })
    expect(fieldOf(both)).toEqual([400, expect.stringContaining('cannot be combined with error_id')])
    expect(await list()).toEqual([])
  })

  it('are at most ten at a time, in addition to those for everyone', async () => {
    const error_id = await failFor(await sell({}))
    for (let i = 0; i < MAX_TARGETED; i++) expect((await announce({ error_id })).status).toBe(200)
    const { error } = await announce({ error_id })
    expect(error).toMatchObject({ type: 'max_announcements_reached', limit: MAX_TARGETED })
    expect((await announce({})).status).toBe(200)
  })

  it('are restored with their project for the same keys, and deleted with their keys', async () => {
    const [hit, spared] = [await sell({}), await sell({})]
    const { body } = await announce({ error_id: await failFor(hit) })
    const { owner, projectId } = scene()
    const removed = await owner.post(`/v1/projects/${projectId}/remove`)
    await owner.post(`/v1/changes/${removed.string('change_id')}/undo`)
    expect((await play(hit)).grant.vars.announcement?.text).toBe('fixed')
    expect((await play(spared)).grant.vars).not.toHaveProperty('announcement')
    await owner.post(`${path()}/${(body.announcement as { id: string }).id}/remove`)
    expect(await rowsOf(at(), 'announcements', { project_id: projectId })).toEqual([])
  })
})
