/**
 * Starts a real server on a real engine, with a client that checks every response against its declaration.
 *
 *     describe.each(engines)('… on $name', (engine) => {
 *       const { at } = serverOn(engine)
 *       it('…', async () => {
 *         const owner = await at().createCustomer()
 *         const made = await owner.post('/v1/projects/new', { name: 'First' })
 *         expect(made.status).toBe(200)
 *         await owner.get(`/projects/${made.string('project_id')}`)
 *
 * One server serves all tests of a `describe`; each test creates its own accounts, so nothing is cleared in
 * between. The clock moves only when a test sets `at().clock.now`. `startServer` is for tests that stop or
 * restart a server.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type Config, readConfig } from '../src/config/config.ts'
import type { Deps } from '../src/deps.ts'
import { makeLog } from '../src/log.ts'
import { start } from '../src/start.ts'
import { type Answer, checkAnswer } from './answers.ts'
import type { Engine, Location } from './databases.ts'
import { sharedObfuscator } from './obfuscation/shared-obfuscator.ts'

export const ADMIN_KEY = 'key-of-the-first-admin'
/**
 * The middle of a day and a month, so that a test can move the clock by an hour without crossing a boundary.
 */
export const START = Date.UTC(2026, 5, 15, 12)

type Sent = { readonly headers?: Record<string, string>; readonly body?: string | Uint8Array }

export type Client = {
  readonly apiKey: string | undefined
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** An undefined body is not sent. */
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  /** Sends exactly these bytes and headers, in addition to the token. */
  send(method: string, path: string, sent: Sent): Promise<Answer>
}

export type Owner = Client & { readonly apiKey: string; readonly id: string }
export type NewCustomer = { readonly email?: string; readonly tier?: number; readonly plan_expires?: number }

export type TestServer = {
  readonly url: string
  readonly deps: Deps
  readonly clock: { now: number }
  /** Every log line, at the `debug` level unless a test requests another. */
  readonly log: readonly string[]
  readonly location: Location
  readonly admin: Client
  /** A client with this API key, or without a key. */
  client(apiKey?: string): Client
  /** Uses the unlimited tier by default. */
  createCustomer(account?: NewCustomer): Promise<Owner>
  /** Stops the server and keeps its database, for a restart on the same `location`. */
  stop(): Promise<void>
  /** Stops the server and deletes its database. */
  close(): Promise<void>
}

export type Overrides = { readonly config?: Partial<Config>; readonly location?: Location }

/** Starts a server before the tests in this `describe`, and stops it afterward. */
export function serverOn(engine: Engine, overrides: Overrides = {}): { at: () => TestServer } {
  let server: TestServer | undefined
  beforeAll(async () => {
    server = await startServer(engine, overrides)
  })
  afterAll(() => server?.close())
  return {
    at: () => {
      if (!server) throw new Error('the server starts with the first test: ask for it inside a test')
      return server
    },
  }
}

export async function startServer(engine: Engine, overrides: Overrides = {}): Promise<TestServer> {
  const location = overrides.location ?? (await engine.locateMigrated())
  const clock = { now: START }
  const lines: string[] = []
  const config = { ...testConfig(location), ...overrides.config }
  const log = makeLog(config.logLevel, { write: (line) => void lines.push(line) })
  const hasOwnBuilds = Object.keys(overrides.config ?? {}).some((name) => name.startsWith('obfuscation'))
  const builds = hasOwnBuilds ? {} : { obfuscator: sharedObfuscator(config) }
  const surroundings = { now: () => clock.now, random: randomBytes, log, ...builds }
  const running = await start(config, { ...surroundings, writesCounts: config.jobs })
  const admin = clientOf(running.url, ADMIN_KEY)
  return {
    url: running.url,
    deps: running.deps,
    clock,
    log: lines,
    location,
    admin,
    client: (apiKey) => clientOf(running.url, apiKey),
    createCustomer: (account) => createCustomer(running.url, admin, account),
    stop: () => running.close(),
    close: async () => {
      await running.close()
      await location.remove()
    },
  }
}

function testConfig({ dataDir, databaseUrl }: Location): Config {
  return {
    ...readConfig({
      SCRIPTWARD_PORT: '0',
      SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
      SCRIPTWARD_LOG_LEVEL: 'debug',
      SCRIPTWARD_DATA_DIR: dataDir,
    }),
    databaseUrl,
    // All tests share one IP address and send faster than real clients; tests of the limits set their own
    // factor.
    clientRates: 0,
    apiRates: 0,
    // All test clients share one IP address, and the open-file limit differs between machines.
    maxConnections: 10_000,
    maxConnectionsEach: 10_000,
    // A test runs only the job under test, because other jobs would change the state that the test checks.
    jobs: false,
    mail: { url: 'smtp://127.0.0.1:1', from: 'keys@example.com' },
    // Tests must not call Discord or a real ad network.
    discordUrl: undefined,
    adProviders: {
      provider_a: { url: undefined, label: 'Linkvertise', hosts: [] },
      provider_b: { url: undefined, label: 'LootLabs', hosts: [] },
      provider_c: { url: undefined, label: 'Work.ink', hosts: [] },
    },
  }
}

/** Wraps a server that runs in another process. */
export function outside(url: string): Pick<TestServer, 'url' | 'admin' | 'createCustomer'> {
  const admin = clientOf(url, ADMIN_KEY)
  return { url, admin, createCustomer: (account) => createCustomer(url, admin, account) }
}

async function createCustomer(url: string, admin: Client, account: NewCustomer = {}): Promise<Owner> {
  const email = account.email ?? `${randomBytes(8).toString('hex')}@example.com`
  const made = await admin.post('/v1/admin/customers', { tier: 0, ...account, email })
  if (made.status !== 200) throw new Error(`no customer was made: ${made.text}`)
  const { id } = made.body.customer as { id: string }
  const apiKey = made.string('api_key')
  return { ...clientOf(url, apiKey), apiKey, id }
}

function clientOf(url: string, apiKey: string | undefined): Client {
  const token: Record<string, string> = apiKey === undefined ? {} : { token: apiKey }
  const send = async (method: string, path: string, { headers = {}, body }: Sent): Promise<Answer> => {
    const request = { method, headers: { ...token, ...headers }, ...(body === undefined ? {} : { body }) }
    const response = await fetch(url + path, request as RequestInit)
    const answer = answerOf(response, await response.text())
    checkAnswer(method, url + path, answer)
    return answer
  }
  const sendJson = (method: string, path: string, body: unknown) =>
    send(
      method,
      path,
      body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    )
  return {
    apiKey,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body) => sendJson('POST', path, body),
    put: (path, body) => sendJson('PUT', path, body),
    send,
  }
}

function answerOf({ status, headers }: Response, text: string): Answer {
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  const body = isJson ? objectOf(JSON.parse(text)) : {}
  const string = (member: string) => {
    const value = body[member]
    if (typeof value !== 'string')
      throw new Error(`the answer has no text "${member}": ${text.slice(0, 500)}`)
    return value
  }
  return { status, headers, text, body, error: objectOf(body.error), string }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
