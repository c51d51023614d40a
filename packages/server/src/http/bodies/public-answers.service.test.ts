/** Responses without secrets are compressed and cacheable. Unlisted files are not served. */
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createProject, createScript } from '../../../test/nouns.ts'
import { endpoints } from '../../endpoints.ts'

const GZIP = { 'accept-encoding': 'gzip' }

describe('a response without secrets', () => {
  const { at } = serverOn(sqlite)
  const get = (path: string, headers: Record<string, string> = {}) => rawGet(at().url + path, headers)

  it.each([
    ['/openapi.json', 'no-cache'],
    ['/dashboard/', 'no-cache'],
    ['/docs/start.js', 'no-cache'],
  ])(
    'at %s is compressed for clients that accept it, and not resent to those that have it',
    async (path, cache) => {
      const plain = await get(path)
      expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined])
      const packed = await get(path, GZIP)
      expect(packed.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': cache })
      if (plain.body.length > 1024) {
        expect(packed.headers['content-encoding']).toBe('gzip')
        expect(packed.body.length).toBeLessThan(plain.body.length / 2)
        expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
      }
      const again = await get(path, { ...GZIP, 'if-none-match': String(packed.headers.etag) })
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, packed.headers.etag])
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    },
  )

  it('of a file that the build has compressed is sent as that, unless the client accepts only gzip', async () => {
    const [, path = ''] =
      / src="(\/dashboard\/assets\/index[^"]+)"/.exec(String((await get('/dashboard/')).body)) ?? []
    const plain = await get(path)
    const packed = await get(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(packed.body).equals(plain.body)).toBe(true)
    const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' })
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', etag: packed.headers.etag })
    expect(packed.body.length).toBeLessThan(gzip.body.length)
    expect((await get(`${path}.br`)).status).toBe(404)
  })

  it("of a script's source is compressed", async () => {
    const owner = await at().createCustomer()
    const script = await createScript(owner, await createProject(owner), {
      script: `print('${'long '.repeat(1000)}')`,
    })
    const path = `/v1/scripts/${script}/versions/1/source`
    const token = { token: owner.apiKey }
    const { body, headers } = await get(path, { ...token, ...GZIP })
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).equals((await get(path, token)).body)).toBe(true)
  })

  it.each([
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['br, gzip;q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0, *', undefined],
  ])('to a client that accepts %s has the encoding %s', async (accepted, encoding) => {
    const { headers } = await get('/openapi.json', { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
  })
})

describe('a response with a secret', () => {
  const { at } = serverOn(sqlite)

  it('is never compressed: keys, data encrypted for clients, and pages with forms', async () => {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    await owner.post(`/projects/${project}/users/generate`, { amount: 50 })
    const script = await createScript(owner, project)
    const headers = { token: owner.apiKey, 'accept-encoding': 'gzip, br, deflate' }
    for (const path of [`/projects/${project}/users`, `/client/v1/loader/${script}`, '/me']) {
      const answer = await rawGet(at().url + path, headers)
      expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, undefined])
      expect(answer.body.length).toBeGreaterThan(1024)
    }
  })

  it('is declared by no endpoint that compresses', () => {
    const secret = /key|token|secret|webhook/i
    // In these responses, "key" appears only in option names and in counts of keys.
    const harmless = ['v1.obfuscator.options', 'v1.adSystems.days']
    const lua = ['client.library', 'client.libraryWindow']
    const compressing = endpoints.filter(({ compresses }) => compresses !== undefined)
    expect(compressing.length).toBeGreaterThan(5)
    for (const { name, auth, response } of compressing) {
      expect([name, auth === 'client' && !lua.includes(name)]).toEqual([name, false])
      if (!harmless.includes(name))
        expect([name, membersOf(response).filter((one) => secret.test(one))]).toEqual([name, []])
    }
  })
})

describe('an unlisted file', () => {
  const { at } = serverOn(sqlite)

  it.each([
    '/dashboard/.sources',
    '/dashboard/assets',
    '/dashboard/assets/',
    '/dashboard/assets/..%2f.sources',
    '/docs/package.json',
    '/docs/README.md',
    '/docs/index.js',
    '/docs/start.js.map',
    '/docs/__proto__',
  ])('such as %s is not served', async (path) => {
    const { status, body } = await rawGet(at().url + path, {})
    expect([status, String(body)]).toEqual([404, expect.stringContaining('"type":"invalid_endpoint"')])
  })
})

function membersOf(schema: object): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object }
  const inside = Object.entries(properties).flatMap(([name, one]) => [name, ...membersOf(one)])
  return [...inside, ...(items ? membersOf(items) : [])]
}

type Raw = {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** `fetch` would decompress the response. */
function rawGet(url: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      const parts: Buffer[] = []
      response
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
        )
    })
    sent.on('error', reject).end()
  })
}
