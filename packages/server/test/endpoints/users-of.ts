/**
 * Setup for tests with many users: creates users with exactly the given columns, and reads a project's
 * contents.
 */
import { BLANK } from '../../src/features/keys/blank.ts'
import { insertUsers, type ListedUser } from '../../src/features/keys/store/user-bulk.ts'
import { changeUserCount } from '../../src/features/projects/store/projects.ts'
import type { Owner, TestServer } from '../harness.ts'

/** Creates the users in the given order. By default, each key consists of `prefix` and the user's index. */
export async function plantUsers(
  server: TestServer,
  place: { readonly owner: Owner; readonly project: string },
  users: readonly Partial<ListedUser>[],
): Promise<string[]> {
  const prefix = place.project.slice(-12)
  const rows = users.map((user, index) => ({ ...BLANK, key: `${prefix}-${index}`, ...user }))
  await server.deps.db.bulk(async (tx) => {
    await changeUserCount(tx, place.owner.id, place.project, { users: rows.length, fromAds: 0 })
    await insertUsers(tx, { projectId: place.project, createdAt: server.clock.now }, rows)
  })
  return rows.map(({ key }) => key)
}

export async function keysOf(owner: Owner, project: string): Promise<string[]> {
  const { users } = (await owner.get(`/projects/${project}/users`)).body as { users: { key: string }[] }
  return users.map(({ key }) => key)
}

/** Returns a project's stored and actual number of users, which must never differ. */
export async function countsOf(
  server: TestServer,
  project: string,
): Promise<[kept: number, counted: number]> {
  const { read } = server.deps.db
  const { total_users } = await read
    .selectFrom('projects')
    .select('total_users')
    .where('id', '=', project)
    .executeTakeFirstOrThrow()
  const { count } = await read
    .selectFrom('users')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow()
  return [total_users, count]
}
