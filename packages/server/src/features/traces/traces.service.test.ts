/**
 * Traces sent to a collector: which operations become spans, how they nest, and what happens if the collector
 * fails.
 */
import { once } from 'node:events'
import { get, request } from 'node:http'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { type Collector, type SentSpan, startCollector } from '../../../test/collector.ts'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createOwner, createUser } from '../../../test/nouns.ts'
import { inOwnFolder, SOURCES, serve, stop } from '../../../test/own-process.ts'
import { ended } from '../../../test/patience.ts'
import { ok, startReceiver } from '../../../test/webhooks/receiver.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const TOKEN = 'secret-of-the-collector'

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.close())

/**
 * Runs a server while `deed` runs, stops the server, and returns the spans that it sent, once `last` is among
 * them. A server that stops waits for its last export for only two seconds.
 */
async function spansOf(
  engine: typeof sqlite,
  last: (span: SentSpan) => boolean,
  deed: (server: TestServer) => Promise<unknown>,
  config: Parameters<typeof startServer>[1] = {},
): Promise<SentSpan[]> {
  const otlp = { url: collector.url, headers: { authorization: `Bearer ${TOKEN}` } }
  const server = await startServer(engine, { config: { otlp, ...config.config } })
  await deed(server).finally(() => server.stop().catch(() => {}))
  await server.location.remove()
  await expect.poll(() => collector.spans().some(last)).toBe(true)
  return collector.spans()
}
const named = (spans: readonly SentSpan[], name: string) => spans.filter((span) => span.name === name)

describe.each(anyEngine)('a request on $name', (engine) => {
  it("is a span with its route pattern, in the caller's trace, which its log lines name", async () => {
    let lines: readonly string[] = []
    const isLast = ({ traceId }: SentSpan) => traceId === TRACE
    const spans = await spansOf(engine, isLast, async (server) => {
      const { owner } = await createOwner(server)
      const headers = {
        traceparent: `00-${TRACE}-${PARENT}-01`,
        tracestate: 'a=b',
        'x-request-id': 'request-1',
      }
      await fetch(`${server.url}/customers/${owner.apiKey}`, { headers })
      await fetch(`${server.url}/customers/none`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
      lines = server.log.filter((line) => line.includes('request-1'))
    })
    const [span] = spans.filter(({ traceId }) => traceId === TRACE)
    expect(span).toMatchObject({ name: 'GET /customers/:api_key', kind: 2, parentSpanId: PARENT })
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/customers/:api_key',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
      'scriptward.request_id': 'request-1',
    })
    expect(span?.status.code).toBe(0)
    // The caller decides whether its trace is sampled.
    expect(spans.filter(({ traceId }) => traceId === TRACE)).toHaveLength(1)
    expect(lines.map((line) => JSON.parse(line).trace_id)).toEqual([TRACE])
    expect(collector.headers[0]).toMatchObject({
      ':path': '/v1/traces',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
    })
    expect(collector.resources()[0]).toEqual({
      'service.name': 'scriptward',
      'service.version': manifest.version,
      'service.instance.id': expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })

  it('has no route where none matched, and fails when the status is 500', async () => {
    const isLast = ({ name }: SentSpan) => name === 'GET /v1/projects'
    const spans = await spansOf(engine, isLast, async (server) => {
      const ask = async (path: string, method = 'GET') => {
        const [answer] = await once(request(server.url + path, { method }).end(), 'response')
        answer.resume()
        await once(answer, 'end')
      }
      await ask('/none')
      await ask('/%ff')
      await ask('/none', 'PROPFIND')
      await upgrade(server.url)
      await server.deps.db.close()
      await fetch(`${server.url}/v1/projects`, { headers: { token: 'sw_none' } })
    })
    const found = spans.map(({ name, kind, status, attributes }) => [
      name,
      kind,
      status.code,
      attributes['http.response.status_code'],
      attributes['http.route'],
      attributes['error.type'],
    ])
    expect(found).toEqual(
      expect.arrayContaining([
        ['GET', 2, 0, 404, undefined, undefined],
        ['HTTP', 2, 0, 404, undefined, undefined],
        ['GET /client/v1/ws', 2, 0, 101, '/client/v1/ws', undefined],
        ['GET /v1/projects', 2, 2, 500, '/v1/projects', '500'],
      ]),
    )
    expect(named(spans, 'GET')).toHaveLength(2)
    expect(named(spans, 'HTTP')[0]?.attributes['http.request.method']).toBe('_OTHER')
  })
})

/** Returns as soon as the response arrives. */
async function upgrade(url: string): Promise<void> {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const asked = get(`${url}/client/v1/ws`, {
    headers: { ...headers, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
  })
  const [, socket] = await once(asked, 'upgrade')
  socket.destroy()
}

describe.each(anyEngine)('background work on $name', (engine) => {
  it("of builds, webhooks and jobs has spans, and the span of a build is a child of its request's", async () => {
    const receiver = await startReceiver(ok)
    const config = { jobs: true, webhookAllowHttp: true, webhookAllowCidr: ['127.0.0.0/8'] }
    let project = ''
    const isLast = ({ name, status }: SentSpan) => name === 'job chain-audit' && status.code === 2
    const spans = await spansOf(
      engine,
      isLast,
      async (server) => {
        const owned = await createOwner(server, {}, { information_webhook: receiver.url })
        project = owned.project
        const upload = (script: string) =>
          owned.owner.post(`/v1/projects/${project}/scripts/new`, { name: 'S', script })
        expect((await upload('print(1)')).status).toBe(200)
        expect((await upload('print(')).status).toBe(422)
        await createUser(owned.owner, project)
        // On a busy machine, the server may give up on a connection. It then tries again seconds later.
        const received = () => {
          server.clock.now += 1000
          return receiver.received.length
        }
        await expect.poll(received).toBeGreaterThan(0)
        await expect.poll(() => hasRun(server, 'prune')).toBe(true)
        await server.deps.db.close()
        await expect.poll(() => failed(server, 'chain-audit')).toBe(true)
      },
      { config },
    )
    await receiver.close()
    const uploads = named(spans, 'POST /v1/projects/:project_id/scripts/new')
    const builds = named(spans, 'build script')
    expect(builds.map(({ parentSpanId }) => parentSpanId)).toEqual(uploads.map(({ spanId }) => spanId))
    expect(builds.map(({ attributes }) => attributes)).toMatchObject([
      { 'scriptward.outcome': 'built', 'scriptward.preset': 'strong', 'scriptward.target': 'any' },
      { 'scriptward.outcome': 'refused' },
    ])
    const delivery = named(spans, 'deliver webhook').at(-1)
    expect(delivery?.kind).toBe(3)
    expect(delivery?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'scriptward.project_id': project,
      'scriptward.webhook': 'information',
      'scriptward.events': 1,
    })
    expect(named(spans, 'job prune')[0]).toMatchObject({ kind: 1, status: { code: 0 } })
    const [chaining] = spans.filter(isLast)
    expect(chaining?.attributes['error.type']).toMatch(/^\w+$/)
    expect(chaining?.status).not.toHaveProperty('message')
    // Jobs poll four times a second. Spans of polls that find nothing would fill most of a trace.
    expect(named(spans, 'job deliver-webhooks').filter(isShort)).toEqual([])
  })
})

const isShort = ({ status, startTimeUnixNano: from, endTimeUnixNano: to }: SentSpan) =>
  status.code === 0 && BigInt(to) - BigInt(from) < 90_000_000n
const jobOf = ({ deps }: TestServer, name: string) => deps.jobs.list().find((job) => job.name === name)
const hasRun = (server: TestServer, name: string) => {
  const job = jobOf(server, name)
  return (job?.last_run_at ?? null) !== null && job?.next_run_at !== null
}
const failed = (server: TestServer, name: string) => (jobOf(server, name)?.last_error_at ?? null) !== null

describe('an unreachable collector', () => {
  const warnings = (server: TestServer) =>
    server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('traces '))

  it.each(['refuses', 'hangs', 'answers 500'])(
    'that %s causes one warning and fails no request and no shutdown',
    async (how) => {
      const socket = createServer((one) => {
        one.on('error', () => {})
        if (how === 'answers 500')
          one.once('data', () => one.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'))
      }).listen(0, '127.0.0.1')
      await once(socket, 'listening')
      // Another test's server could take the port of a closed listener, but not port 1.
      const { port } = how === 'refuses' ? { port: 1 } : (socket.address() as { port: number })
      const server = await startServer(sqlite, {
        config: { otlp: { url: `http://127.0.0.1:${port}`, headers: {} } },
      })
      const statuses = new Set<number>()
      const ask = async () => statuses.add((await fetch(`${server.url}/healthz`)).status)
      // Creates more than one batch of spans, so that the first batch is sent immediately. Requests are sent
      // in rounds, because a busy machine would reset this many simultaneous connections.
      for (let round = 0; round < 11; round++) await Promise.all(Array.from({ length: 100 }, ask))
      expect(statuses).toEqual(new Set([200]))
      await expect.poll(() => warnings(server)).toHaveLength(1)
      expect(warnings(server)).toMatchObject([
        { level: 'warn', msg: 'traces cannot be sent to SCRIPTWARD_OTLP_URL', error: expect.anything() },
      ])
      await ended(server.close())
      expect(warnings(server)).toHaveLength(1)
      socket.close()
    },
  )
})

describe('without a collector', () => {
  inOwnFolder()
  // Metrics use only the small OpenTelemetry API, and no part of its implementation.
  const TELLS = `import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) {
    if (/opentelemetry\\/(?!api$)|otlp/.test(name)) process._rawDebug('loads ' + name); return next(name, context) } })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(TELLS)}`

  test('no tracing library is loaded', async () => {
    const without = await serve({ NODE_OPTIONS }, SOURCES)
    await fetch(`${without.url}/v1/projects`)
    await stop(without)
    expect(without.err()).not.toContain('loads ')
    const traced = await serve({ NODE_OPTIONS, SCRIPTWARD_OTLP_URL: collector.url }, SOURCES)
    await fetch(`${traced.url}/v1/projects`)
    await expect.poll(() => named(collector.spans(), 'GET /v1/projects')).toHaveLength(1)
    await stop(traced)
    expect(traced.err()).toContain('loads @opentelemetry/sdk-trace')
  })
})
