/**
 * The users that a change affected: the list of changes includes three of them, and a paged list includes
 * all.
 */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createProject, createScript, createUser } from '../../../test/nouns.ts'
import { deleteExpiredUsers } from '../keys/delete-expired-users.ts'
import { SLICE } from './customer-lock.ts'

const DAY = 86_400_000
type Named = { readonly user_key: string; readonly note: string | null }

describe.each(engines)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { generateLimit: SLICE + 7 } })

  const placeOf = async (...notes: string[]) => {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    const keys: string[] = []
    for (const note of notes) keys.push(await createUser(owner, project, { note }))
    return { owner, project, keys }
  }
  const samplesOf = async (owner: Owner, id: unknown) =>
    ((await owner.get(`/v1/changes/${id}`)).body.change as { samples: Named[] }).samples
  const usersOf = async (owner: Owner, id: unknown, query = '') =>
    (await owner.get(`/v1/changes/${id}/users${query}`)).body as { users: Named[]; next: string | null }
  const notes = (users: readonly Named[]) => users.map(({ note }) => note)

  test('removed users are named in the list, even after the undo', async () => {
    const { owner, project, keys } = await placeOf('Ann', 'Ben', 'Cem', 'Dora')
    const { change_id } = (await owner.post(`/v1/projects/${project}/users/clear`, {})).body
    const listed = (await owner.get('/v1/changes')).body.changes
    const samples = keys.slice(0, 3).map((user_key, i) => ({
      ...{ user_key, chat_id: null },
      note: ['Ann', 'Ben', 'Cem'][i],
    }))
    expect(listed).toMatchObject([{ id: change_id, count: 4, samples }])
    expect(await usersOf(owner, change_id)).toMatchObject({
      users: keys.map((user_key) => ({ user_key, changes: {} })),
      next: null,
    })
    await owner.post(`/v1/changes/${change_id}/undo`)
    expect(notes(await samplesOf(owner, change_id))).toEqual(['Ann', 'Ben', 'Cem'])
    expect((await usersOf(owner, change_id)).users).toEqual([])
  })

  test('edited users are listed with the old and new values, and their present name', async () => {
    const { owner, project, keys } = await placeOf('Ann', 'Ben')
    const order = { action: 'tag', tags: ['vip'], keys }
    const { change_id } = (await owner.post(`/v1/projects/${project}/users/bulk`, order)).body
    await owner.post(`/v1/users/${keys[0]}/edit`, { note: 'Anna' })
    expect(notes(await samplesOf(owner, change_id))).toEqual(['Ann', 'Ben'])
    const { users } = await usersOf(owner, change_id)
    expect(notes(users)).toEqual(['Anna', 'Ben'])
    expect(users[0]).toMatchObject({ changes: { tags: { before: null, after: expect.anything() } } })
  })

  test('thousands of added users are listed page by page, in order', async () => {
    const { owner, project } = await placeOf()
    const made = await owner.post(`/v1/projects/${project}/users/generate`, { amount: SLICE + 7 })
    const keys = made.body.user_keys as string[]
    const { change_id } = made.body
    expect((await samplesOf(owner, change_id)).map((one) => one.user_key)).toEqual(keys.slice(0, 3))
    const first = await usersOf(owner, change_id, `?limit=${SLICE}`)
    const rest = await usersOf(owner, change_id, `?limit=${SLICE}&after=${first.next}`)
    expect([...first.users, ...rest.users].map((one) => one.user_key)).toEqual(keys)
    expect(rest.next).toBeNull()
  })

  test('expired users that a job deleted are named', async () => {
    const { owner, project } = await placeOf()
    await owner.post(`/v1/projects/${project}/edit`, { delete_expired_users: true })
    await createUser(owner, project, { note: 'Ann', key_expires: at().clock.now + 1000 })
    const later = at().clock.now + DAY
    await deleteExpiredUsers(at().deps, () => later).run(new AbortController().signal)
    expect((await owner.get('/v1/changes')).body.changes).toMatchObject([{ samples: [{ note: 'Ann' }] }])
  })

  test('the removal of a script names no users', async () => {
    const { owner, project } = await placeOf('Ann')
    const script = await createScript(owner, project)
    const { change_id } = (await owner.post(`/v1/scripts/${script}/remove`)).body
    expect(await samplesOf(owner, change_id)).toEqual([])
    expect(await usersOf(owner, change_id)).toMatchObject({ users: [], next: null })
  })

  test('a token sees no names of projects that it cannot access, nor does another account', async () => {
    const { owner, project } = await placeOf('Ann')
    const { change_id } = (await owner.post(`/v1/projects/${project}/users/clear`, {})).body
    const other = await createProject(owner)
    const token = await owner.post('/v1/tokens/new', {
      ...{ name: 'Bot', scopes: ['users:read'], projects: [other] },
    })
    const bot = at().client(token.string('secret'))
    const foreign = await at().createCustomer()
    for (const client of [bot, foreign]) {
      expect((await client.get('/v1/changes')).body.changes).toEqual([])
      const answers = await Promise.all(
        [change_id, 'chg_0VMc4VLkH7rAAAAAAAAAAA'].map((id) => client.get(`/v1/changes/${id}/users`)),
      )
      const [given, missing] = answers.map(({ status, error }) => [status, error.type])
      expect(given).toEqual([404, 'not_found'])
      expect(given).toEqual(missing)
    }
  })
})
