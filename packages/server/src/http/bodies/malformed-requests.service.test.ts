/** Malformed requests of every kind are rejected before they have any effect. */
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { createAdSystem, createCheckpoint, DRAFT } from '../../../test/endpoints/v1/checkpoints.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { answerToBytes } from '../../../test/raw-http.ts'

const MANY = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`extra${index}`, index]))

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const project = async () => {
    const { owner, project } = await createOwner(at())
    return { owner, path: `/projects/${project}` }
  }
  const fieldsOf = async (owner: Owner, path: string, body: unknown) => {
    const { status, error } = await owner.post(path, body)
    const failed = (error.failed ?? []) as { field: string; errors: string[] }[]
    return { status, fields: failed.map(({ field }) => field), words: failed.flatMap(({ errors }) => errors) }
  }

  test('many unknown fields do not hide an invalid known one', async () => {
    const { owner, path } = await project()
    const before = (await owner.get(path)).text
    const few = Object.entries(MANY).slice(0, 8)
    const body = { ...Object.fromEntries(few), fingerprint_reset_cooldown: -5 }
    const { status, fields, words } = await fieldsOf(owner, `${path}/edit`, body)
    expect(status).toBe(400)
    expect(fields).toContain('extra0')
    expect(words[0]).toMatch(/^is not a known field \(expected: name, /)
    expect((await owner.get(path)).text).toBe(before)
  })

  test('many unknown query parameters are rejected', async () => {
    const { owner, path } = await project()
    const query = Object.entries(MANY)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')
    expect((await owner.get(`${path}/users?${query}`)).status).toBe(400)
  })

  test('many build options and a long seed are rejected, and nothing is built', async () => {
    const { owner, path } = await project()
    const send = (options: object) =>
      fieldsOf(owner, `${path}/scripts/new`, { name: 'x', script: 'f()', options })
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`option${index}`, 1]))
    const refused = { status: 400, words: ['must have at most 100 fields'] }
    expect(await send(many)).toMatchObject({ ...refused, fields: ['options'] })
    expect(await send({ seed: 'x'.repeat(256) })).toEqual({
      ...{ status: 400, fields: ['options.seed'], words: ['must have at most 255 characters'] },
    })
    expect((await send({ seed: 'x'.repeat(255) })).status).toBe(200)
  })

  test('many unknown settings of an ad provider are rejected', async () => {
    const made = await createAdSystem(at())
    await made.owner.post(`${made.path}/prepare`)
    const draft = { ...DRAFT, provider_data: { ...DRAFT.provider_data, ...MANY } }
    const { error } = await made.owner.post(`${made.path}/new`, draft)
    expect(error).toMatchObject({ code: 3, type: 'invalid_provider_data' })
  })

  test('an id that looks like the name of a cached value finds nothing', async () => {
    const made = await createAdSystem(at())
    await createCheckpoint(made)
    expect((await fetch(`${at().url}/ads/${made.id}`)).status).toBe(200)
    const { owner, id } = made
    for (const name of [`ad system ${id}`, `checkpoints of ${id}`, `project ${id}`, 'a%00b']) {
      const { status, error } = await owner.get(`/projects/${name.replaceAll(' ', '%20')}`)
      expect([status, error.type]).toEqual([404, 'not_found'])
    }
  })

  test('a list that is too long is rejected by its length, regardless of its contents', async () => {
    const { owner } = await project()
    const body = { session_ids: Array.from({ length: 2000 }, () => 0) }
    const { status, words } = await fieldsOf(owner, '/v1/sessions/disconnect', body)
    expect({ status, words }).toEqual({ status: 400, words: ['must have at most 1000 items'] })
  })

  test('a string that cannot be stored is reported with its index in a list', async () => {
    const { owner } = await project()
    const { fields } = await fieldsOf(owner, '/v1/sessions/disconnect', { session_ids: ['x', 'a\0b'] })
    expect(fields).toEqual(['session_ids.1'])
  })

  test('a body that is too large is rejected whether or not it declares its length', async () => {
    const { owner, path } = await project()
    const limit = at().deps.config.bodyLimit
    const head = `POST ${path}/edit HTTP/1.1\r\nhost: a\r\ntoken: ${owner.apiKey}\r\ncontent-type: application/json\r\n`
    const announced = `${head}content-length: ${limit + 1}\r\n\r\n`
    const chunk = `${limit.toString(16)}\r\n${'x'.repeat(limit)}\r\n`
    for (const text of [announced, `${head}transfer-encoding: chunked\r\n\r\n${chunk}${chunk}`]) {
      const answer = await answerToBytes(at().url, text)
      expect(answer).toMatch(/^HTTP\/1\.1 413 /)
      expect(answer).toContain(`"limit":${limit}`)
    }
  })

  test('malformed HTTP gets a JSON response, and its connection is closed', async () => {
    const answer = await answerToBytes(at().url, 'NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nx-request-id: [\w-]{8,}\r\n/)
    expect(answer).toContain('"type":"invalid_request"')
    expect(answer).toContain('\r\nconnection: close\r\n')
  })

  test('a path outside the directory of the pages is not found', async () => {
    expect(await statusOf(at().url, '/docs/')).toBe(200)
    for (const path of [
      '/docs/%2e%2e/package.json',
      '/docs/..%2fpackage.json',
      '/docs/%00',
      '/docs/.%2e/%2e%2e/x',
    ])
      expect(await statusOf(at().url, path)).toBe(404)
    expect(at().log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
})

/** `fetch` would normalize the path. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, path }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject).end()
  })
}
