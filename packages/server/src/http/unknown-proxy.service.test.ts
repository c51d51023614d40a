/** A proxy that isn't configured is reported once, with its IP address and the setting. */
import { expect, test } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { startServer } from '../../test/harness.ts'

const isWarning = (line: string) => line.includes('SCRIPTWARD_TRUST_PROXY')

async function warnings(trustProxy: readonly string[], headers: Record<string, string>): Promise<string[]> {
  const server = await startServer(sqlite, { config: { trustProxy } })
  try {
    // A successful request, a failing one, and one without an endpoint.
    for (const path of ['/healthz', '/v1/projects', '/nothing']) await fetch(server.url + path, { headers })
    return server.log.filter(isWarning)
  } finally {
    await server.close()
  }
}

test('X-Forwarded-For from an untrusted IP address causes one warning', async () => {
  const lines = await warnings(['10.0.0.0/8'], { 'x-forwarded-for': '192.0.2.7' })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    peer: '127.0.0.1',
    event: 'unknown_proxy',
    msg: expect.stringContaining('is not in SCRIPTWARD_TRUST_PROXY'),
  })
})

test('a trusted proxy and a client without a proxy cause no warning', async () => {
  expect(await warnings(['127.0.0.1'], { 'x-forwarded-for': '192.0.2.7' })).toEqual([])
  expect(await warnings([], {})).toEqual([])
})
