/**
 * One account's slow request bodies use a limited share of the memory, and leave other accounts their full
 * share.
 */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'

const MAX_BYTES = 16 * 1_048_576
const LARGE = { users: [{ key: 'key-of-grace', note: 'x' }], from: null }

describe.each(anyEngine)('incoming bodies on $name', (engine) => {
  const { at } = serverOn(engine)

  /** Starts a large upload whose last bytes never arrive. */
  const begin = (owner: Owner, project: string, headers: Record<string, string>): ClientRequest => {
    const path = `/v1/projects/${project}/scripts/new`
    const all = { token: owner.apiKey, 'content-type': 'application/json', ...headers }
    const sent = request(at().url + path, { method: 'POST', headers: all }).on('error', () => {})
    sent.write('{"name": "x"')
    return sent
  }
  const answerOf = async (sent: ClientRequest): Promise<IncomingMessage> =>
    (await once(sent, 'response'))[0] as IncomingMessage
  /** Sends a complete body that is large enough to be counted. Returns the status of the response. */
  const statusOf = async (owner: Owner, project: string) => {
    const path = `/v1/projects/${project}/users/import`
    return (await owner.post(path, { ...LARGE, csv: null, pad: 'x'.repeat(100_000) })).status
  }

  it.each([
    ['with a content length', { 'content-length': `${MAX_BYTES}` }],
    ['without a content length', { 'transfer-encoding': 'chunked' }],
  ])('%s reserve a part of the memory until they are closed', async (_, headers) => {
    const mine = await createOwner(at())
    const other = await createOwner(at())
    const sent = Array.from({ length: 6 }, () => begin(mine.owner, mine.project, headers))
    const refused = await Promise.race(sent.map(answerOf))
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    // Unknown fields are rejected after the body is read.
    expect(await statusOf(other.owner, other.project)).toBe(400)
    for (const one of sent) one.destroy()
    await expect.poll(() => statusOf(mine.owner, mine.project)).toBe(400)
  })
})
