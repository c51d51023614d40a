/** Addresses that a proxy forwards together with the client's port. */
import { expect, it } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { serverOn } from '../../test/harness.ts'

const { at } = serverOn(sqlite, { config: { trustProxy: ['127.0.0.1'] } })

it.each([
  ['203.0.113.7:4711', 200],
  ['198.51.100.1:1, 203.0.113.7:4711', 200],
  ['[2001:db8::7]:4711', 200],
  ['[2001:db8::7]', 200],
  ['2001:db8::7', 200],
  ['198.51.100.1:4711', 403],
])('a client with the forwarded address %s is recognized by it', async (forwarded, status) => {
  const owner = await at().createCustomer()
  const networks = ['203.0.113.0/24', '2001:db8::/48']
  const made = await owner.post('/v1/tokens/new', { name: 'CI', scopes: ['projects:read'], networks })
  const headers = { 'x-forwarded-for': forwarded }
  const answer = await at().client(made.string('secret')).send('GET', '/v1/projects', { headers })
  expect(answer.status).toBe(status)
})
