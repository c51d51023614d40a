/**
 * Tests the SDK against a real server: methods grouped by resource, distinguishable errors, and lists of any
 * length.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  connect,
  entriesOf,
  isServiceError,
  Scriptward,
  ServiceError,
  UnreachableError,
  type User,
  v1UsersGet,
} from '@scriptward/sdk'
import { afterAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { ADMIN_KEY, serverOn } from '../packages/server/test/harness.ts'
import { freePort, listenOnFreePort } from '../packages/server/test/ports.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function serving(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response))
  servers.push(server)
  await listenOnFreePort(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the SDK', () => {
  const { at } = serverOn(sqlite)
  const as = (token: string) => new Scriptward({ url: at().url, token })

  async function ownerWithUsers(amount: number) {
    const account = await as(ADMIN_KEY).admin.customers.create({ email: `${amount}@example.com`, tier: 0 })
    const scriptward = as(account.api_key)
    const { project_id } = await scriptward.projects.create({ name: 'Listed' })
    const { user_keys } = await scriptward.users.generate(project_id, { amount })
    return { scriptward, projectId: project_id, keys: user_keys }
  }

  it('creates, edits and reads resources, and returns the data itself', async () => {
    const { scriptward, projectId } = await ownerWithUsers(3)
    const { user_key } = await scriptward.users.create(projectId, { note: 'Ada' })
    await scriptward.users.edit(user_key, { note: 'Ada L.' })
    expect(await scriptward.users.get(user_key)).toMatchObject({ user: { key: user_key, note: 'Ada L.' } })
    expect((await scriptward.users.devices.list(user_key)).devices).toEqual([])
    expect((await scriptward.me.get()).success).toBe(true)
  })

  it('accepts a URL with a trailing slash', async () => {
    const scriptward = new Scriptward({ url: `${at().url}/` })
    expect((await scriptward.tiers.list()).tiers).not.toEqual([])
  })

  it('lists every entry once and in order, one page at a time', async () => {
    const { scriptward, projectId, keys } = await ownerWithUsers(25)
    const pages: (string | null)[] = []
    const users = entriesOf('users', (after) => {
      pages.push(after)
      return scriptward.users.list(projectId, { after, limit: 10 })
    })
    const listed: User[] = []
    for await (const user of users) listed.push(user)
    expect(listed.map(({ key }) => key)).toEqual(keys)
    expect(pages).toHaveLength(3)
    expect(pages[0]).toBeNull()
  })

  it('requests only the pages that the caller reads', async () => {
    const { scriptward, projectId, keys } = await ownerWithUsers(24)
    let asked = 0
    for await (const user of entriesOf('users', (after) => {
      asked += 1
      return scriptward.users.list(projectId, { after, limit: 5 })
    }))
      if (user.key === keys[6]) break
    expect(asked).toBe(2)
  })

  it('throws errors with their type and details', async () => {
    const { scriptward } = await ownerWithUsers(1)
    const refused = await scriptward.projects.create({ name: '' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceError)
    expect(isServiceError(refused)).toBe(true)
    expect(isServiceError(refused, 'invalid_request')).toBe(true)
    expect(isServiceError(refused, 'not_found')).toBe(false)
    expect(refused).toMatchObject({ status: 400, code: -1, members: { failed: [{ field: 'name' }] } })
    expect((refused as ServiceError).requestId).not.toBe('')
  })

  it('has a function for each operation, which returns its error', async () => {
    const client = connect({ baseUrl: at().url, apiKey: 'sw_wrong' })
    const { data, error } = await v1UsersGet({ client, path: { user_key: 'x' } })
    expect(data).toBeUndefined()
    expect(isServiceError(error, 'unauthorized')).toBe(true)
  })

  it('names the unreachable URL and the cause', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const error = await new Scriptward({ url, token: 'x' }).users.get('x').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error).toMatchObject({ message: `Could not reach ${url}: ECONNREFUSED` })
    expect(isServiceError(error)).toBe(false)
  })

  it.each([200, 404])('reports a response with status %s that breaks off as unreachable', async (status) => {
    const url = await serving((response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{', () => response.destroy())
    })
    const error = await new Scriptward({ url, token: 'x' }).users.get('x').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(isServiceError(error)).toBe(false)
  })

  it('throws the abort reason of a call that is canceled after its response began', async () => {
    const json = { 'content-type': 'application/json' }
    const url = await serving((response) => void response.writeHead(200, json).write('{'))
    for (const reason of [undefined, new Error('no longer needed'), 'no longer needed']) {
      const canceled = new AbortController()
      const cancelAfter = async (...given: Parameters<typeof fetch>) => {
        const response = await fetch(...given)
        canceled.abort(reason)
        return response
      }
      const { users } = new Scriptward({ url, token: 'x', fetch: cancelAfter as typeof fetch })
      const call = users.get('x', { signal: canceled.signal })
      expect(await call.catch((thrown: unknown) => thrown)).toBe(canceled.signal.reason)
    }
  })

  it('throws the abort reason of a canceled call', async () => {
    const signal = AbortSignal.abort(new Error('no longer needed'))
    await expect(as('x').users.get('x', { signal })).rejects.toThrow('no longer needed')
  })

  it('sends an idempotency key, so that a call can be repeated', async () => {
    const { scriptward, projectId } = await ownerWithUsers(2)
    const make = () => scriptward.users.generate(projectId, { amount: 3 }, { idempotencyKey: 'once' })
    expect((await make()).user_keys).toEqual((await make()).user_keys)
  })
})
