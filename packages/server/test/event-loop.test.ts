/**
 * Tests that a large body, whether rejected or accepted, does not block the event loop for more than 50 ms.
 * The test measures the CPU time of the main thread, scaled by the speed of the machine, because wall time
 * depends on other load.
 */
import { Worker } from 'node:worker_threads'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import type { Endpoint } from '../src/api/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import { sqlite } from './databases.ts'
import { serverOn } from './harness.ts'
import { createPerson, signIn } from './people.ts'
import { type Furnished, furnish, pathOf } from './subjects.ts'

const MAX_MS = 50
/**
 * This 32 MiB body is copied to a child process in one piece, at about 2 ms per MiB. Smaller bodies stay
 * below the limit.
 */
const MAX_IMPORT_MS = 100
/** CPU time of `calibrate` on the machine where the limit was set. */
const USUAL_MS = 40

/** Sends bodies from another thread, so that creating them doesn't use the server thread's CPU time. */
const SENDER = `
const { parentPort } = require('node:worker_threads')
const many = (count, one) => Array.from({ length: count }, (_, i) => one(i)).join(',')
const MAKE = {
  text: (size) => '"' + 'x'.repeat(size) + '"',
  list: (size, most) => '[' + many(Math.min(size / 2, most), () => '0') + ']',
  object: (size, most) => '{' + many(Math.min(size / 12, most), (i) => '"k' + i + '":0') + '}',
}
parentPort.on('message', async ({ url, method, headers: own, kind, size, most, names, make }) => {
  const each = Math.floor(size / (names.length || 1)) - 100
  const members = names.map((name) => JSON.stringify(name) + ':' + MAKE[kind](each, most / (names.length || 1)))
  const made = names.length === 0 ? MAKE.object(size, Infinity) : '{' + members.join(',') + '}'
  const body = make === undefined ? made : JSON.stringify(new Function('return ' + make)())
  const headers = { ...own, 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, body }).catch((error) => ({ status: String(error), text: () => '' }))
  await answer.text()
  parentPort.postMessage(answer.status)
})`

type Order = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly kind: 'text' | 'list' | 'object'
  readonly size: number
  /** Total number of fields in the body. */
  readonly most: number
  readonly names: readonly string[]
  /** JavaScript that creates the body, in place of a predefined kind. */
  readonly make?: string
}

let sender: Worker
beforeAll(() => {
  sender = new Worker(SENDER, { eval: true })
})
afterAll(() => sender.terminate())

function send(order: Order): Promise<unknown> {
  return new Promise((resolve) => {
    sender.once('message', resolve)
    sender.postMessage(order)
  })
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Returns the minimum of up to three measurements: a blocking call blocks every time, whereas cache
 * contention varies.
 */
async function leastPiece(work: () => Promise<unknown>, allowed: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && least > allowed; i += 1) least = Math.min(least, await longestPiece(work))
  return least
}

/** The maximum CPU time that this thread uses in one turn of the event loop while work runs elsewhere. */
async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const done = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const before = cpuMs()
    await new Promise(setImmediate)
    longest = Math.max(longest, cpuMs() - before)
  }
  await done
  return longest
}

function calibrate(): number {
  const before = cpuMs()
  let sum = 0
  for (let i = 0; i < 20; i++) sum += JSON.parse(`[${'12345,'.repeat(40_000)}${i}]`).length
  return sum > 0 ? cpuMs() - before : 0
}

const withBody = endpoints.filter(({ method, consumes }) => method !== 'GET' && consumes !== 'text')

/** The largest bodies accepted by the endpoints with the highest limits. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'v1.projectUsers.import':
    '({ users: Array.from({ length: 20000 }, (_, i) => ({ note: "n" + i, tags: ["a", "b"] })) })',
  'v1.projectUsers.generate': '({ amount: 10000 })',
  'v1.variables.replace':
    '({ version: 0, variables: Object.fromEntries(Array.from({ length: 250 }, (_, i) => ["v" + i, { value: Array(100).fill(0) }])) })',
  'v1.users.edit':
    '({ metadata: Object.fromEntries(Array.from({ length: 64 }, (_, i) => ["m" + i, Array(50).fill(0)])) })',
  'v1.scripts.traceback': '({ text: "Garden:12: nil\\n".repeat(66000) })',
  'v1.scripts.trace': '({ text: "{".repeat(1000000) })',
  'v1.serverFunctions.put': '({ source: "return function() end" + " ".repeat(65000) })',
  'v1.serverFunctions.try': '({ values: ["x".repeat(16000)] })',
  'v1.projectScripts.create':
    '({ name: "large", script: "local a = 1\\n".repeat(150) + "--" + "x".repeat(500000) })',
}
const namesOf = ({ body }: Endpoint): string[] =>
  Object.keys((body as TSchema & { properties?: object }).properties ?? {})

// Runs only in nightly tests, because other load on the machine affects CPU time through the CPU caches.
describe.runIf(effort({ day: false, night: true }))(
  'the worst bodies block the server for 50 ms at most',
  () => {
    const { at } = serverOn(sqlite)
    let mine: Furnished
    let person: Readonly<Record<string, string>>
    let slowness: number
    beforeAll(async () => {
      mine = await furnish(at())
      person = await signIn(at(), await createPerson(at(), mine.owner.id))
      calibrate()
      slowness = Math.max(1, Math.min(calibrate(), calibrate(), calibrate()) / USUAL_MS)
    })

    const sizeOf = ({ bodyLimit }: Endpoint) => {
      const { config } = at().deps
      if (bodyLimit === 'import') return config.importBodyLimit
      return bodyLimit === 'script' ? 2 * config.scriptLimit : (bodyLimit ?? config.bodyLimit)
    }

    const allowedFor = ({ bodyLimit }: Endpoint) =>
      (bodyLimit === 'import' ? MAX_IMPORT_MS : MAX_MS) * slowness
    const headersFor = ({ auth }: Endpoint) =>
      auth === 'person' ? person : { token: (auth === 'admin' ? at().admin : mine.owner).apiKey ?? '' }

    test.each(withBody.map((one) => [`${one.method} ${one.path}`, one] as const))(
      '%s',
      async (_, endpoint) => {
        const names = namesOf(endpoint)
        const common = {
          url: at().url + pathOf(endpoint, mine.ids),
          method: endpoint.method,
          headers: headersFor(endpoint),
          size: sizeOf(endpoint) - 100,
        }
        const most = (endpoint.mostMembers ?? 10_000) - 100
        const orders: Order[] = [
          { ...common, kind: 'object', most, names: [] },
          ...(names.length === 0
            ? []
            : (['text', 'list', 'object'] as const).map((kind) => ({ ...common, kind, most, names }))),
        ]
        // The first request compiles the schemas and their validators.
        await send({ ...common, kind: 'object', size: 2000, most: 10, names: names.slice(0, 1) })
        const allowed = allowedFor(endpoint)
        const pieces: Record<string, number> = {}
        for (const order of orders)
          pieces[`${order.kind} ${order.names.length}`] = Math.round(
            await leastPiece(() => send(order), allowed),
          )
        expect(Math.max(...Object.values(pieces)), JSON.stringify(pieces)).toBeLessThanOrEqual(allowed)
      },
    )

    test.each(Object.entries(ACCEPTED))('accepted: %s', async (name, make) => {
      const endpoint = endpoints.find((one) => one.name === name)
      if (endpoint === undefined) throw new Error(`no endpoint ${name}`)
      const order: Order = {
        ...{ url: at().url + pathOf(endpoint, mine.ids), method: endpoint.method, make },
        ...{ headers: headersFor(endpoint), kind: 'text', size: 0, most: 0, names: [] },
      }
      await send({ ...order, make: '({})' })
      let status: unknown
      const longest = await longestPiece(async () => {
        status = await send(order)
      })
      expect(status).toBe(200)
      expect(longest).toBeLessThanOrEqual(allowedFor(endpoint))
    })
  },
)
