/**
 * Tests scripts with WARD_ENCFUNC functions end to end: the real server builds them, stores and grants their
 * keys, and the served loader unlocks them in real interpreters. The payload alone must reveal nothing about
 * the functions.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockKey } from '../packages/client/src/leases.ts'
import { COMMANDS } from '../packages/client/test/run-loader.ts'
import { runAlone } from '../packages/obfuscator/test/run-lua.ts'
import { loadPayload } from '../packages/server/src/features/builds/payloads.ts'
import { anyEngine, sqlite } from '../packages/server/test/databases.ts'
import { ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { alongside, type Job, liveScene, until } from './live-scene.ts'

const treasures = (word: string) => `
local first = WARD_ENCFUNC(function(x) return 'the ${word} treasure ' .. x .. 3133731337 end)
local second = WARD_ENCFUNC(function() return 'another ${word} treasure' end)
local function check(x) if x > 1 then return 'a ${word} cold text' end return 'small' end
print(check(1), check(2))
print(first('a'), first('b'))
print(second())`
const printed = (word: string) =>
  `small\ta ${word} cold text\nthe ${word} treasure a3133731337\tthe ${word} treasure b3133731337\nanother ${word} treasure\n`
/** The number is long, because a short one would occur in a dump by chance. */
const SECRETS = /treasure|golden|cold text|3133731337/
const OPTIONS = { preset: 'max' }
const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)

/** A fallback that lets a source run unprotected, as in a smoke test. */
const FALLBACK = 'WARD_ENCFUNC = WARD_ENCFUNC or function(f) return f end'

async function upload(job: Job, word: string, more: object = {}): Promise<void> {
  await job.change('update', { script: treasures(word), options: OPTIONS, ...more })
}

describe.each(anyEngine)('locked scripts on $name', (engine) => {
  const { at, newJob } = liveScene(engine)

  const newest = async ({ scriptId }: Job, version: number) =>
    loadPayload(at().deps, { id: scriptId, version })

  async function expectRun(job: Job, word: string, command = 'lua5.1'): Promise<void> {
    expect(await job.run({ command })).toEqual({ status: 0, stdout: printed(word), stderr: '' })
  }

  describe.each(PREPARED)('in %s', (command) => {
    test
      .skipIf(engine !== sqlite)
      .concurrent('run with key grants, and without heartbeats with the key of the grant', async () => {
        const job = await newJob('print(1)')
        await upload(job, 'golden')
        await expectRun(job, 'golden', command)
        await job.change('', { use_heartbeat: false })
        await expectRun(job, 'golden', command)
      })
  })

  test
    .skipIf(engine !== sqlite)
    .concurrent('run in Luau, whose threads wait for key grants', async ({ signal }) => {
      const job = await newJob('print(1)')
      await upload(job, 'golden')
      const running = job.run({ command: 'luau', signal })
      await alongside(running, async () => {
        await job.beaten(3)
        expect((await job.owner.post(`/v1/sessions/${await job.session()}/disconnect`)).status).toBe(200)
      })
      // The last key may arrive together with the end of the run.
      expect((await running).stdout).toContain(printed('golden'))
    })

  test
    .skipIf(engine !== sqlite)
    .concurrent('run in Lua 5.4, from several files, with its numbers', async () => {
      const job = await newJob('print(1)')
      const script = `local count = require('lib.count')
      local open = WARD_ENCFUNC(function(n) return n // 2, n / 2, 'the golden treasure', 0xF0 >> 4 | n end)
      do local done <close> = setmetatable({}, { __close = function() print('closed', count(5.0)) end }) print(open(6)) end`
      const files = {
        'lib/count.lua': 'local _ENV = { n = 1 << 62 } return function(by) n = n * 2 return n, by end',
      }
      await upload(job, '', { script, files, options: { ...OPTIONS, target: 'lua54' } })
      const stdout = '3\t3.0\tthe golden treasure\t15\nclosed\t-9223372036854775808\t5.0\n'
      expect(await job.run({ command: 'lua5.4' })).toEqual({ status: 0, stdout, stderr: '' })
    })

  test.concurrent('have another key in every version, and each version runs with its own after a rollback', async () => {
    const job = await newJob('print(1)')
    await upload(job, 'golden')
    await upload(job, 'silver')
    await upload(job, 'silver')
    await expectRun(job, 'silver')
    await job.change('versions/2/activate' as 'update', {})
    await expectRun(job, 'golden')
    const keys = await Promise.all(
      [1, 2, 3, 4].map(async (version) => (await newest(job, version))?.locked?.serviceKey),
    )
    expect(keys[0]).toBeUndefined()
    expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(4)
  })

  test.concurrent('are checked by their smoke test before publishing', async () => {
    const job = await newJob('print(1)')
    await job.change('update', {
      script: `${FALLBACK}${treasures('golden')}`,
      options: OPTIONS,
      test_script: "script() print('done')",
    })
    await expectRun(job, 'golden')
  })

  test.concurrent('reveal no locked content to a user who dumps the payload, and the dump identifies the key', async () => {
    const job = await newJob('print(1)')
    await upload(job, 'golden')
    const client = new ProtocolClient(at().url)
    const { script: dump = '' } = await client.run(job.scriptId, { key: job.key })
    const { serviceKey } = (await newest(job, 2))?.locked ?? {}
    if (!serviceKey) throw new Error('the version has no key')
    expect(dump.length).toBeGreaterThan(1000)
    expect(dump).not.toMatch(SECRETS)
    for (const key of [serviceKey, ...[0, 1, 2].map((lock) => lockKey(serviceKey, lock))]) {
      for (const form of ['base64url', 'hex', 'latin1'] as const)
        expect(dump).not.toContain(key.toString(form))
    }
    const alone = await runAlone('lua5.1', ['-'], `print(pcall(assert(loadstring([==[${dump}]==]))()))`)
    expect(alone).toBe('false\tscriptward: this code runs only with a key from its server\n')
    const { body } = await job.owner.post(`/v1/scripts/${job.scriptId}/trace`, { text: dump })
    expect(body.accused).toMatchObject([{ user_key: job.key, version: 2 }])
  })

  test.concurrent('stop at code that was not unlocked before their key was revoked', async ({
    onTestFinished,
  }) => {
    const job = await newJob('print(1)')
    await job.change('update', {
      script: `local f = WARD_ENCFUNC(function() return 'the golden treasure' end)
        local g = WARD_ENCFUNC(function() return 'another golden treasure' end)
        print(f()) io.open(SIGNAL .. '-opened', 'w'):close()
        while not io.open(SIGNAL) do require('socket').sleep(0.05) end print(pcall(g))`,
      options: OPTIONS,
    })
    const folder = mkdtempSync(path.join(tmpdir(), 'locked-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'signal')
    const running = job.run({ command: 'lua5.1', before: `SIGNAL = '${file}'` })
    await alongside(running, async () => {
      await until('the first function', async () => existsSync(`${file}-opened`))
      await job.change('toggle', { state: false })
    })
    writeFileSync(file, '')
    const { stdout } = await running
    expect(stdout).toMatch(/^the golden treasure\n(false\t.*\n)?$/)
    expect(stdout).not.toContain('another')
  })
})

describe("locked scripts at the server's rate", () => {
  const { at, newJob } = liveScene(sqlite, { config: { clientRates: 1 } })
  let ticking: NodeJS.Timeout
  beforeAll(() => {
    ticking = setInterval(() => {
      at().clock.now += 100
    }, 100)
  })
  afterAll(() => clearInterval(ticking))

  const NAMES = Array.from({ length: 4 }, (_, i) => `golden ${i}`)
  const TEXT = NAMES.map((name) => `print(WARD_ENCFUNC(function() return 'the ${name} treasure' end)())`)
  const WANTED = NAMES.map((name) => `the ${name} treasure\n`).join('')

  test.concurrent.each([...PREPARED, 'luau'])('wait for each key, in %s', async (command) => {
    const job = await newJob('print(1)')
    await job.change('update', { script: TEXT.join('\n') })
    const running = job.run({ command })
    if (command !== 'luau') {
      expect(await running).toEqual({ status: 0, stdout: WANTED, stderr: '' })
      return
    }
    await alongside(running, async () => {
      await job.beaten(4)
      expect((await job.owner.post(`/v1/sessions/${await job.session()}/disconnect`)).status).toBe(200)
    })
    // The fourth key may arrive together with the end of the run.
    expect((await running).stdout).toContain(WANTED.split('\n').slice(0, 3).join('\n'))
  })
})
