/** Responses to uploads, and their cost, when the obfuscator is busy or fails. */
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Answer } from '../../../test/answers.ts'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createProject, readAccount } from '../../../test/nouns.ts'
import { jobProcesses } from '../../../test/obfuscation/job-processes.ts'
import { endSharedBuilds } from '../../../test/obfuscation/shared-obfuscator.ts'

const SOURCE = 'print("hi")'
/** Takes much longer to build than a millisecond. */
const SLOW = 'function f(a, b) if a > b then return a - b else return b * 2 end end\n'.repeat(2000)

beforeAll(endSharedBuilds)

describe.each(anyEngine)('on $name', (engine) => {
  describe('an upload with too little time', () => {
    const hurried = serverOn(engine, { config: { obfuscationDeadlineMs: 1 } })

    test('is rejected with its reason and not charged', async () => {
      const owner = await hurried.at().createCustomer()
      const body = { name: 'Slow', script: SLOW }
      const { status, error } = await owner.post(`/projects/${await createProject(owner)}/scripts/new`, body)
      expect(status).toBe(422)
      expect(error).toMatchObject({
        code: 3,
        obfuscator_errors: [
          { param: 'script', message: 'took longer than 0.001 seconds; make the script smaller or split it' },
        ],
      })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 0, total_scripts: 0 })
    })
  })

  describe('an upload that takes too long again and again', () => {
    const hurried = serverOn(engine, { config: { obfuscationDeadlineMs: 1, clientRates: 1 } })

    test('is free twenty times a day, and costs an obfuscation after that', async () => {
      const owner = await hurried.at().createCustomer()
      const project = await createProject(owner)
      const upload = () => owner.post(`/projects/${project}/scripts/new`, { name: 'n', script: SLOW })
      const used = async () => (await readAccount(owner)).obfuscations_used
      const { limits, now } = hurried.at().deps
      expect((await upload()).status).toBe(422)
      // Counts the other eighteen failures directly, because each real build would start a process.
      for (let i = 0; i < 18; i++)
        expect(await limits.attempts.takeAttempt('exhaustedBuild', owner.id, now())).toBe(0)
      expect((await upload()).status).toBe(422)
      expect(await used()).toBe(0)
      expect((await upload()).status).toBe(422)
      expect(await used()).toBe(1)
      hurried.at().clock.now += 86_400_000
      expect((await upload()).status).toBe(422)
      expect(await used()).toBe(1)
    })
  })

  describe('while an upload is running', () => {
    const shared = serverOn(engine, { config: { obfuscationThreads: 1, obfuscationDeadlineMs: 600_000 } })
    const load = () => shared.at().deps.obfuscator.load()

    async function uploader() {
      const owner = await shared.at().createCustomer()
      const project = await createProject(owner)
      const upload = (script: string) => owner.post(`/projects/${project}/scripts/new`, { name: 'n', script })
      return { owner, project, upload }
    }

    /** Stops the build process, so that no build ends until the returned function is called. */
    async function holdBuilds(): Promise<() => void> {
      // The process that runs this build also runs the next one.
      expect((await (await uploader()).upload(SOURCE)).status).toBe(200)
      for (const pid of jobProcesses(process.pid)) process.kill(pid, 'SIGSTOP')
      const proceed = () => {
        for (const pid of jobProcesses(process.pid)) process.kill(pid, 'SIGCONT')
      }
      onTestFinished(proceed)
      return proceed
    }

    /** Returns the owners of the builds that have ended, in that order. */
    function watchBuilds(): readonly string[] {
      const { obfuscator } = shared.at().deps
      const build = obfuscator.buildScript.bind(obfuscator)
      const ended: string[] = []
      const watched = vi.spyOn(obfuscator, 'buildScript').mockImplementation(async (request) => {
        const outcome = await build(request)
        if (typeof outcome !== 'string') ended.push(request.owner)
        return outcome
      })
      onTestFinished(() => watched.mockRestore())
      return ended
    }

    test('three more of the same account wait, further ones are rejected, and another account goes first', async () => {
      const [flood, other] = [await uploader(), await uploader()]
      const proceed = await holdBuilds()
      const ended = watchBuilds()
      const refused: Answer[] = []
      const answers = Array.from({ length: 6 }, async () => {
        const answer = await flood.upload(SOURCE)
        if (answer.status !== 200) refused.push(answer)
      })
      await expect.poll(() => refused.length).toBe(2)
      expect(load()).toEqual({ running: 1, waiting: 3 })
      for (const { status, headers, error } of refused) {
        expect([status, headers.get('retry-after')]).toEqual([429, '5'])
        expect(error).toMatchObject({ code: -1, type: 'rate_limited' })
      }
      const first = other.upload(SOURCE)
      await expect.poll(load).toEqual({ running: 1, waiting: 4 })
      proceed()
      expect((await first).status).toBe(200)
      await Promise.all(answers)
      expect(ended.slice(0, 2)).toEqual([flood.owner.id, other.owner.id])
      expect(await readAccount(flood.owner)).toMatchObject({ obfuscations_used: 4, total_scripts: 4 })
    })

    test('a loader waits for at most one waiting upload', async () => {
      const { owner, upload } = await uploader()
      const id = (await upload(SOURCE)).string('script_id')
      const proceed = await holdBuilds()
      const ended = watchBuilds()
      const uploads = Array.from({ length: 4 }, () => upload(SOURCE))
      await expect.poll(load).toEqual({ running: 1, waiting: 3 })
      const loader = owner.get(`/v1/scripts/${id}/loader-file?rt=luau`)
      await expect.poll(load).toEqual({ running: 1, waiting: 4 })
      proceed()
      expect((await loader).status).toBe(200)
      await Promise.all(uploads)
      expect(ended.slice(0, 3)).toContain('loaders luau')
    })

    test('a waiting upload is dropped when its client disconnects', async () => {
      const { owner, project, upload } = await uploader()
      const proceed = await holdBuilds()
      const running = upload(SOURCE)
      await expect.poll(load).toEqual({ running: 1, waiting: 0 })
      const client = new AbortController()
      const waiting = fetch(`${shared.at().url}/projects/${project}/scripts/new`, {
        method: 'POST',
        headers: { token: owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'n', script: SOURCE }),
        signal: client.signal,
      }).catch(() => 'gone')
      await expect.poll(load).toEqual({ running: 1, waiting: 1 })
      client.abort()
      expect(await waiting).toBe('gone')
      await expect.poll(load).toEqual({ running: 1, waiting: 0 })
      proceed()
      expect((await running).status).toBe(200)
      await expect.poll(() => readAccount(owner)).toMatchObject({ obfuscations_used: 1, total_scripts: 1 })
    })

    test('a running upload ends when its client disconnects, costs nothing, and makes way for the next', async () => {
      const [gone, other] = [await uploader(), await uploader()]
      await holdBuilds()
      const client = new AbortController()
      const running = fetch(`${shared.at().url}/projects/${gone.project}/scripts/new`, {
        method: 'POST',
        headers: { token: gone.owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'n', script: SOURCE }),
        signal: client.signal,
      }).catch(() => 'gone')
      await expect.poll(load).toEqual({ running: 1, waiting: 0 })
      const next = other.upload(SOURCE)
      await expect.poll(load).toEqual({ running: 1, waiting: 1 })
      client.abort()
      expect(await running).toBe('gone')
      expect((await next).status).toBe(200)
      await expect.poll(load).toEqual({ running: 0, waiting: 0 })
      const nothing = { obfuscations_used: 0, total_scripts: 0 }
      await expect.poll(() => readAccount(gone.owner)).toMatchObject(nothing)
    })

    test('a crash of its process fails only this upload and costs nothing', async () => {
      const { owner, upload } = await uploader()
      const proceed = await holdBuilds()
      const running = upload(SOURCE)
      await expect.poll(load).toEqual({ running: 1, waiting: 0 })
      const next = upload(SOURCE)
      await expect.poll(load).toEqual({ running: 1, waiting: 1 })
      for (const pid of jobProcesses(process.pid)) process.kill(pid, 'SIGSEGV')
      proceed()
      const { status, error } = await running
      expect(status).toBe(422)
      expect(error).toMatchObject({
        code: 3,
        obfuscator_errors: [{ param: 'script', message: expect.stringContaining('crashed the obfuscator') }],
      })
      expect((await next).status).toBe(200)
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 1, total_scripts: 1 })
      expect(shared.at().log.join()).toContain('an obfuscation process was ended by SIGSEGV')
    })
  })

  describe('an upload when the queue is full', () => {
    const busy = serverOn(engine, { config: { obfuscationThreads: 1, obfuscationQueue: 0 } })

    test('is rejected with Retry-After, and only finished builds count', async () => {
      const { owner, project } = await createOwner(busy.at())
      const upload = () => owner.post(`/projects/${project}/scripts/new`, { name: 'n', script: SOURCE })
      const answers = await Promise.all(Array.from({ length: 10 }, upload))
      const refused = answers.filter(({ status }) => status === 503)
      expect(refused.length).toBeGreaterThan(0)
      for (const { headers, error } of refused) {
        expect(headers.get('retry-after')).toBe('5')
        expect(error).toMatchObject({ code: -1, type: 'unavailable' })
      }
      const built = answers.length - refused.length
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: built, total_scripts: built })
    })
  })
})
