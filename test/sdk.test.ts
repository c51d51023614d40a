/** The SDK against a real server: typed calls, errors that can be told apart, lists of any length. */
import {
  adminCustomersCreate,
  connect,
  entriesOf,
  isServiceError,
  ServiceError,
  UnreachableError,
  type User,
  v1ProjectsCreate,
  v1ProjectUsersGenerate,
  v1ProjectUsersList,
  v1UsersGet,
} from '@scriptward/sdk'
import { describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { ADMIN_KEY, serverOn } from '../packages/server/test/harness.ts'
import { freePort } from '../packages/server/test/ports.ts'

describe('the SDK', () => {
  const { at } = serverOn(sqlite)
  const as = (apiKey: string) => connect({ baseUrl: at().url, apiKey })

  async function ownerWithUsers(amount: number) {
    const { data } = await adminCustomersCreate({
      client: as(ADMIN_KEY),
      body: { email: `${amount}@example.com`, tier: 0 },
      throwOnError: true,
    })
    const client = as(data.api_key)
    const made = await v1ProjectsCreate({ client, body: { name: 'Listed' }, throwOnError: true })
    const path = { project_id: made.data.project_id }
    const keys = await v1ProjectUsersGenerate({ client, path, body: { amount }, throwOnError: true })
    return { client, path, keys: keys.data.user_keys }
  }

  it('lists every entry once and in order, a page at a time', async () => {
    const { client, path, keys } = await ownerWithUsers(25)
    const pages: (string | null)[] = []
    const users = entriesOf('users', (after) => {
      pages.push(after)
      return v1ProjectUsersList({ client, path, query: { after, limit: 10 }, throwOnError: true })
    })
    const listed: User[] = []
    for await (const user of users) listed.push(user)
    expect(listed.map(({ key }) => key)).toEqual(keys)
    expect(pages).toHaveLength(3)
    expect(pages[0]).toBeNull()
  })

  it('requests no page beyond what the caller reads', async () => {
    const { client, path, keys } = await ownerWithUsers(24)
    let asked = 0
    for await (const user of entriesOf('users', (after) => {
      asked += 1
      return v1ProjectUsersList({ client, path, query: { after, limit: 5 }, throwOnError: true })
    }))
      if (user.key === keys[6]) break
    expect(asked).toBe(2)
  })

  it('throws errors with their type and details', async () => {
    const { client } = await ownerWithUsers(1)
    const refused = await v1ProjectsCreate({ client, body: { name: '' }, throwOnError: true }).catch(
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(ServiceError)
    expect(isServiceError(refused)).toBe(true)
    expect(isServiceError(refused, 'invalid_request')).toBe(true)
    expect(isServiceError(refused, 'not_found')).toBe(false)
    expect(refused).toMatchObject({ status: 400, code: -1, members: { failed: [{ field: 'name' }] } })
    expect((refused as ServiceError).requestId).not.toBe('')
  })

  it('returns an error instead of throwing it when asked to', async () => {
    const client = as('sw_wrong')
    const { data, error } = await v1UsersGet({ client, path: { user_key: 'x' } })
    expect(data).toBeUndefined()
    expect(isServiceError(error, 'unauthorized')).toBe(true)
  })

  it('names the address that does not answer, and why', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const client = connect({ baseUrl, apiKey: 'x' })
    const { error } = await v1UsersGet({ client, path: { user_key: 'x' } })
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error).toMatchObject({ message: `Could not reach ${baseUrl}: ECONNREFUSED` })
    expect(isServiceError(error)).toBe(false)
  })

  it('throws the reason with which a call was canceled', async () => {
    const signal = AbortSignal.abort(new Error('no longer needed'))
    const call = v1UsersGet({ client: as('x'), path: { user_key: 'x' }, signal, throwOnError: true })
    await expect(call).rejects.toThrow('no longer needed')
  })

  it('sends an idempotency key, so that a call may be made again', async () => {
    const { client, path } = await ownerWithUsers(2)
    const make = () =>
      v1ProjectUsersGenerate({
        client,
        path,
        body: { amount: 3 },
        headers: { 'Idempotency-Key': 'once' },
        throwOnError: true,
      })
    expect((await make()).data.user_keys).toEqual((await make()).data.user_keys)
  })
})
