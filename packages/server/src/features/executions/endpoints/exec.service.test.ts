/** Executions over HTTP: grants, all denials, and the rows that each leaves in the database. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { component, helloFor, openAnswer, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, TEXT } from '../../../../test/protocol/scene.ts'
import { rowOf, rowsOf } from '../../../../test/stored.ts'
import { insertExecution, listExecutorCounts } from '../store/daily-executions.ts'

const DAY = 86_400_000
const WAVE = { executor: 'Wave', version: '1', platform: '' }
const OTHER = { fp: { [STRONG]: component('second machine') } }

describe.each(engines)('executions on $name', (engine) => {
  const { at } = serverOn(engine)
  const userOf = (key: string) => rowOf(at(), 'users', { key })

  it('return the script, its variables and nothing else for a valid key', async () => {
    const { client, scriptId, addUser } = await makeScene(at(), { name: 'tool', kick_outdated: 1 })
    const key = await addUser({ note: 'for Ä', chat_id: '12345', key_expires: START + 90_500 })
    const { reply, script } = await client.run(scriptId, { key })
    expect(script).toBe(TEXT)
    expect(reply).toMatchObject({
      ok: true,
      st: START,
      script: { id: scriptId, name: 'tool', version: 1 },
      vars: {
        is_premium: true,
        executions: 1,
        chat_id: '12345',
        seconds_left: 90,
        note: 'for Ä',
        script_name: 'tool',
      },
      payload: { mode: 'inline', kind: 'source', z: 'lz4', size: TEXT.length },
      flags: { silent: false, kick_outdated: true, free_for_all: false },
    })
  })

  it('differ in ID, nonce and bytes for two runs of one user', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const [one, two] = [await client.run(scriptId, { key }), await client.run(scriptId, { key })]
    expect(
      one.reply.ok && two.reply.ok && one.reply.exec !== two.reply.exec && one.reply.gn !== two.reply.gn,
    ).toBe(true)
    expect(one.text).not.toBe(two.text)
    expect(two.reply).toMatchObject({ vars: { executions: 2 } })
  })

  it('bind the device on the first run and deny another device with a hint', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    const bound = await userOf(key)
    expect(bound.fingerprint_assigned).toBe(1)
    expect(JSON.parse(bound.fingerprint_display ?? '')).toEqual({
      ip: '127.0.*.*',
      fingerprint: expect.stringMatching(/^[0-9a-f]{4}…[0-9a-f]{4}$/),
      executor: 'lu**',
    })
    const { reply } = await client.run(scriptId, { key, ...OTHER })
    expect(reply).toMatchObject({
      ok: false,
      code: 14,
      details: { can_reset: true, reset_available_at: null },
    })
    expect((await userOf(key)).executions).toBe(1)
    expect(await client.verdict(scriptId, { key })).toBe('granted')
  })

  it('store device data that differs from what the client sent and from other projects', async () => {
    const stored: string[] = []
    for (const { client, scriptId, addUser } of [await makeScene(at()), await makeScene(at())]) {
      const key = await addUser()
      await client.verdict(scriptId, { key, host: WAVE }, { 'wave-fingerprint': 'RAW-DEVICE' })
      const rows = await rowsOf(at(), 'user_fingerprints', { user_key: key })
      expect(rows.map((row) => row.component).sort()).toEqual(['header', STRONG])
      stored.push(...rows.map((row) => `${row.component} ${row.hash}`))
    }
    expect(stored.join()).not.toContain(component('first machine'))
    expect(stored.join()).not.toContain('RAW-DEVICE')
    const headers = stored.filter((one) => one.startsWith('header'))
    expect(new Set(headers).size).toBe(2)
  })

  it('are counted exactly in every total when fifty run at the same time', async () => {
    const { client, scriptId, projectId, customerId, addUser } = await makeScene(at())
    const keys = await Promise.all(Array.from({ length: 5 }, () => addUser()))
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => client.run(scriptId, { key: keys[i % 5] ?? '', host: WAVE })),
    )
    const { read } = at().deps.db
    const total = async (table: 'scripts' | 'projects' | 'customers', id: string) =>
      (await read.selectFrom(table).select('total_executions').where('id', '=', id).executeTakeFirstOrThrow())
        .total_executions
    expect(await total('scripts', scriptId)).toBe(50)
    expect(await total('projects', projectId)).toBe(50)
    expect(await total('customers', customerId)).toBe(50)
    for (const key of keys) expect(await userOf(key)).toMatchObject({ executions: 10, executor: 'Wave' })
    const days = await read
      .selectFrom('daily_executions')
      .selectAll()
      .where('script_id', '=', scriptId)
      .execute()
    expect(days).toMatchObject([
      { day: Math.floor(START / DAY), executor: 'Wave', count: 50, project_id: projectId },
    ])
    const live = await read.selectFrom('instances').selectAll().where('script_id', '=', scriptId).execute()
    expect(new Set(live.map((row) => row.exec)).size).toBe(50)
  })

  it('without heartbeats count as an instance for ten minutes', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser({ max_instances: 2 })
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => client.verdict(scriptId, { key })))
    expect(verdicts.filter((one) => one === 'granted')).toHaveLength(2)
    const { reply } = await client.run(scriptId, { key })
    expect(reply).toMatchObject({ code: 18, details: { live: 2, max: 2 } })
    at().clock.now += 600_000
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    at().clock.now = START
  })

  it('give the same denial for an unknown, foreign, empty or missing key', async () => {
    const { client, scriptId } = await makeScene(at())
    const foreign = await (await makeScene(at())).addUser()
    const lengths = new Set<number>()
    for (const key of ['A'.repeat(32), foreign, '', null, "%_' or 1=1", 'ü'.repeat(100)]) {
      const { reply, text } = await client.run(scriptId, { key })
      expect(reply).toMatchObject({ code: 10, reason: 'invalid_key' })
      lengths.add(text.length)
    }
    expect(lengths.size).toBe(1)
  })

  it('apply expiry and the end of a blacklist to the millisecond', async () => {
    const { client, scriptId, addUser, edit } = await makeScene(at())
    const key = await addUser({ key_expires: START + 1 })
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    await edit('users', { key_expires: START }, key)
    const { reply } = await client.run(scriptId, { key })
    expect(reply).toMatchObject({ code: 11, details: { expired_at: START } })
    await edit(
      'users',
      { key_expires: null, blacklisted: 1, blacklist_reason: 'shared', blacklist_expires: START + 1 },
      key,
    )
    const banned = await client.run(scriptId, { key })
    expect(banned.reply).toMatchObject({
      code: 12,
      details: { blacklist_reason: 'shared', blacklist_expires: START + 1 },
    })
    await edit('users', { blacklist_expires: START }, key)
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    expect(await userOf(key)).toMatchObject({
      blacklisted: 0,
      blacklist_reason: null,
      blacklist_expires: null,
    })
  })

  it('clear an ended blacklist even when denied, and change nothing else', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser({ blacklisted: 1, blacklist_expires: START - 5, key_expires: START - 5 })
    const before = await userOf(key)
    expect(await client.verdict(scriptId, { key })).toBe('key_expired')
    expect(await userOf(key)).toEqual({ ...before, blacklisted: 0, blacklist_expires: null })
  })

  it('give the right reason for every other denial', async () => {
    const { client, scriptId, addUser, edit } = await makeScene(at(), { enabled: 0 })
    const key = await addUser()
    const verdict = (changes = {}, headers = {}) => client.verdict(scriptId, { key, ...changes }, headers)
    expect(await verdict()).toBe('script_disabled')
    await edit('scripts', { enabled: 1, require_sessions: 1 })
    expect(await verdict()).toBe('sessions_required')
    await edit('projects', { require_chat: 1 })
    expect(await verdict()).toBe('chat_required')
    await edit('users', { chat_id: '77' }, key)
    expect(await verdict()).toBe('sessions_required')
    expect(await verdict({ fp: {} })).toBe('fingerprint_missing')
    expect(await verdict({ fp: { hostname: component('h') } })).toBe('fingerprint_missing')
    expect(await verdict({}, { 'wave-fingerprint': 'a', 'xeno-hwid': 'b' })).toBe('fingerprint_ambiguous')
    await edit('customers', { plan_expires: START - at().deps.config.graceMs })
    expect(await verdict()).toBe('service_unavailable')
    await edit('customers', { plan_expires: START - at().deps.config.graceMs + 1 })
    expect(await verdict()).toBe('sessions_required')
    await edit('customers', { blacklisted: 1 })
    expect(await verdict()).toBe('service_unavailable')
    expect((await userOf(key)).executions).toBe(0)
  })

  it('send the silent flag in a denial of a silent script', async () => {
    const { client, scriptId } = await makeScene(at(), { silent: 1 })
    expect((await client.run(scriptId, { key: 'x' })).reply).toMatchObject({
      reason: 'invalid_key',
      silent: true,
    })
  })

  it('let a user without a fingerprint rule run anywhere and bind no device', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser({ use_fingerprint: 0 })
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    expect(await client.verdict(scriptId, { key, ...OTHER })).toBe('granted')
    expect(await client.verdict(scriptId, { key, fp: {} })).toBe('granted')
    expect((await userOf(key)).fingerprint_assigned).toBe(0)
  })

  it('run a free_for_all script without a key and recognize the user of a valid key', async () => {
    const { client, scriptId, addUser, edit } = await makeScene(at(), { free_for_all: 1 })
    const key = await addUser()
    const guest = await client.run(scriptId)
    expect(guest.reply).toMatchObject({
      ok: true,
      vars: { is_premium: false, executions: 0 },
      flags: { free_for_all: true },
    })
    expect((await client.run(scriptId, { key: 'wrong' })).reply).toMatchObject({
      vars: { is_premium: false },
    })
    expect((await client.run(scriptId, { key })).reply).toMatchObject({
      vars: { is_premium: true, executions: 1 },
    })
    await edit('users', { key_expires: START }, key)
    expect((await client.run(scriptId, { key })).reply).toMatchObject({
      ok: true,
      vars: { is_premium: false },
    })
    await edit('users', { blacklisted: 1, blacklist_reason: 'leak' }, key)
    expect(await client.verdict(scriptId, { key })).toBe('blacklisted')
    expect(await client.verdict(scriptId)).toBe('blacklisted')
    expect(await client.verdict(scriptId, OTHER)).toBe('granted')
  })

  it('deny a guest without a strong component if the project requires one, but no user', async () => {
    const { client, scriptId, projectId, owner, addUser } = await makeScene(at(), { free_for_all: 1 })
    expect(await client.verdict(scriptId, { fp: {} })).toBe('granted')
    const { body } = await owner.post(`/v1/projects/${projectId}/edit`, { guests_need_device: true })
    expect(body.project).toMatchObject({ guests_need_device: true })
    expect(await client.verdict(scriptId, { fp: {} })).toBe('fingerprint_missing')
    expect(await client.verdict(scriptId, { fp: { hostname: component('weak') } })).toBe(
      'fingerprint_missing',
    )
    expect(await client.verdict(scriptId)).toBe('granted')
    const key = await addUser({ use_fingerprint: 0 })
    expect(await client.verdict(scriptId, { key, fp: {} })).toBe('granted')
  })

  it('limit keyless devices to the maximum of the service tier, even when they arrive at the same time', async () => {
    const scene = await makeScene(at(), { free_for_all: 1 })
    await at().admin.put('/v1/admin/tiers/77', TIER)
    await scene.edit('customers', { tier: 77 })
    const devices = Array.from({ length: 6 }, (_, i) => ({ fp: { [STRONG]: component(`guest ${i}`) } }))
    const verdicts = await Promise.all(devices.map((one) => scene.client.verdict(scene.scriptId, one)))
    expect(verdicts.filter((one) => one === 'granted')).toHaveLength(2)
    expect(verdicts.filter((one) => one === 'service_unavailable')).toHaveLength(4)
    const known = devices[verdicts.indexOf('granted')] ?? {}
    expect(await scene.client.verdict(scene.scriptId, known)).toBe('granted')
    const key = await scene.addUser()
    expect(await scene.client.verdict(scene.scriptId, { key, fp: { [STRONG]: component('new') } })).toBe(
      'granted',
    )
  })

  it('accept a query from a host limited to GET', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const { body, keys } = await client.request(
      await client.boot(scriptId),
      helloFor(scriptId, { key: await addUser() }),
    )
    const answer = await client.get(`/exec?b=${body}`)
    expect(openAnswer(keys, answer).script).toBe(TEXT)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('send a large script in chunks that only its run can decrypt, for two minutes', async () => {
    const large = `return "${randomBytes(700_000).toString('base64')}"`
    const { client, scriptId, addUser } = await makeScene(at(), {}, large)
    const key = await addUser()
    const { body, keys } = await client.request(await client.boot(scriptId), helloFor(scriptId, { key }))
    const { reply, script, text } = openAnswer(keys, await client.post('/exec', body))
    if (!reply.ok) throw new Error(reply.reason)
    expect(reply.payload).toMatchObject({ mode: 'chunks', chunks: 4, size: large.length })
    expect([script, text.split('.').length]).toEqual([undefined, 2])
    expect(await client.fetchScript(keys, reply)).toBe(large)
    const missing = [
      '/chunk/none/1',
      `/chunk/${reply.exec}/5`,
      `/chunk/${reply.exec}/0`,
      `/chunk/${reply.exec}/x`,
    ]
    for (const path of [...missing, `/chunk/${'A'.repeat(22)}/1`])
      expect((await client.get(path)).status).toBe(404)
    const first = await client.get(`/chunk/${reply.exec}/1`)
    expect([first.headers.get('cache-control'), first.text]).toEqual([
      'no-store',
      expect.not.stringContaining(large.slice(9, 40)),
    ])
    at().clock.now += 120_000
    expect((await client.get(`/chunk/${reply.exec}/1`)).status).toBe(404)
    at().clock.now = START
  })

  it('count a hundred executor names per script and day, and all others together', async () => {
    const { projectId, scriptId, customerId } = await makeScene(at())
    const of = { script_id: scriptId, project_id: projectId, customer_id: customerId }
    const run = (executor: string, day = 1) =>
      at().deps.db.transaction((tx) => insertExecution(tx, { ...of, day, executor }))
    for (let n = 0; n < 103; n++) await run(`executor ${n}`)
    await run('executor 5')
    await run('executor 101', 2)
    const days = { first: 1, last: 2 }
    const counts = await listExecutorCounts(at().deps.db.read, customerId, [scriptId], days)
    const named = Object.fromEntries(counts.map(({ executor, count }) => [executor, count]))
    expect(counts).toHaveLength(102)
    expect(named).toMatchObject({ 'executor 5': 2, 'executor 99': 1, other: 3, 'executor 101': 1 })
  })

  it('store executor names without control and format characters', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const named = async (executor: string) => {
      await client.run(scriptId, { key, host: { executor, version: '', platform: '' } })
      return (await userOf(key)).executor
    }
    expect(await named(' Wa\u0007ve\u202e ')).toBe('Wave')
    expect(await named('\u200b')).toBe('lua5.1')
  })
})

const TIER = {
  name: 'few guests',
  max_users: -1,
  max_projects: -1,
  max_scripts: -1,
  free_for_all: 2,
  obfuscations: -1,
  price: 0,
  max_ad_users: -1,
  max_checkpoints: -1,
  max_systems: -1,
}
