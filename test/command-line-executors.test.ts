/**
 * Tests the commands for executors: rules per script, and the warning about functions that customers'
 * executors lack.
 */
import { PROBED_FUNCTIONS, writeProbe } from '@scriptward/client/probe'
import { beforeAll, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { START, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { insertRows } from '../packages/server/test/stored.ts'
import { commandFolder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)

async function scene() {
  const { owner, project } = await createOwner(at())
  const own = commandFolder(() => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey }))
  own.write('main.lua', 'print("first")')
  await own.run(['init', '--project', project, '--name', 'walk', '--set', 'preset=light'])
  const { script_id: script } = JSON.parse((await own.run(['push', '--json'])).stdout)
  const executors = (...words: string[]) => own.run(['executors', ...words])
  const rules = async () => {
    const { mode, rules } = (await owner.get(`/v1/scripts/${script}/executor-rules`)).body
    return { mode, rules }
  }
  return { own, script, executors, rules }
}

beforeAll(async () => {
  const known = { version: '2.1', list: 1, answers: 3, first_at: START, last_at: START }
  const without = (missing: string) => writeProbe(PROBED_FUNCTIONS.map((name) => name !== missing))
  await insertRows(at(), 'executors', [
    { ...known, name: 'Garden', functions: without('writefile') },
    { ...known, name: 'Orchard', functions: without('') },
  ])
})

it('the list shows 100% crash-free runs only if no run crashed', async () => {
  const { script, executors } = await scene()
  const health = (['', 'Garden', 'Orchard'] as const).map((executor) => ({
    ...{ script_id: script, version: 1, day: 0, executor, customers: 9, runs: 3000 },
    crashed: executor === 'Orchard' ? 0 : 1,
  }))
  await insertRows(at(), 'version_health', health)
  const listed = (await executors('list')).stdout
  expect(listed).toContain('1\tGarden\t3000\t99.9%\t')
  expect(listed).toContain('1\tOrchard\t3000\t100.0%\t')
})

it('push warns about functions that customers lack, with the line and the share of customers', async () => {
  const { own, script } = await scene()
  const counts = { '': 100, Garden: 12, Orchard: 88 }
  const health = Object.entries(counts).map(([executor, customers]) => ({
    ...{ script_id: script, version: 1, day: 0, executor, customers },
  }))
  await insertRows(at(), 'version_health', health)
  own.write('main.lua', '\nwritefile("a", "b")\nif readfile then readfile("a") end')
  const warning =
    "line 2: writefile is missing for 12% of this script's customers (Garden): check for it with 'if writefile then'"
  const pushed = await own.run(['push'])
  expect(pushed).toMatchObject({ status: 0, stdout: expect.stringContaining('version 2 of walk') })
  expect(pushed.stderr.split('\n')).toContain(`warning: ${warning}`)
  own.write('main.lua', '\nif writefile then writefile("a", "b") end')
  expect((await own.run(['push'])).stderr).not.toContain('writefile')
  own.write('main.lua', '\nwritefile("a", "b")')
  expect(JSON.parse((await own.run(['push', '--json'])).stdout)).toMatchObject({ warnings: [warning] })
  own.remove()
})

it('executor rules can be added, watched, enforced and removed', async () => {
  const { own, executors, rules } = await scene()
  expect(await executors('rules')).toMatchObject({
    status: 0,
    stdout: 'All executors can run this script.\n',
  })
  expect((await executors('mode', 'watch')).stderr).toContain('There are no rules yet')
  const denied = await executors('deny', 'Garden', '--versions', '2.1, 3.*')
  expect(denied).toMatchObject({ status: 0, stdout: 'deny Garden 2.1, 3.*\nThese rules are enforced.\n' })
  expect((await executors('mode', 'watch')).stdout).toContain('These rules are in watch mode.')
  const garden = { action: 'deny', executor: 'Garden', versions: ['2.1', '3.*'] }
  expect(await rules()).toEqual({ mode: 'watch', rules: [garden] })
  expect((await executors('rules')).stdout).toContain('they would have denied 0 runs by 0 customers')
  await executors('allow', 'Orchard')
  await executors('mode', 'enforce')
  const orchard = { action: 'allow', executor: 'Orchard', versions: [] }
  expect(await rules()).toEqual({ mode: 'enforce', rules: [garden, orchard] })
  const shown = JSON.parse((await executors('rules', '--json')).stdout)
  expect(shown).toMatchObject({ mode: 'enforce', rules: [garden, orchard] })
  expect((await executors('remove', 'Nobody')).stderr).toContain('There is no rule for Nobody.')
  expect((await executors('remove', 'garden')).stdout).toBe('allow Orchard\nThese rules are enforced.\n')
  expect((await executors('remove', 'Orchard')).stdout).toBe('All executors can run this script.\n')
  expect(await rules()).toMatchObject({ rules: [] })
  own.remove()
})

it('the functions that an executor lacks are listed for each version', async () => {
  const { own, executors } = await scene()
  const { stdout } = await executors('functions', 'Garden')
  expect(stdout.trimEnd().split('\t')).toEqual([
    '2.1',
    String(PROBED_FUNCTIONS.length - 1),
    expect.any(String),
    'writefile',
  ])
  expect((await executors('functions', 'garden')).stderr).toContain('Names are case-sensitive')
  own.remove()
})
