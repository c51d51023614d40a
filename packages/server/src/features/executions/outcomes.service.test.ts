/** Outcomes per hour and day, tested with real clients over HTTP. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createProject, createScript } from '../../../test/nouns.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { insertRows, rowsOf } from '../../../test/stored.ts'
import { prune } from '../../jobs/prune.ts'
import { hashCredential } from '../access/credential.ts'
import { writeOutcomes } from './outcomes.ts'
import { addOutcomes, type OutcomeRow } from './store/outcomes.ts'

type Period = { at: number; granted: number; denied: Record<string, number> }

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TODAY = Math.floor(START / DAY) * DAY

describe.each(anyEngine)('outcomes of executions on $name', (engine) => {
  const { at } = serverOn(engine)
  const write = () => writeOutcomes(at().deps)
  const read = async ({ owner }: Pick<Scene, 'owner'>, path: string): Promise<Period[]> => {
    await write()
    return (await owner.get(path)).body.outcomes as Period[]
  }
  const someOf = (periods: readonly Period[]) =>
    periods.filter(({ granted, denied }) => granted > 0 || Object.keys(denied).length > 0)
  const ofProject = (scene: Scene, query = '') =>
    read(scene, `/v1/projects/${scene.projectId}/outcomes${query}`)

  it('count every grant, and every denial by reason, per hour and per day', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser } = scene
    const key = await addUser({ max_executions: 2 })
    for (let i = 0; i < 3; i++) await client.run(scriptId, { key })
    for (let i = 0; i < 2; i++) await client.run(scriptId, { key: 'of nobody, and long enough' })
    at().clock.now += HOUR
    const expired = await addUser({ key_expires: START })
    await client.run(scriptId, { key: expired })
    at().clock.now -= HOUR
    const first = {
      at: START,
      granted: 2,
      crashed: 0,
      vanished: 0,
      denied: { max_executions: 1, invalid_key: 2 },
    }
    at().clock.now += HOUR
    const hours = await ofProject(scene)
    expect(hours).toHaveLength(48)
    expect(someOf(hours)).toEqual([
      first,
      { at: START + HOUR, granted: 0, crashed: 0, vanished: 0, denied: { key_expired: 1 } },
    ])
    const days = await ofProject(scene, '?step=day')
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toEqual({
      at: TODAY,
      granted: 2,
      crashed: 0,
      vanished: 0,
      denied: { ...first.denied, key_expired: 1 },
    })
    at().clock.now -= HOUR
  })

  it('count a flood of denials in one row per reason, including denials that are not listed', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser } = scene
    const key = await addUser({ key_expires: START - 1 })
    for (let i = 0; i < 30; i++) await client.run(scriptId, { key })
    const [only] = someOf(await ofProject(scene))
    expect(only?.denied).toEqual({ key_expired: 30 })
    const rows = await rowsOf(at(), 'outcomes', { project_id: scene.projectId })
    expect(rows).toHaveLength(4)
  })

  it('can be read for one script, and stay in the project after the script is removed', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, owner, projectId } = scene
    await client.run(scriptId, { key: null })
    const other = await createScript(owner, projectId)
    expect(someOf(await ofProject(scene, `?script_id=${scriptId}`))).toHaveLength(1)
    expect(someOf(await ofProject(scene, `?script_id=${other}`))).toEqual([])
    const elsewhere = await createScript(owner, await createProject(owner))
    for (const id of [elsewhere, 'x', (await makeScene(at())).scriptId]) {
      const answer = await owner.get(`/v1/projects/${projectId}/outcomes?script_id=${id}`)
      expect(answer.error.type).toBe('not_found')
    }
    await client.run(scriptId, { key: null })
    await owner.post(`/v1/scripts/${scriptId}/remove`)
    expect(someOf(await ofProject(scene))).toMatchObject([{ denied: { invalid_key: 2 } }])
    const left = await rowsOf(at(), 'outcomes', { script_id: scriptId })
    expect(left).toEqual([])
  })

  it('of an account cover all its projects and no other account', async () => {
    const scene = await makeScene(at())
    const stranger = await makeScene(at())
    for (const { client, scriptId } of [scene, stranger, scene]) await client.run(scriptId, { key: null })
    expect(someOf(await read(scene, '/v1/outcomes'))).toMatchObject([{ denied: { invalid_key: 2 } }])
    expect((await read(scene, '/v1/outcomes?step=day')).at(-1)).toMatchObject({ denied: { invalid_key: 2 } })
  })

  it('of an account cover only the projects that the caller can access', async () => {
    const scene = await makeScene(at())
    await scene.client.run(scene.scriptId, { key: null })
    const reaching = async (projects: readonly string[]) => {
      const secret = `swt_${randomBytes(9).toString('hex')}`
      const token = {
        id: secret,
        customer_id: scene.customerId,
        name: 'CI',
        start: 'swt_',
        created_at: START,
      }
      const rights = { scopes: '["statistics:read"]', projects: JSON.stringify(projects) }
      const row = { ...token, ...rights, hash: hashCredential(secret) }
      await insertRows(at(), 'tokens', row)
      return someOf(await read({ owner: at().client(secret) as Scene['owner'] }, '/v1/outcomes'))
    }
    expect(await reaching([scene.projectId])).toMatchObject([{ denied: { invalid_key: 1 } }])
    expect(await reaching([await createProject(scene.owner)])).toEqual([])
    expect(await reaching([])).toEqual([])
  })

  it('cover only the requested time', async () => {
    const scene = await makeScene(at())
    await scene.client.run(scene.scriptId, { key: null })
    const [from, to] = [START - 2 * HOUR + 5, START]
    expect((await ofProject(scene, `?from=${from}&to=${to}`)).map(({ at }) => at)).toEqual([
      START - 2 * HOUR,
      START - HOUR,
    ])
    expect(await ofProject(scene, `?from=0`)).toHaveLength(48)
    expect(await ofProject(scene, `?step=day&from=0`)).toHaveLength(400)
    expect(await ofProject(scene, `?from=0&to=1`)).toEqual([])
    for (const query of [`?from=${START}&to=${START}`, `?from=${START + HOUR}`]) {
      const answer = await scene.owner.get(`/v1/projects/${scene.projectId}/outcomes${query}`)
      expect(answer.error).toMatchObject({ type: 'invalid_request' })
      expect(answer.text).toContain('from')
    }
  })

  it('add up across processes, even when they write at the same time', async () => {
    const { projectId, scriptId, ...scene } = await makeScene(at())
    const row = { project_id: projectId, step: 'hour', at: START, count: 1, expires_at: START + DAY } as const
    const rows: OutcomeRow[] = [
      { ...row, script_id: scriptId, outcome: 'granted' },
      { ...row, script_id: '', outcome: 'granted' },
      { ...row, script_id: '', outcome: 'blacklisted' },
    ]
    const { db } = at().deps
    const orders = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? rows : rows.toReversed()))
    await Promise.all(orders.map((order) => db.transaction((tx) => addOutcomes(tx, order))))
    expect(someOf(await read(scene, `/v1/projects/${projectId}/outcomes`))).toEqual([
      { at: START, granted: 20, crashed: 0, vanished: 0, denied: { blacklisted: 20 } },
    ])
  })

  it('are written later if the database fails', async () => {
    const scene = await makeScene(at())
    await scene.client.run(scene.scriptId, { key: null })
    const { deps } = at()
    const failing = { ...deps.db, transaction: () => Promise.reject(new Error('no disk')) }
    await expect(writeOutcomes({ ...deps, db: failing })).rejects.toThrow('no disk')
    await scene.client.run(scene.scriptId, { key: null })
    expect(someOf(await ofProject(scene))).toMatchObject([{ denied: { invalid_key: 2 } }])
  })

  it('are deleted after their retention time, hours before days', async () => {
    const scene = await makeScene(at())
    await scene.client.run(scene.scriptId, { key: null })
    await write()
    const stepsAfter = async (ms: number) => {
      await prune(at().deps, () => START + ms).run(new AbortController().signal)
      const rows = await at()
        .deps.db.read.selectFrom('outcomes')
        .select('step')
        .distinct()
        .where('project_id', '=', scene.projectId)
        .orderBy('step')
        .execute()
      return rows.map(({ step }) => step)
    }
    expect(await stepsAfter(48 * HOUR)).toEqual(['day', 'hour'])
    expect(await stepsAfter(50 * HOUR)).toEqual(['day'])
    expect(await stepsAfter(400 * DAY)).toEqual(['day'])
    expect(await stepsAfter(402 * DAY)).toEqual([])
  })
})
