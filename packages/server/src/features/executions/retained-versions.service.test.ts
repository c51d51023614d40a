/** Keys whose plan keeps the script version that was active when they expired. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'
import { deleteExpiredUsers } from '../keys/delete-expired-users.ts'
import { reconcileSessions } from '../sessions/reconcile.ts'

const MINUTE = 60_000
const KEEPS = { clock: { basis: 'creation', duration: DAY }, after_expiry: 'keep_version' }

describe.each(anyEngine)('kept versions on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, user, play, verdict } = shopOn(engine)
  const script = () => `/v1/scripts/${scene().scriptId}`
  const upload = async (n: number) => {
    const { status } = await scene().owner.post(`${script()}/update`, {
      script: `print(${n})`,
      options: { preset: 'light' },
    })
    expect(status).toBe(200)
  }
  const activate = (version: number) => scene().owner.post(`${script()}/versions/${version}/activate`)
  const versionOf = async (key: string) => (await play(key)).grant.script.version

  it('run for an expired key while other keys get the newest version', async () => {
    const id = await plan(KEEPS)
    const [ended, plain] = [await sell({ plan_id: id }), await sell({ key_expires: START + DAY })]
    later(DAY - HOUR)
    await upload(2)
    later(2 * HOUR)
    await upload(3)
    const { vars, script } = (await play(ended)).grant
    expect(script.version).toBe(2)
    expect(vars).toMatchObject({ status: 'expired', in_grace: false, is_premium: true })
    expect(await user(ended)).toMatchObject({ status: 'expired', executions: 1 })
    expect(await verdict(plain)).toBe('key_expired')
    expect(await versionOf(await sell({ plan_id: id }))).toBe(3)
    later(400 * DAY)
    expect(await versionOf(ended)).toBe(2)
  })

  it('are the active version, not the last uploaded one', async () => {
    const key = await sell({ plan_id: await plan(KEEPS) })
    await upload(2)
    later(HOUR)
    expect((await activate(1)).status).toBe(200)
    later(DAY)
    expect((await activate(2)).status).toBe(200)
    expect(await versionOf(key)).toBe(1)
  })

  it('still run after they were yanked', async () => {
    const key = await sell({ plan_id: await plan(KEEPS) })
    later(DAY + HOUR)
    await upload(2)
    expect((await scene().owner.post(`${script()}/versions/1/yank`)).status).toBe(200)
    expect(await versionOf(key)).toBe(1)
  })

  it('apply after the grace period, with the version that was active before it', async () => {
    const key = await sell({ plan_id: await plan({ ...KEEPS, grace: DAY }) })
    later(DAY + HOUR)
    await upload(2)
    const running = await play(key)
    expect(running.grant.script.version).toBe(2)
    expect(running.grant.vars.status).toBe('grace')
    later(DAY)
    expect(await running.beat()).toMatchObject({ ok: false, kick: { reason: 'key_expired' } })
    expect(await versionOf(key)).toBe(1)
  })

  it('do not apply to a script created after the key expired', async () => {
    const key = await sell({ plan_id: await plan(KEEPS), key_expires: START - HOUR })
    expect(await verdict(key)).toBe('key_expired')
  })

  it('no longer apply after the plan is changed or the key is renewed', async () => {
    const id = await plan(KEEPS)
    const key = await sell({ plan_id: id })
    await scene().edit('scripts', { kick_outdated: 1 })
    later(2 * DAY)
    await upload(2)
    const kept = await play(key)
    later(MINUTE)
    expect(await kept.beat()).toMatchObject({ ok: true })
    await edit(id, { after_expiry: 'deny' })
    later(MINUTE)
    expect(await kept.beat()).toMatchObject({ ok: false, kick: { reason: 'key_expired' } })
    expect(await verdict(key)).toBe('key_expired')
    await edit(id, { after_expiry: 'keep_version' })
    const again = await play(key)
    expect(again.grant.script.version).toBe(1)
    later(MINUTE)
    await scene().owner.post(`/v1/users/${key}/extend`, { duration: DAY })
    expect(await again.beat()).toMatchObject({ ok: false, kick: { reason: 'outdated_version' } })
    expect(await versionOf(key)).toBe(2)
  })

  it('continue in runs that pass the expiry date and are not reported as outdated', async () => {
    const key = await sell({
      plan_id: await plan({ ...KEEPS, clock: { basis: 'creation', duration: 10_000 } }),
    })
    await scene().edit('scripts', { kick_outdated: 1 })
    const [beating, connected] = [await play(key), await play(key)]
    await (await connected.connect(at().url)).frame('ready')
    later(10_000)
    await upload(2)
    expect(await beating.beat()).toMatchObject({ ok: true, seconds_left: 0 })
    await reconcileSessions(at().deps)
    expect(at().deps.sessions.hub.list({ project_id: scene().projectId })).toHaveLength(1)
  })

  it.each([
    ['blacklisted', { blacklisted: 1, blacklist_reason: 'no' }],
    ['max_executions', { max_executions: 0 }],
    ['key_paused', { paused_at: START }],
    ['key_not_started', { starts_at: START + 900 * DAY }],
  ] as const)('do not prevent the denial %s', async (reason, changes) => {
    const key = await sell({ plan_id: await plan(KEEPS) })
    later(2 * DAY)
    await scene().edit('users', changes, key)
    expect(await verdict(key)).toBe(reason)
  })

  it("follow the plan's scripts and quota", async () => {
    const id = await plan({ ...KEEPS, quota: { count: 1, period: 'week' } })
    const key = await sell({ plan_id: id })
    later(2 * DAY)
    await play(key)
    expect(await verdict(key)).toBe('quota_spent')
    const other = await sell({ plan_id: id })
    await scene().edit('projects', { require_chat: 1 })
    later(2 * DAY)
    expect(await verdict(other)).toBe('chat_required')
  })

  it('do not apply to key checks, which report the key as expired', async () => {
    const key = await sell({ plan_id: await plan(KEEPS) })
    await scene().edit('projects', { allow_checks: 1 })
    later(2 * DAY)
    const asked = { project_id: scene().projectId, key, fingerprint: 'A'.repeat(22), nonce: 'n'.repeat(16) }
    const { body } = await at()
      .client()
      .post('/client/v1/check', { ...asked, claim: false })
    expect(body).toMatchObject({ success: false, reason: 'key_expired' })
  })

  it('protect their keys from being deleted as expired, like a grace period', async () => {
    await scene().edit('projects', { delete_expired_users: 1 })
    const kept = await sell({ plan_id: await plan(KEEPS) })
    const graced = await sell({
      plan_id: await plan({ ...KEEPS, after_expiry: 'deny', grace: 9 * DAY }, 'Grace'),
    })
    const plain = await sell({ key_expires: START + DAY })
    const clean = () => deleteExpiredUsers(at().deps, at().deps.now).run(new AbortController().signal)
    later(2 * DAY)
    await clean()
    expect((await user(kept)).status).toBe('expired')
    expect((await user(graced)).status).toBe('grace')
    expect((await scene().owner.get(`/v1/users/${plain}`)).status).toBe(404)
    later(9 * DAY)
    await clean()
    expect((await scene().owner.get(`/v1/users/${graced}`)).status).toBe(404)
    expect((await user(kept)).status).toBe('expired')
  })

  it("are available again after a script's removal is undone", async () => {
    const key = await sell({ plan_id: await plan(KEEPS) })
    later(2 * DAY)
    await upload(2)
    const { body } = await scene().owner.post(`${script()}/remove`)
    await scene().owner.post(`/v1/changes/${body.change_id}/undo`)
    expect(await versionOf(key)).toBe(1)
  })
})
