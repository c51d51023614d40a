/**
 * Tests the library for script hubs with the real server, real interpreters, and a proxy that records or
 * replaces traffic.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesOf, READER, runHub } from '../packages/client/test/run-library.ts'
import type { UserChanges } from '../packages/server/src/features/keys/store/users.ts'
import { anyEngine, sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn, type TestServer } from '../packages/server/test/harness.ts'
import { changeUser, createOwner, createScript, createUser, expire } from '../packages/server/test/nouns.ts'
import { Recorder } from './recorder.ts'

type Job = { readonly owner: Owner; readonly project: string; readonly script: string; readonly key: string }

async function newJob(server: TestServer): Promise<Job> {
  const { owner, project } = await createOwner(server)
  await owner.post(`/v1/projects/${project}/edit`, { allow_checks: true })
  const script = await createScript(owner, project, { script: 'print("ran", ...) return "its result"' })
  return { owner, project, script, key: await createUser(owner, project) }
}

async function libraryOf(url: string, { project }: Job): Promise<string> {
  return (await fetch(`${url}/client/v1/library?project=${project}`)).text()
}

/** Runs a hub's program; `through` is a proxy in front of the server. */
async function hub(
  server: TestServer,
  job: Job,
  lines: string,
  more: { host?: string; through?: string } = {},
) {
  const { host = 'lua5.1', through = server.url } = more
  const library = await libraryOf(through, job)
  return linesOf({ host, library, lines: `ward.project = '${job.project}' ${lines}` })
}

describe.each(anyEngine)('a hub on $name', (engine) => {
  const { at } = serverOn(engine)

  test.each(['lua5.1', 'luajit', 'lua5.4', 'luau'])(
    'checks a key, runs a script with it, and then finds the key bound to this device, in %s',
    async (host) => {
      const job = await newJob(at())
      const before = host === 'luau' ? 'gethwid = function() return "this device" end' : ''
      const library = await libraryOf(at().url, job)
      const lines = `ward.project = '${job.project}' ward.script_id = '${job.script}'
        local r = ward.check('${job.key}') show(r.name, r.bound, r.executions)
        show(ward.load('${job.key}', 1))
        r = ward.check('${job.key}') show(r.name, r.bound, r.executions)`
      expect(await linesOf({ host, library, lines, before })).toEqual([
        ...['KEY_VALID | false | 0', 'ran\t1', 'its result', 'KEY_VALID | true | 1'],
      ])
    },
  )

  test('is downloaded and used by a host that has only game:HttpGet', async () => {
    const job = await newJob(at())
    await job.owner.post(`/v1/users/${job.key}/edit`, { use_fingerprint: false })
    const line = `loadstring(game:HttpGet('${at().url}/client/v1/library?project=${job.project}'))()`
    const { stdout, stderr } = await runHub({
      ...{ host: 'lua5.1', library: 'return {}', before: READER },
      lines: `ward = ${line} show(ward.project, ward.check('${job.key}').name, ward.check('another').name)
        ward.project = 'prj_none' show(ward.check('${job.key}').message)`,
    })
    expect([stdout, stderr]).toEqual([
      `${job.project} | KEY_VALID | KEY_INCORRECT\nThis project does not exist, or its author has not allowed key checks.\n`,
      '',
    ])
  })

  test('asks for a key in the terminal and runs the script with a valid one', async () => {
    const job = await newJob(at())
    await job.owner.post(`/v1/projects/${job.project}/branding/edit`, { name: 'Garden' })
    const { stdout, stderr } = await runHub({
      ...{ host: 'lua5.1', library: await libraryOf(at().url, job), env: { LANG: 'de_DE.UTF-8' } },
      before: `local keys = { 'wrong', '${job.key}' } io.read = function() return table.remove(keys, 1) end`,
      lines: `ward.project = '${job.project}' ward.script_id = '${job.script}' show(ward.window())`,
    })
    expect([stdout, stderr]).toEqual([
      'Garden\nKey: Dieser Key ist nicht gültig. Kopiere ihn noch einmal oder hol dir einen neuen.\n' +
        'Key: Dein Key ist gültig\nran\nits result\n',
      '',
    ])
  })

  test('gets each denial with the code and the name of another service', async () => {
    const job = await newJob(at())
    const { owner, project } = job
    const created = async (changes: UserChanges) => {
      const key = await createUser(owner, project)
      await changeUser(at(), key, { use_fingerprint: 0, ...changes })
      return key
    }
    const now = at().clock.now
    const keys = {
      expired: await created({ key_expires: now - 1000 }),
      blocked: await created({ blacklisted: 1, blacklist_reason: 'shared' }),
      paused: await created({ paused_at: now }),
      spent: await created({ max_executions: 0 }),
      later: await created({ starts_at: now + 90_000 }),
    }
    const shown = (key: string) =>
      `r = ward.check('${key}') show(r.code, r.name, r.reason, r.message, r.retry_in)`
    const lines = await hub(
      at(),
      job,
      `local r ${Object.values({ ...keys, unknown: 'no key' })
        .map(shown)
        .join(' ')}`,
    )
    expect(lines).toEqual([
      '11 | KEY_EXPIRED | key_expired | This key expired 1 second ago. Extend it, or get a new one. | nil',
      '12 | KEY_BANNED | blacklisted | This key or device is blocked. Reason: shared. | nil',
      expect.stringMatching(/^24 \| KEY_DENIED \| key_paused \| /),
      expect.stringMatching(/^17 \| KEY_DENIED \| max_executions \| /),
      expect.stringMatching(/^27 \| KEY_DENIED \| key_not_started \| .* \| 90$/),
      expect.stringMatching(/^10 \| KEY_INCORRECT \| invalid_key \| /),
    ])
    const valid = await created({})
    const reason = (key: string) => hub(at(), job, `local r = ward.check('${key}') show(r.code, r.reason)`)
    await owner.post(`/v1/projects/${project}/edit`, { require_chat: true })
    expect(await reason(valid)).toEqual(['20 | chat_required'])
    await owner.post(`/v1/projects/${project}/edit`, { require_chat: false, require_join_chat_server: true })
    expect(await reason(valid)).toEqual(['21 | join_required'])
    await expire(at(), owner.id)
    expect(await reason(valid)).toEqual(['6 | service_unavailable'])
  })

  test('on another device is told so, with the link to the page that resets it', async () => {
    const job = await newJob(at())
    await job.owner.post(`/v1/projects/${job.project}/edit`, { allow_fingerprint_resets: true })
    const library = await libraryOf(at().url, job)
    const run = (id: string, lines: string) =>
      linesOf({ host: 'luau', library, lines, before: `gethwid = function() return '${id}' end` })
    const prepared = `ward.project = '${job.project}' ward.script_id = '${job.script}'`
    await run('first', `${prepared} ward.load('${job.key}')`)
    const [line] = await run(
      'second',
      `${prepared} local r = ward.check('${job.key}') show(r.name, r.message, r.link)`,
    )
    expect(line).toMatch(
      /^KEY_HWID_LOCKED \| This key is bound to another device\. .* \| \{text=Your key url=.*\/me\?project=/,
    )
  })
})

describe('a proxy between a hub and the server', () => {
  const { at } = serverOn(sqlite)
  let foreign: TestServer
  const other = serverOn(sqlite)
  beforeAll(() => {
    foreign = other.at()
  })
  const proxies: Recorder[] = []
  afterAll(() => Promise.all(proxies.map((one) => one.close())))
  const proxy = async (replace?: ConstructorParameters<typeof Recorder>[1]) => {
    const between = await new Recorder(at().url, replace).listen()
    proxies.push(between)
    return between
  }
  const isCheck = ({ url }: { readonly url: string }) => url.includes('/library/check')

  test('sees one request per check, and neither denies nor approves by replaying or changing answers', async () => {
    const job = await newJob(at())
    await job.owner.post(`/v1/users/${job.key}/edit`, { use_fingerprint: false })
    const valid: string[] = []
    const honest = await proxy((url, answer) => {
      if (isCheck({ url })) valid.push(answer)
      return undefined
    })
    expect(await hub(at(), job, `show(ward.check('${job.key}').name)`, { through: honest.url })).toEqual([
      'KEY_VALID',
    ])
    expect(honest.exchanges.filter(isCheck)).toHaveLength(1)
    const attacks: ((answer: string) => string)[] = [
      () => valid[0] ?? '',
      (answer) => answer.replace('"success":false', '"success":true'),
      (answer) => answer.slice(0, 200),
      (answer) => answer.replace(/,"sig":"[^"]*"/, ''),
    ]
    for (const attack of attacks) {
      const hostile = await proxy((url, answer) => (isCheck({ url }) ? attack(answer) : undefined))
      const lines = `for _, key in pairs({ '${job.key}', 'wrong' }) do local r = ward.check(key) show(r.ok, r.reason) end`
      const seen = await hub(at(), job, lines, { through: hostile.url })
      // The second attack leaves the response for the valid key unchanged.
      expect(new Set(seen)).toEqual(
        attack === attacks[1] ? new Set(['true | valid', 'false | forged']) : new Set(['false | forged']),
      )
    }
  })

  test('cannot answer with a server of its own', async () => {
    const job = await newJob(at())
    const theirs = await newJob(foreign)
    await theirs.owner.post(`/v1/users/${theirs.key}/edit`, { use_fingerprint: false })
    const library = (await libraryOf(at().url, job)).replaceAll(at().url, foreign.url)
    const lines = `ward.project = '${theirs.project}' local r = ward.check('${theirs.key}') show(r.ok, r.reason)`
    expect(await linesOf({ host: 'lua5.1', library, lines })).toEqual(['false | forged'])
  })
})
