/**
 * Unauthenticated traffic is cheap: it counts toward the IP address's limit before a body is read, and bodies
 * have tight limits.
 */
import { describe, expect, it, test } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { serverOn } from '../../test/harness.ts'
import { createProject } from '../../test/nouns.ts'
import { answerToBytes } from '../../test/raw-http.ts'
import { endpoints } from '../endpoints.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const crowd = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0])))

describe('a request without a credential outside its body', () => {
  const { at } = serverOn(sqlite, { config: { apiRates: 1, clientRates: 1 } })

  test.each([
    ['/client/v1/check', 120],
    ['/client/v1/exec', 120],
    ['/client/v1/beat', 200],
    ['/v1/account/reset', 100],
  ])('to %s is rejected by its IP address before its body arrives', async (path, burst) => {
    at().clock.now += 600_000
    for (let n = 0; n < burst; n += 1) await at().client().send('POST', path, { body: '{' })
    const answer = await answerToBytes(
      at().url,
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 500\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 429 /)
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/)
    expect(answer).toContain('"type":"rate_limited"')
  })

  test('is counted once: an IP address may send 120 handshakes in a burst', async () => {
    at().clock.now += 600_000
    const statuses: number[] = []
    for (let n = 0; n < 121; n += 1)
      statuses.push((await at().client().send('POST', '/client/v1/exec', { body: 'lp1.x' })).status)
    expect(statuses).toEqual([...Array(120).fill(400), 429])
  })

  test('with its key in the body is served like one with a header', async () => {
    at().clock.now += 600_000
    const owner = await at().createCustomer()
    at().clock.now += 60_000
    let apiKey = owner.apiKey
    for (let n = 0; n < 100; n += 1) {
      const sent = { headers: JSON_TYPE, body: JSON.stringify({ api_key: apiKey }) }
      const answer = await at().client().send('POST', '/v1/account/reset', sent)
      expect(answer.status).toBe(200)
      apiKey = answer.string('api_key')
    }
  })
})

describe('a body', () => {
  const { at } = serverOn(sqlite)

  it('of a client has its own size limit and a rate limit per IP address, at every endpoint that takes one', () => {
    const taking = endpoints.filter(({ auth, method }) => auth === 'client' && method !== 'GET')
    expect(taking.length).toBeGreaterThan(3)
    for (const { name, bodyLimit, addressLimit } of taking)
      expect([name, typeof bodyLimit, addressLimit !== undefined]).toEqual([name, 'number', true])
  })

  it('far beyond its limit is not read to keep the connection', async () => {
    const head =
      'POST /client/v1/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: '
    const answer = await answerToBytes(at().url, `${head}1000000\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect((await answerToBytes(at().url, `${head}6000\r\n\r\n`)).toLowerCase()).not.toContain(
      'connection: close',
    )
  })

  it.each([
    ['/client/v1/check', 4, 600],
    ['/v1/account/reset', 2, 300],
  ] as const)('at %s has at most %i KiB', async (path, _, members) => {
    const owner = await at().createCustomer()
    const { status } = await owner.send('POST', path, { headers: JSON_TYPE, body: crowd(members) })
    expect(status).toBe(413)
  })

  it('with far too many fields is rejected by their count', async () => {
    const owner = await at().createCustomer()
    const path = `/projects/${await createProject(owner)}/edit`
    const answer = await owner.send('POST', path, { headers: JSON_TYPE, body: crowd(60) })
    expect(answer.error.failed).toEqual([
      { field: 'body', errors: [expect.stringMatching(/^has too many fields \(expected: name, /)] },
    ])
  })
})

describe('a query', () => {
  const { at } = serverOn(sqlite)

  it.each(['__proto__', 'constructor', 'toString'])(
    'with a parameter %s is rejected like any unknown one',
    async (name) => {
      const owner = await at().createCustomer()
      for (const path of ['/v1/projects', '/v1/limits', '/data/tiers']) {
        const { status, error } = await owner.get(`${path}?${name}=x`)
        expect([path, status]).toEqual([path, 400])
        expect(error.failed).toMatchObject([
          { field: name, errors: [expect.stringContaining('is not a known field')] },
        ])
      }
    },
  )
})
