/**
 * Tests a standalone loader file against a man in the middle that runs its own server. The Scriptward server
 * and the interpreters are real.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Peer } from '../packages/client/test/peer.ts'
import { type Outcome, runLoader, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { rotateKeyring } from '../packages/server/src/platform/secrets/keyring.ts'
import { anyEngine, sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn, startServer, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { Recorder } from './recorder.ts'

const SCRIPT = 'print("the script of its author")'
const RAN = { status: 0, stdout: 'the script of its author\n', stderr: '' }
const THEIRS = 'return function() print("the script of somebody else") end'
const NOT_SIGNED = 'scriptward: the boot record is not signed by the server that issued this loader'

type Job = { readonly owner: Owner; readonly scriptId: string; readonly key: string }

async function newJob(server: TestServer): Promise<Job> {
  const { owner, project } = await createOwner(server)
  const scriptId = await createScript(owner, project, { script: SCRIPT })
  return { owner, scriptId, key: await createUser(owner, project) }
}

async function fileOf({ owner, scriptId }: Job, query = ''): Promise<string> {
  const { status, text, headers } = await owner.get(`/v1/scripts/${scriptId}/loader-file${query}`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=us-ascii'])
  expect(text).toMatch(/^[\n\t\x20-\x7e]+$/)
  return text
}

function run({ key }: Job, text: string, command = 'lua5.1'): Promise<Outcome> {
  return runLoader({ command, text, before: `script_key = "${key}"`, env: TRANSPORTS.LuaSocket })
}

describe.each(anyEngine)('a loader file on $name', (engine) => {
  const { at } = serverOn(engine)

  test.each([
    ['lua5.1', '?rt=51'],
    ['luajit', '?rt=jit'],
    ['lua5.4', ''],
  ])('runs again and again in %s', async (command, query) => {
    const job = await newJob(at())
    const text = await fileOf(job, query)
    for (let i = 0; i < 2; i++) expect(await run(job, text, command)).toEqual(RAN)
    expect((await job.owner.get(`/v1/users/${job.key}`)).body.user).toMatchObject({ executions: 2 })
  })
})

describe('a man in the middle with their own server', () => {
  const { at } = serverOn(sqlite)
  const thief = new Peer()
  let between: Recorder
  beforeAll(async () => {
    await thief.listen()
    between = await new Recorder(at().url, (url) => {
      if (url.includes('/loader/')) return thief.loader()
      return url.includes('/boot?') ? JSON.stringify(thief.bootRecord()) : undefined
    }).listen()
  })
  beforeEach(() => thief.reset({ script: THEIRS }))
  afterAll(() => Promise.all([thief.close(), between.close()]))

  test('gets the key of a user who downloads the loader through them, and runs their script there', async () => {
    const job = await newJob(at())
    const text = await (await fetch(`${between.url}/client/v1/loader/${job.scriptId}`)).text()
    expect((await run(job, text)).stdout).toBe('the script of somebody else\n')
    expect(thief.hellos[0]?.key).toBe(job.key)
  })

  test('gets nothing from a loader file, which neither runs their script nor sends the key', async () => {
    const job = await newJob(at())
    const text = (await fileOf(job)).replaceAll(at().url, between.url)
    expect(text).toContain(between.url)
    const before = between.exchanges.length
    const { status, stdout, stderr } = await run(job, text)
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(NOT_SIGNED)])
    expect(between.exchanges.slice(before).map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /client/v1/boot?script=${job.scriptId}`,
    ])
    expect(thief.exchanges).toEqual([])
  })

  test('gets no key by forwarding a genuine boot record with their own key', async () => {
    const job = await newJob(at())
    const own = { ek: thief.bootRecord().ek }
    const changing = await new Recorder(at().url, (url, answer) =>
      url.includes('/boot?') ? JSON.stringify({ ...JSON.parse(answer), ...own }) : undefined,
    ).listen()
    const { stderr } = await run(job, (await fileOf(job)).replaceAll(at().url, changing.url))
    await changing.close()
    expect(stderr).toContain(NOT_SIGNED)
    expect(changing.exchanges).toHaveLength(1)
  })
})

describe("when the server's keys are rotated", () => {
  test('a loader file works after one rotation and is rejected after two', async () => {
    let server = await startServer(sqlite)
    const { location, url } = server
    const job = await newJob(server)
    const text = await fileOf(job)
    const runNow = () => run(job, text.replaceAll(url, server.url))
    const rotate = async () => {
      await server.stop()
      await rotateKeyring(location, { random: randomBytes, now: Date.now() })
      server = await startServer(sqlite, { location })
    }
    try {
      await rotate()
      expect(await runNow()).toEqual(RAN)
      await rotate()
      expect((await runNow()).stderr).toContain('download a new loader')
    } finally {
      await server.close()
    }
  })
})
