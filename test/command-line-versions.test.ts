/** Tests the commands for versions: notes, yanking, comparing two versions, and a version that crashes. */
import { expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { insertRows } from '../packages/server/test/stored.ts'
import { commandFolder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)

it('versions have notes, can be yanked and compared', async () => {
  const { owner, project } = await createOwner(at())
  const own = commandFolder(() => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey }))
  own.write('walk.lua', 'print("first")')
  const push = ['push', 'walk.lua', '--project', project, '--set', 'preset=light', '--json']
  const { script_id: script } = JSON.parse((await own.run(push)).stdout)
  own.write('walk.lua', 'print("second")')
  await own.run([...push, '--notes', 'Second try\nmore', '--publish-notes'])
  const run = (...words: string[]) => own.run([...words, '--script', script])
  const listed = (await run('versions')).stdout.split('\n')
  expect(listed[0]?.split('\t').slice(-2)).toEqual([`${owner.apiKey.slice(0, 8)}…`, 'Second try'])
  const { versions } = (await owner.get(`/v1/scripts/${script}/versions`)).body
  expect(versions).toMatchObject([{ notes: null }, { notes: 'Second try\nmore', notes_public: true }])
  expect((await run('yank', '2')).stderr).toContain('Activate another version first')
  expect((await run('activate', '1')).status).toBe(0)
  expect((await run('yank', '2')).stdout).toContain('now yanked')
  expect((await run('versions')).stdout).toMatch(/^2\tyanked\t/)
  expect((await run('activate', '2')).stderr).toContain('Version 2 of walk is yanked')
  expect((await run('yank', '2', '--undo')).stdout).toContain('available again')
  const { stdout } = await run('diff', '1', '2')
  expect(stdout).toMatch(/^--- a\/\S+\n\+\+\+ b\/\S+\n@@ .*\n-.*\n/)
  expect(stdout).toContain('\n+print("second")\n')
  own.remove()
})

it('the version since which customers crash is named with the command that takes it back', async () => {
  const { owner, project } = await createOwner(at())
  const own = commandFolder(() => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey }))
  const script_id = await createScript(owner, project)
  await owner.post(`/v1/scripts/${script_id}/update`, { script: 'print(2)' })
  const counts = { runs: 4000, vanished: 0, denied: 0, customers: 4000 }
  const insert = (version: number, crashed: number, day: number) =>
    insertRows(at(), 'version_health', {
      ...{ script_id, version, executor: '', day, ...counts, crashed, crashed_customers: crashed },
    })
  await insert(1, 1, 0)
  await insert(2, 80, 0)
  const health = async () => (await own.run(['health', '--script', script_id])).stderr
  expect(await health()).toBe('')
  await insert(2, 80, Math.floor(at().clock.now / 86_400_000))
  const day = new Date(at().clock.now).toISOString().slice(0, 10)
  expect(await health()).toContain(
    `version 2 has crashed for 80 customers since ${day}: 2% of its customers, compared to 0% with version 1.`,
  )
  expect(await health()).toContain(`Roll back with 'scriptward activate 1 --script ${script_id}'.`)
  // A yanked version can't be activated, even if it is the one that the new version is compared with.
  await owner.post(`/v1/scripts/${script_id}/update`, { script: 'print(3)' })
  await owner.post(`/v1/scripts/${script_id}/versions/2/yank`)
  await insert(3, 800, 0)
  await insert(3, 800, Math.floor(at().clock.now / 86_400_000))
  expect(await health()).toContain('version 3 has crashed for 800 customers')
  expect(await health()).toContain(`Roll back with 'scriptward activate 1 --script ${script_id}'.`)
  own.remove()
})
