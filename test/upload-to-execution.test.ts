/**
 * Tests the core use case, end to end: an author uploads a script, and only a licensed customer can run its
 * loader, in the customer's own interpreter. The server, the databases and the interpreters are real, and all
 * traffic is recorded.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS, type Outcome, runLoader, runLuau, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { anyEngine, type Engine, engines } from '../packages/server/test/databases.ts'
import { type Owner, START, serverOn, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { changeRows } from '../packages/server/test/stored.ts'
import { Recorder } from './recorder.ts'

const PROGRAM = `
local secret = "the password of the garden gate"
local Houseplant = {}
Houseplant.__index = Houseplant
function Houseplant.new(name, height) return setmetatable({ name = name, height = height }, Houseplant) end
function Houseplant:grow(by) self.height = self.height + (by or 1) return self end
local garden = {}
for index, name in ipairs({ "rose", "ivy", "oak" }) do garden[index] = Houseplant.new(name, index * 2):grow(index) end
table.sort(garden, function(a, b) return a.name < b.name end)
for _, plant in ipairs(garden) do print(plant.name, plant.height) end
print(select(2, pcall(error, { size = #secret })).size)
print(select('#', ...), (secret:gsub("%a+", string.upper)))
local function sum(first, ...) if first then return first + sum(...) end return 0 end
print(sum(1, 2, 3, 4), 7 % 3, 2 ^ 10 == 1024, not nil, "a" .. 1)
return secret
`
/** Long enough not to occur in a loader or in a response by chance. */
const SECRETS = ['password', 'garden', 'Houseplant', 'PASSWORD']

const DEVICE = 'DEVICE-OF-THE-USER'
const OTHER_DEVICE = 'ANOTHER-DEVICE'

type Job = {
  readonly owner: Owner
  readonly recorder: Recorder
  readonly projectId: string
  readonly scriptId: string
  readonly key: string
}

type Scene = {
  readonly at: () => TestServer
  readonly job: () => Job
  /** Runs a freshly downloaded loader in plain Lua. */
  readonly run: (key: string, device?: string) => Promise<Outcome>
  readonly executions: () => Promise<number>
}

/** Uses one server per engine, because building the loaders takes seconds. */
const servers = engines.map((engine) => ({ engine, at: serverOn(engine).at }))

function serverOf(engine: Engine): TestServer {
  const found = servers.find((each) => each.engine === engine)
  if (found === undefined) throw new Error(`there is no server on ${engine.name}`)
  return found.at()
}

/** Creates an author who has uploaded a script and issued a key. */
function jobOn(engine: Engine): Scene {
  const at = () => serverOf(engine)
  let made: Job | undefined
  const job = () => {
    if (!made) throw new Error('the job is set up with the first test: ask for it inside a test')
    return made
  }
  beforeAll(async () => {
    made = await setUp(at())
  })
  afterAll(() => made?.recorder.close())
  return {
    at,
    job,
    run: async (key, device = DEVICE) =>
      runLoader({ command: 'lua5.1', text: await download(job()), before: prelude(key, device) }),
    executions: async () => {
      const { body } = await job().owner.get(`/users/${job().key}`)
      return (body.user as { executions: number }).executions
    },
  }
}

async function setUp(server: TestServer): Promise<Job> {
  const { owner, project: projectId } = await createOwner(server)
  const scriptId = await createScript(owner, projectId, { script: PROGRAM })
  const key = await createUser(owner, projectId)
  const recorder = await new Recorder(server.url).listen()
  const job = { owner, recorder, projectId, scriptId, key }
  // The first download triggers obfuscated builds of the loader, which users receive from then on.
  await download(job)
  await server.deps.client.loaders.any.settle()
  // A build is packed, unlike the plain loader that is served before the first build.
  expect(await download(job)).toContain('return compile(unpackText(')
  return job
}

async function download({ recorder, scriptId }: Job): Promise<string> {
  return (await fetch(`${recorder.url}/client/v1/loader/${scriptId}`)).text()
}

function prelude(key: string, device: string): string {
  return `script_key = "${key}" function gethwid() return "${device}" end`
}

describe.each(engines)('the protected program on $name', (engine) => {
  const { job, executions } = jobOn(engine)
  let runs = 0
  let largeRuns = 0

  // Interpreters and the obfuscation of large scripts do not depend on the database engine.
  const isFull = anyEngine.includes(engine)
  const commands = isFull ? COMMANDS : COMMANDS.slice(0, 1)
  describe.each(Object.entries(TRANSPORTS))('over %s', (_, env) => {
    describe.each(commands)('in $name', ({ name, missing }) => {
      test.skipIf(missing)(`prints the same as the plain one ${missing ?? ''}`, async () => {
        const words = { command: name, args: ['one', 'two'] }
        const plain = await runLoader({ ...words, text: PROGRAM })
        expect(plain).toMatchObject({ status: 0, stderr: '' })
        expect(plain.stdout).toContain('THE PASSWORD OF THE GARDEN GATE')
        const before = prelude(job().key, DEVICE)
        expect(await runLoader({ ...words, text: await download(job()), before, env })).toEqual(plain)
        runs++
      })
    })
  })

  test('prints the same as the plain one in Luau', async () => {
    const plain = await runLuau({ text: PROGRAM })
    expect(plain.stdout).toContain('THE PASSWORD OF THE GARDEN GATE')
    const guarded = await runLuau({ text: await download(job()), before: prelude(job().key, DEVICE) })
    expect(guarded).toMatchObject({ status: 0, stderr: '', stdout: plain.stdout })
    runs++
  })

  test.runIf(isFull)('arrives complete when it is large', async () => {
    const { owner, projectId, key } = job()
    const words = Array.from(
      { length: 40_000 },
      (_, i) => `"${createHash('md5').update(`${i}`).digest('hex')}",`,
    )
    const script = `local words = {${words.join('\n')}} print(#words, words[1], words[#words])`
    const uploaded = await owner.post(`/projects/${projectId}/scripts/new`, { name: 'large', script })
    const text = await download({ ...job(), scriptId: uploaded.string('script_id') })
    const outcome = await runLoader({ command: 'luajit', text, before: prelude(key, DEVICE) })
    expect(outcome).toEqual({
      status: 0,
      stderr: '',
      stdout: (await runLoader({ command: 'luajit', text: script })).stdout,
    })
    const requests = job().recorder.exchanges.map(({ url }) => url)
    expect(requests.filter((url) => url.includes('/chunk/')).length).toBeGreaterThan(2)
    largeRuns++
  })

  test('is counted at every run, for its user and for the script', async () => {
    expect(await executions()).toBe(runs + largeRuns)
    const { body } = await job().owner.get(`/scripts/${job().scriptId}`)
    expect(body.script).toMatchObject({ total_executions: runs })
  })
})

describe.each(anyEngine)('the server on $name rejects', (engine) => {
  const { at, job, run, executions } = jobOn(engine)

  test('a key on a second device, until the fingerprint is reset', async () => {
    const { owner, key } = job()
    expect((await run(key)).status).toBe(0)
    const refused = await run(key, OTHER_DEVICE)
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('This key is bound to another device.')
    expect(refused.stderr).toContain('(fingerprint_mismatch)')
    expect(await executions()).toBe(1)
    expect((await owner.post(`/users/${key}/reset`)).status).toBe(200)
    expect((await run(key, OTHER_DEVICE)).status).toBe(0)
    expect((await run(key)).stderr).toContain('(fingerprint_mismatch)')
  })

  test('an expired key', async () => {
    const key = await createUser(job().owner, job().projectId, { key_expires: START + 1000 })
    expect((await run(key)).status).toBe(0)
    at().clock.now = START + 1000
    const refused = await run(key)
    at().clock.now = START
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('(key_expired)')
  })

  test('a blacklisted user', async () => {
    const key = await createUser(job().owner, job().projectId)
    const blacklist = { blacklisted: 1, blacklist_reason: 'shared it' } as const
    await changeRows(at(), 'users', { key }, blacklist)
    const refused = await run(key)
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toBe(
      'scriptward: This key or device is blocked. Reason: shared it. (blacklisted)\n',
    )
  })

  test('a wrong key, a missing key and a key of another project', async () => {
    const stranger = await setUp(at())
    await stranger.recorder.close()
    for (const key of ['x'.repeat(32), '', stranger.key]) {
      const refused = await run(key)
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain('(invalid_key)')
    }
  })
})

describe.each(anyEngine)('recorded traffic on $name', (engine) => {
  const { at, job, run, executions } = jobOn(engine)
  const requests = () => job().recorder.exchanges.filter(({ url }) => url === '/client/v1/exec')

  test('reveals neither key, device nor program', async () => {
    expect((await run(job().key)).status).toBe(0)
    expect((await run(job().key, OTHER_DEVICE)).status).toBe(1)
    expect(requests()).toHaveLength(2)
    const bytes = job().recorder.exchanges.flatMap(({ url, body, answer }) => [url, body, answer])
    const devices = [DEVICE, OTHER_DEVICE].flatMap((device) => [device, component(job().projectId, device)])
    for (const secret of [job().key, ...devices, ...SECRETS]) {
      expect(bytes.join('\n')).not.toContain(secret)
    }
  })

  test('gets the recorded responses when replayed, and changes nothing', async () => {
    expect((await run(job().key)).status).toBe(0)
    const before = await executions()
    const headers = { accept: 'application/octet-stream' }
    for (const { body, answer } of requests()) {
      const again = await fetch(`${at().url}/client/v1/exec`, { method: 'POST', body, headers })
      expect(Buffer.from(await again.arrayBuffer()).toString('latin1')).toBe(answer)
    }
    expect(await executions()).toBe(before)
  })

  test('cannot be decrypted with the keys of another run', async () => {
    expect((await run(job().key)).status).toBe(0)
    const recorded = requests().at(-1)?.answer ?? ''
    const replaying = await new Recorder(at().url, (url) =>
      url.endsWith('/exec') ? recorded : undefined,
    ).listen()
    const text = await download({ ...job(), recorder: replaying })
    const outcome = await runLoader({ command: 'lua5.1', text, before: prelude(job().key, DEVICE) })
    await replaying.close()
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
    expect(outcome.stderr).toContain('the response of the server is not authentic')
  })
})

/** Returns the hash that identifies a device in a hello message (client protocol §14). */
function component(projectId: string, device: string): string {
  const hash = createHash('sha256').update(`lp1 fp\0${projectId}\0gethwid\0${device}`).digest()
  return hash.subarray(0, 16).toString('base64url')
}
