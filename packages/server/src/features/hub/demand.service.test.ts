/** Demand: requests from unsupported games are counted up to a limit, listed, and deleted after 90 days. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createProject, createScript } from '../../../test/nouns.ts'
import { makeScene } from '../../../test/protocol/scene.ts'
import { countRows } from '../../../test/store/rows.ts'
import { rowsOf } from '../../../test/stored.ts'
import { prune } from '../../jobs/prune.ts'
import { MAX_GAMES_A_DAY, writeDemand } from './demand.ts'

const DAY_MS = 86_400_000

describe.each(engines)('demand on $name', (engine) => {
  const { at } = serverOn(engine)

  async function demandScene() {
    const { client, owner, projectId, scriptId } = await makeScene(at())
    const ask = (query: string) => client.get(`/hub/${projectId}${query}`)
    const edit = (id: string, members: object) => owner.post(`/v1/scripts/${id}/edit`, members)
    const read = async () => (await owner.get(`/v1/projects/${projectId}/hub`)).body
    const write = () => writeDemand(at().deps)
    const count = (place: number, game = 1) =>
      at().deps.hubDemand.countDemand(
        { project_id: projectId, place_id: `${place}`, game_id: `${game}` },
        at().clock.now,
      )
    return { owner, projectId, scriptId, ask, edit, read, write, count }
  }

  it('lists unsupported games by requests, and leaves out those that a script supports by now', async () => {
    const { projectId, scriptId, ask, edit, read, write } = await demandScene()
    await edit(scriptId, { places: [1] })
    for (const query of ['?place=5&game=50', '?place=6&game=60', '?place=6&game=60', '?game=70'])
      expect((await ask(query)).text).toContain('not supported')
    await write()
    at().clock.now += 1000
    const last_seen = at().clock.now
    await ask('?place=6&game=60')
    // These do not count as demand: a supported game, the first request, and hosts without a game.
    for (const query of ['?place=1&game=50', '', '?place=0', '?rt=51']) await ask(query)
    await write()
    const found = [
      { place_id: '6', game_id: '60', requests: 3, last_seen },
      { place_id: '0', game_id: '70', requests: 1, last_seen: last_seen - 1000 },
      { place_id: '5', game_id: '50', requests: 1, last_seen: last_seen - 1000 },
    ]
    expect(await read()).toEqual({
      ...{ success: true, default: null, demand: found, other_requests: 0 },
      line: `loadstring(game:HttpGet("${at().url}/client/v1/hub/${projectId}"))()`,
      targets: [{ script_id: scriptId, name: 'main', enabled: true, places: ['1'], games: [] }],
    })
    await edit(scriptId, { places: [1, 5], games: [70, 'any'] })
    expect(await read()).toMatchObject({ default: scriptId, demand: found.slice(0, 1) })
  })

  it('has a row for 500 games a day and project, and counts all others together', async () => {
    const { projectId, count, write, read } = await demandScene()
    for (let i = 1; i <= MAX_GAMES_A_DAY; i++) count(i)
    await write()
    for (let i = 1; i <= MAX_GAMES_A_DAY + 20; i++) count(i)
    await write()
    expect(await rowsOf(at(), 'hub_demand', { project_id: projectId })).toHaveLength(MAX_GAMES_A_DAY + 1)
    const { demand, other_requests } = await read()
    expect(demand).toHaveLength(100)
    expect([(demand as { requests: number }[])[0]?.requests, other_requests]).toEqual([2, 20])
    at().clock.now += DAY_MS
    count(9999)
    await write()
    expect(await rowsOf(at(), 'hub_demand', { project_id: projectId, place_id: '9999' })).toHaveLength(1)
  })

  it('stays within that limit if several processes write at once', async () => {
    const { projectId, count } = await demandScene()
    for (let i = 1; i < MAX_GAMES_A_DAY; i++) count(i)
    await writeDemand(at().deps)
    const writes = Array.from({ length: 4 }, (_, i) => {
      count(1000 + i)
      return writeDemand(at().deps)
    })
    await Promise.all(writes)
    const rows = await rowsOf(at(), 'hub_demand', { project_id: projectId })
    expect([rows.length, rows.find(({ place_id }) => place_id === '')?.requests]).toEqual([
      MAX_GAMES_A_DAY + 1,
      3,
    ])
  })

  it('shows 30 days, and is deleted after 90', async () => {
    const { count, write, read } = await demandScene()
    const demand = async () => (await read()).demand as object[]
    count(1)
    await write()
    at().clock.now += 29 * DAY_MS
    expect(await demand()).toHaveLength(1)
    at().clock.now += DAY_MS
    expect(await demand()).toHaveLength(0)
    const clean = () => prune(at().deps, () => at().clock.now).run(new AbortController().signal)
    const before = await countRows(at().deps.db.read, 'hub_demand')
    at().clock.now += 59 * DAY_MS
    await clean()
    expect(await countRows(at().deps.db.read, 'hub_demand')).toBeGreaterThan(0)
    expect(before).toBeGreaterThan(0)
    at().clock.now += 3 * DAY_MS
    while (await clean());
    expect(await countRows(at().deps.db.read, 'hub_demand')).toBe(0)
  })

  it('of a failed write is written later, and that of a deleted project never', async () => {
    const { owner, projectId, count, write } = await demandScene()
    const gone = await createProject(owner)
    await createScript(owner, gone)
    at().deps.hubDemand.countDemand({ project_id: gone, place_id: '1', game_id: '1' }, at().clock.now)
    await owner.post(`/v1/projects/${gone}/remove`)
    count(1)
    const db = { ...at().deps.db, transaction: () => Promise.reject(new Error('no disk')) }
    await expect(writeDemand({ ...at().deps, db })).rejects.toThrow('no disk')
    count(1)
    await write()
    expect(await rowsOf(at(), 'hub_demand', { project_id: projectId })).toMatchObject([{ requests: 2 }])
    expect(await rowsOf(at(), 'hub_demand', { project_id: gone })).toEqual([])
  })

  it('is bounded in memory', async () => {
    const { projectId, count } = await demandScene()
    for (let i = 1; i <= 20_100; i++) count(i)
    const counts = at().deps.hubDemand.takeCounts()
    expect(counts).toHaveLength(20_001)
    expect(counts.at(-1)).toMatchObject({ project_id: projectId, place_id: '', requests: 100 })
  })
})
