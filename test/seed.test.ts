/** Tests the example data that `npm run seed` creates on a real server. */
import { expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { seed } from '../scripts/seed.ts'

const { at } = serverOn(sqlite)

it('the example data has a script and a key that runs it, and seeding again adds nothing', async () => {
  const owner = await at().createCustomer()
  const first = await seed(at().url, owner.apiKey)
  expect(await seed(at().url, owner.apiKey)).toEqual(first)
  expect((await owner.get('/v1/projects')).body.total).toBe(1)
  expect((await owner.get(`/v1/projects/${first.projectId}/scripts`)).body.total).toBe(2)
  expect((await owner.get(`/v1/projects/${first.projectId}/users`)).body.total).toBe(4)
  expect((await owner.get(`/users/${first.userKey}`)).text).toContain('first friend')
})
