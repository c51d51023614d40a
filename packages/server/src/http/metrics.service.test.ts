/** Contents of the metrics at `/metrics`, and access to them. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../test/databases.ts'
import { serverOn, startServer } from '../../test/harness.ts'
import { runningRequests } from '../../test/running-requests.ts'
import { type Furnished, furnish } from '../../test/subjects.ts'

type Sample = { readonly name: string; readonly labels: string; readonly value: number }

function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      return { name, labels, value: Number(value) }
    })
}

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/metrics`, { headers })
  const text = await response.text()
  return { status: response.status, text, samples: response.status === 200 ? samplesOf(text) : [] }
}

describe.each(anyEngine)('metrics on $name', (engine) => {
  const { at } = serverOn(engine)
  let mine: Furnished
  beforeAll(async () => {
    mine = await furnish(at())
  })

  it('count requests by route pattern and never by request data', async () => {
    const { owner, ids } = mine
    for (let n = 0; n < 3; n += 1) await owner.get(`/users/${ids.user_key}`)
    await at().client().get(`/customers/${owner.apiKey}`)
    await at().client().get(`/nowhere/${owner.apiKey}`)
    const { samples, text } = await read(at().url)
    const countOf = (labels: string) =>
      samples.find((one) => one.name.endsWith('_seconds_count') && one.labels === labels)?.value
    expect(countOf('method="GET",route="/users/:user_key",status="200"')).toBe(3)
    expect(countOf('method="GET",route="/customers/:api_key",status="200"')).toBe(1)
    expect(countOf('method="GET",route="none",status="404"')).toBe(1)
    for (const secret of [owner.apiKey, ...Object.values(ids)].filter((noun) => noun.length > 8))
      expect(text).not.toContain(secret)
  })

  it('report the process, the database, the obfuscator and the webhooks', async () => {
    const { samples } = await read(at().url)
    const values = Object.fromEntries(samples.map(({ name, value }) => [name, value]))
    expect(values.scriptward_database_up).toBe(1)
    expect(values.scriptward_database_connections).toBeGreaterThan(0)
    expect(values.scriptward_webhook_events_due).toBeGreaterThan(0)
    expect(values.scriptward_sessions).toBeGreaterThan(0)
    expect(values.process_resident_memory_bytes).toBeGreaterThan(10_000_000)
    for (const name of [
      'scriptward_database_queue_length',
      'scriptward_obfuscations_waiting',
      'scriptward_function_calls_waiting',
      'scriptward_obfuscations_running',
      'scriptward_jobs_waiting',
      'scriptward_jobs_running',
      'nodejs_eventloop_lag_seconds',
    ])
      expect(values[name]).toBeGreaterThanOrEqual(0)
  })

  it('count a request as running from its head to its response, regardless of the status', async () => {
    const { owner, ids } = mine
    const path = `/projects/${ids.project_id}/users/new`
    const body = '{"nope":1}'
    const open = request(at().url + path, {
      method: 'POST',
      headers: { token: owner.apiKey, 'content-type': 'application/json', 'content-length': body.length },
    })
    open.write(body.slice(0, 5))
    await expect.poll(() => runningRequests(at().url)).toBe(1)
    open.end(body.slice(5))
    const [{ statusCode }] = (await once(open, 'response')) as [IncomingMessage]
    expect(statusCode).toBe(400)
    expect(await runningRequests(at().url)).toBe(0)
  })

  it('stop counting a request whose caller disconnected', async () => {
    const open = request(`${at().url}/projects/${mine.ids.project_id}/users/new`, {
      method: 'POST',
      headers: { token: mine.owner.apiKey, 'content-type': 'application/json', 'content-length': 10 },
    })
    open.on('error', () => {})
    open.write('{')
    await expect.poll(() => runningRequests(at().url)).toBe(1)
    open.destroy()
    await expect.poll(() => runningRequests(at().url)).toBe(0)
  })

  it('report an unreachable database instead of failing', async () => {
    const server = await startServer(engine)
    await server.deps.db.close()
    const { status, samples } = await read(server.url)
    expect(status).toBe(200)
    expect(samples.find(({ name }) => name === 'scriptward_database_up')?.value).toBe(0)
    await server.stop().catch(() => {})
    await server.location.remove()
  })
})

describe('metrics without a token', () => {
  const { at } = serverOn(sqlite)

  it.each([
    ...['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip', 'x-client-ip'],
    ...['x-cluster-client-ip', 'true-client-ip', 'cf-connecting-ip', 'x-original-forwarded-for'],
  ])('are unavailable through a proxy: %s', async (header) => {
    expect((await read(at().url)).status).toBe(200)
    const { status, text } = await read(at().url, { [header]: '127.0.0.1' })
    expect(status).toBe(403)
    expect(JSON.parse(text).error.type).toBe('forbidden')
  })
})

describe('metrics on a public host', () => {
  const { at } = serverOn(sqlite)

  it('are unavailable through a proxy that adds no header', async () => {
    const statusOf = async (host: string) => {
      const asked = request(`${at().url}/metrics`, { headers: { host } }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      answer.resume()
      return answer.statusCode
    }
    expect(await statusOf('ward.example')).toBe(403)
    expect(await statusOf('localhost.ward.example:8080')).toBe(403)
    expect(await statusOf('localhost:8080')).toBe(200)
    expect(await statusOf('[::1]:8080')).toBe(200)
  })
})

describe('metrics with a token', () => {
  const { at } = serverOn(sqlite, { config: { metricsToken: 'token-of-the-monitoring' } })

  it('are available to any IP address that sends it', async () => {
    const proxied = { 'x-forwarded-for': '203.0.113.5' }
    const right = { ...proxied, authorization: 'Bearer token-of-the-monitoring' }
    expect((await read(at().url, right)).status).toBe(200)
    for (const authorization of [
      '',
      'Bearer token',
      'Bearer token-of-the-monitorinG',
      'token-of-the-monitoring',
    ])
      expect((await read(at().url, { authorization })).status).toBe(403)
  })
})
