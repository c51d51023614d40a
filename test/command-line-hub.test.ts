/**
 * Tests the commands for script hubs: the places and games of scripts, the loader line to publish, and
 * unsupported games.
 */
import { expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { insertRows } from '../packages/server/test/stored.ts'
import { commandFolder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)

it('places and games are set per script, and hub shows them with the line and the demand', async () => {
  const { owner, project } = await createOwner(at())
  const [farm, race] = [
    await createScript(owner, project, { name: 'Farm' }),
    await createScript(owner, project, { name: 'Race' }),
  ]
  const own = commandFolder(() => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey }))
  const run = (...words: string[]) => own.run([...words])
  const hub = (...words: string[]) => run('hub', '--project', project, ...words)
  const line = `loadstring(game:HttpGet("${at().url}/client/v1/hub/${project}"))()`
  expect(await hub()).toMatchObject({ status: 0, stdout: `${line}\n` })
  expect((await hub()).stderr).toContain('No script has places or games yet.')

  expect((await run('scripts', 'edit', farm, '--places', '2, 1', '--games', '7')).status).toBe(0)
  expect((await run('scripts', 'edit', race, '--games', 'any')).status).toBe(0)
  const taken = await run('scripts', 'edit', race, '--places', '3,2')
  expect(taken.status).toBe(2)
  expect(taken.stderr).toContain(`places contains 2, which "Farm" (${farm}) already has.`)
  expect((await run('scripts', 'show', farm)).stdout).toContain('1, 2')

  const day = Math.floor(at().clock.now / 86_400_000)
  const demand = { project_id: project, day, requests: 12, last_at: at().clock.now }
  await insertRows(at(), 'hub_demand', { ...demand, place_id: '5', game_id: '0' })
  await insertRows(at(), 'hub_demand', { ...demand, place_id: '', game_id: '' })
  const shown = await hub()
  const [first, ...rows] = shown.stdout.trimEnd().split('\n')
  expect(first).toBe(line)
  expect(rows.slice(0, 2)).toEqual([`${farm}\tFarm\t1,2\t7`, `${race}\tRace\t-\tany`])
  expect(rows[2]).toMatch(/^5\t-\t12\t/)
  expect(shown.stderr).toContain('12 more requests came from other games.')
  expect(JSON.parse((await hub('--json')).stdout)).toMatchObject({ line, default: race, other_requests: 12 })

  expect((await run('scripts', 'edit', race, '--games', '')).status).toBe(0)
  expect(JSON.parse((await hub('--json')).stdout)).toMatchObject({ default: null })
  own.remove()
})
