/** Errors reported by runs are grouped by their location in the author's source. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { groupAll, listErrors, protectedLines, reportErrors } from '../../../test/errors.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createUser } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'
import { processReports } from './process-reports.ts'

const FAILING = `local shop = {}
function shop.buy(item)
  local price = item.price.gold
  return price
end
print(shop.buy({}))`
const LATER = `-- a line more\n${FAILING}`
const DAY_MS = 86_400_000

describe.each(engines)('reported errors on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scene(source = FAILING) {
    const { owner, project } = await createOwner(at(), { tier: 0 })
    const script = await createScript(owner, project, { name: 'Garden', script: source })
    const run = { project_id: project, script_id: script }
    const errors = (query = '') => listErrors(owner, script, query)
    const detail = async (id: unknown, by = owner) =>
      (await by.get(`/v1/scripts/${script}/errors/${id}`)).body.group as Record<string, unknown>
    const lineOf = async (line: number, version = 1) =>
      (await protectedLines(at(), script, { version, line }))[0] as number
    const edit = (id: unknown, body: object) => owner.post(`/v1/scripts/${script}/errors/${id}/edit`, body)
    return { owner, project, script, run, errors, detail, lineOf, edit }
  }

  test('form one group when the place is the same in two versions and on two hosts', async () => {
    const { owner, script, run, errors, detail, lineOf } = await scene()
    await owner.post(`/v1/scripts/${script}/update`, { script: LATER })
    const [first, second] = [await lineOf(3), await lineOf(4, 2)]
    const [caller, later] = [await lineOf(6), await lineOf(7, 2)]
    await reportErrors(
      at(),
      { ...run, runtime: '51' },
      {
        text: `Garden:${first}: attempt to index field 'price' (a nil value)`,
        at: [first, caller],
        n: 3,
      },
    )
    await reportErrors(
      at(),
      { ...run, script_version: 2, exec: 'run-2', executor: 'Other' },
      {
        text: `Garden:${second}: attempt to index nil with 'gold'`,
        at: [second, later],
      },
    )
    await groupAll(at())
    const [group, ...others] = await errors()
    expect(others).toEqual([])
    expect(group).toMatchObject({
      ...{ message: "attempt to index nil with 'gold'", kind: 'crash', state: 'open' },
      place: { file: null, line: 4, function: 'shop.buy', output_line: second },
      ...{ occurrences: 4, runs: 2, customers: 2, first_version: 1, last_version: 2 },
    })
    const error = await detail(group?.id)
    expect(error).toMatchObject({
      code: { version: 2, file: null, line: 4, first_line: 1 },
      versions: [
        { version: 1, occurrences: 3 },
        { version: 2, occurrences: 1 },
      ],
      executors: [
        { executor: 'Garden', occurrences: 3 },
        { executor: 'Other', occurrences: 1 },
      ],
      days: [{ day: '2026-06-15', occurrences: 4 }],
    })
    expect((error.code as { lines: string[] }).lines).toEqual(LATER.split('\n'))
    expect(error.frames).toMatchObject([
      { line: 4, source: 'local price = item.price.gold', function: 'shop.buy' },
      { line: 7, source: 'print(shop.buy({}))', function: null },
    ])
    expect((error.samples as { text: string }[]).map(({ text }) => text)).toEqual([
      "Garden:4: attempt to index nil with 'gold'",
      "Garden:3: attempt to index field 'price' (a nil value)",
    ])
  })

  test('form two groups when the place or the message differs', async () => {
    const { run, errors, lineOf } = await scene()
    const [inner, outer] = [await lineOf(3), await lineOf(6)]
    await reportErrors(at(), run, { at: [inner] }, { at: [outer] }, { at: [inner], text: 'no spade' })
    await groupAll(at())
    expect(await errors()).toHaveLength(3)
  })

  test('form one group when some hosts remove a caller that returns the result', async () => {
    const source = `local function fail() error('no rake') end
local function outer()
  return fail()
end
local function middle()
  outer()
end
middle()`
    const { run, errors, lineOf } = await scene(source)
    const [inner, outer, middle] = [await lineOf(1), await lineOf(3), await lineOf(6)]
    await reportErrors(at(), run, { at: [inner, middle] })
    await reportErrors(at(), { ...run, exec: 'run-2' }, { at: [inner, outer, middle] })
    await groupAll(at())
    expect(await errors()).toMatchObject([{ runs: 2, place: { line: 1 } }])
  })

  test('form one group of a stack overflow, wherever in the recursion it occurs', async () => {
    const source = `local function walk(node)
  local left = walk(node)
  return left + walk(node)
end
print(walk({}))`
    const { run, errors, lineOf } = await scene(source)
    const [left, right] = [await lineOf(2), await lineOf(3)]
    const text = `Garden:${left}: stack overflow`
    for (const [i, lines] of [[right, left], [left], [right, left, left], []].entries())
      await reportErrors(at(), { ...run, exec: `run-${i}` }, { text, at: lines })
    await groupAll(at())
    expect(await errors()).toMatchObject([{ runs: 4, place: { function: 'walk' } }])
  })

  test('are placed by the position in the message when the host reports no lines', async () => {
    const { run, errors, lineOf } = await scene()
    const line = await lineOf(3)
    await reportErrors(at(), run, { text: `Garden:${line}: no rake`, at: [] })
    await reportErrors(at(), run, { text: `Garden:${line}: no rake`, at: [line] })
    await groupAll(at())
    expect(await errors()).toMatchObject([{ occurrences: 2, place: { line: 3 }, message: 'no rake' }])
  })

  test('keep forged lines, versions that do not exist and texts of every kind apart from the source', async () => {
    const { run, errors, detail } = await scene()
    const text = '<script>alert(1)</script>\u001b[31m'
    await reportErrors(at(), run, { text, at: [2 ** 31 - 1, 1_000_000] })
    await reportErrors(at(), { ...run, script_version: 7 }, { text: 'Garden:3: no rake', at: [3] })
    await groupAll(at())
    const groups = await errors('?sort=first_seen')
    expect(groups).toHaveLength(2)
    for (const group of groups) {
      expect(group.place).toMatchObject({ line: null, function: null })
      expect(await detail(group.id)).toMatchObject({ code: null })
    }
    expect(groups.map(({ message }) => message)).toContain(text)
  })

  test('store no NUL, which one engine rejects', async () => {
    const { run, errors } = await scene()
    await reportErrors(at(), run, { text: 'no\0rake', tags: { 'a\0': 'b\0' } })
    await groupAll(at())
    expect(await errors()).toMatchObject([{ message: 'no?rake' }])
  })

  test('count a key once, and a guest once per run', async () => {
    const { owner, project, script, run, errors } = await scene()
    const user_key = await createUser(owner, project, { note: 'Ada' })
    await reportErrors(at(), { ...run, user_key }, {}, {})
    await reportErrors(at(), { ...run, user_key, exec: 'run-2' }, {})
    await groupAll(at())
    await reportErrors(at(), { ...run, user_key, exec: 'run-2' }, {})
    for (const exec of ['guest-1', 'guest-1', 'guest-2']) await reportErrors(at(), { ...run, exec }, {})
    await groupAll(at())
    const [group] = await errors()
    expect(group).toMatchObject({ occurrences: 7, runs: 4, customers: 3 })
    const { body } = await owner.get(`/v1/scripts/${script}/errors/${group?.id}/users`)
    expect(body).toMatchObject({ users: [{ user_key, note: 'Ada', occurrences: 4 }] })
    await owner.post(`/v1/users/${user_key}/remove`)
    const without = (await owner.get(`/v1/scripts/${script}/errors/${group?.id}/users`)).body
    expect(without).toMatchObject({ users: [] })
  })

  test('keep the 20 newest samples', async () => {
    const { run, errors, detail } = await scene()
    for (let i = 0; i < 30; i++) await reportErrors(at(), { ...run, exec: `run-${i}` }, {})
    await groupAll(at())
    for (let i = 30; i < 33; i++) await reportErrors(at(), { ...run, exec: `run-${i}` }, {})
    await groupAll(at())
    const [group] = await errors()
    const { samples } = (await detail(group?.id)) as { samples: { exec: string }[] }
    expect(samples.map(({ exec }) => exec)).toEqual(Array.from({ length: 20 }, (_, i) => `run-${32 - i}`))
  })

  test('count executors beyond the first 50 together', async () => {
    const { run, errors, detail } = await scene()
    for (let i = 0; i < 60; i++) await reportErrors(at(), { ...run, executor: `executor ${i}` }, {})
    await groupAll(at())
    const [group] = await errors()
    const { executors } = (await detail(group?.id)) as {
      executors: { executor: string; occurrences: number }[]
    }
    expect(executors).toHaveLength(51)
    expect(executors[0]).toEqual({ executor: 'other', occurrences: 10 })
  })

  test('of all scripts in a project form one list, each with its script, without those of other projects', async () => {
    const { owner, project, script, run, edit } = await scene()
    const other = await createScript(owner, project, { name: 'Harbour' })
    const elsewhere = await scene()
    await reportErrors(at(), run, { text: 'no rake' })
    at().clock.now += 1000
    await reportErrors(at(), { ...run, script_id: other }, { text: 'no boat' }, { text: 'no sail' })
    await reportErrors(at(), elsewhere.run, { text: 'no spade' })
    await groupAll(at())
    const list = async (query = '', by = owner) => {
      const { body } = await by.get(`/v1/projects/${project}/errors${query}`)
      const errors = body.errors as { id: string; message: string; script_id: string; script_name: string }[]
      return { total: body.total, errors }
    }
    const { total, errors } = await list()
    expect(total).toBe(3)
    expect(errors.map(({ message }) => message).toSorted()).toEqual(['no boat', 'no rake', 'no sail'])
    expect(errors.at(-1)).toMatchObject({ message: 'no rake', script_id: script, script_name: 'Garden' })
    expect(errors[0]).toMatchObject({ script_id: other, script_name: 'Harbour' })
    await edit(errors.at(-1)?.id, { state: 'resolved' })
    expect(await list('?state=open&limit=1')).toMatchObject({ total: 2, errors: [{}] })
    expect((await list('?state=resolved')).errors).toMatchObject([{ message: 'no rake' }])
    expect((await list('?from=2')).errors).toHaveLength(1)
    const foreign = await elsewhere.owner.get(`/v1/projects/${project}/errors`)
    const missing = await elsewhere.owner.get('/v1/projects/prj_missing/errors')
    expect([foreign.status, foreign.error.type]).toEqual([missing.status, missing.error.type])
  })

  test('make room for new groups beyond 2,000, ignored ones first', async () => {
    const { project, script, run, errors, edit } = await scene()
    await reportErrors(at(), run, { text: 'kept' }, { text: 'ignored' }, { text: 'resolved' })
    await groupAll(at())
    const known = await errors()
    const named = (name: string) => known.find(({ message }) => message === name)?.id
    await edit(named('ignored'), { state: 'ignored' })
    await edit(named('resolved'), { state: 'resolved' })
    const { last_at: last } = (await rowsOf(at(), 'error_groups', { script_id: script }))[0] ?? { last_at: 0 }
    const filled = Array.from({ length: 1997 }, (_, i) => ({
      ...{ id: `err_${script}_${i}`, project_id: project, script_id: script, fingerprint: `f${i}` },
      ...{ kind: 'crash' as const, message: `filled ${i}`, place: null, first_at: last, last_at: last },
      ...{ first_version: 1, last_version: 1 },
    }))
    for (let i = 0; i < filled.length; i += 500) {
      const rows = filled.slice(i, i + 500)
      await at().deps.db.transaction((tx) => tx.insertInto('error_groups').values(rows).execute())
    }
    at().clock.now += 1000
    await reportErrors(at(), run, { text: 'first new' }, { text: 'second new' }, { text: 'third new' })
    await groupAll(at())
    const left = (await errors('?limit=1000')).concat(await errors('?limit=1000&from=1000'))
    expect(left).toHaveLength(2000)
    const messages = left.map(({ message }) => message)
    expect(messages).toEqual(expect.arrayContaining(['first new', 'second new', 'third new']))
    expect(messages).not.toContain('ignored')
    expect(messages).not.toContain('resolved')
    expect(messages).not.toContain('kept')
  })

  test('reopen a resolved group only from a later version than the one it was resolved in', async () => {
    const { owner, script, run, errors, edit } = await scene()
    await owner.post(`/v1/scripts/${script}/update`, { script: LATER })
    await reportErrors(at(), run, {})
    await groupAll(at())
    const [{ id } = { id: '' }] = await errors()
    await edit(id, { state: 'resolved', note: 'more rakes' })
    expect(await errors()).toMatchObject([
      { state: 'resolved', note: 'more rakes', resolved_in_version: 2, resolved_at: at().clock.now },
    ])
    for (const script_version of [1, 2]) await reportErrors(at(), { ...run, script_version }, {})
    await groupAll(at())
    expect(await errors()).toMatchObject([{ state: 'resolved', occurrences: 3, regressed_at: null }])
    await reportErrors(at(), { ...run, script_version: 3 }, {})
    await groupAll(at())
    expect(await errors()).toMatchObject([
      { state: 'open', occurrences: 4, regressed_at: at().clock.now, resolved_in_version: 2 },
    ])
  })

  test('stay resolved when runs of a version that was rolled back report them', async () => {
    const { run, errors, edit } = await scene()
    await reportErrors(at(), { ...run, script_version: 2 }, {})
    await groupAll(at())
    const [{ id } = { id: '' }] = await errors()
    await edit(id, { state: 'resolved' })
    await reportErrors(at(), { ...run, script_version: 2 }, {})
    await groupAll(at())
    expect(await errors()).toMatchObject([{ state: 'resolved', resolved_in_version: 2, occurrences: 2 }])
    await reportErrors(at(), { ...run, script_version: 3 }, {})
    await groupAll(at())
    expect(await errors()).toMatchObject([{ state: 'open' }])
  })

  test('leave an ignored group ignored, and a reopened one open', async () => {
    const { run, errors, edit } = await scene()
    await reportErrors(at(), run, {})
    await groupAll(at())
    const [{ id } = { id: '' }] = await errors()
    await edit(id, { state: 'ignored' })
    await reportErrors(at(), { ...run, script_version: 9 }, {})
    await groupAll(at())
    expect(await errors('?state=ignored')).toMatchObject([{ occurrences: 2 }])
    await edit(id, { state: 'open' })
    expect(await errors('?state=open')).toMatchObject([{ note: null, resolved_in_version: null }])
    await edit(id, { state: 'open', note: 'look' })
    await edit(id, { state: 'open' })
    expect(await errors()).toMatchObject([{ note: 'look' }])
    await edit(id, { state: 'open', note: null })
    expect(await errors()).toMatchObject([{ note: null }])
  })

  test('are filtered by state, version and executor, and sorted', async () => {
    const { run, errors } = await scene()
    await reportErrors(at(), { ...run, executor: 'Sprout' }, { text: 'rare' })
    at().clock.now += 1000
    await reportErrors(at(), { ...run, script_version: 2 }, { text: 'often', n: 9 })
    await groupAll(at())
    const names = async (query: string) => (await errors(query)).map(({ message }) => message)
    expect(await names('')).toEqual(['often', 'rare'])
    expect(await names('?executor=Sprout')).toEqual(['rare'])
    expect(await names('?version=2')).toEqual(['often'])
    expect(await names('?version=2&executor=Sprout')).toEqual([])
    expect(await names('?state=resolved')).toEqual([])
    expect(await names('?sort=occurrences&limit=1')).toEqual(['often'])
    expect(await names('?sort=occurrences&limit=1&from=1')).toEqual(['rare'])
  })

  test('are listed for the run that reported them, and not for runs of other scripts', async () => {
    const { owner, project, run, errors } = await scene()
    const another = await createScript(owner, project)
    await reportErrors(at(), { ...run, exec: 'run-1' }, { text: 'no rake' }, { text: 'no spade' })
    await reportErrors(at(), { ...run, exec: 'run-2' }, { text: 'no rake' })
    await reportErrors(at(), { ...run, script_id: another, exec: 'run-3' }, {})
    await groupAll(at())
    const names = async (exec: string) =>
      (await errors(`?exec=${exec}`)).map(({ message }) => message).toSorted()
    expect(await names('run-1')).toEqual(['no rake', 'no spade'])
    expect(await names('run-2')).toEqual(['no rake'])
    expect(await names('run-3')).toEqual([])
    expect(await names('%27')).toEqual([])
  })

  test('are counted once by two workers at the same time', async () => {
    const { run, errors } = await scene()
    for (let i = 0; i < 250; i++)
      await reportErrors(at(), { ...run, exec: `run-${i}` }, {}, { text: 'no spade' })
    await Promise.all([groupAll(at()), groupAll(at()), groupAll(at())])
    await groupAll(at())
    expect(await errors()).toMatchObject([
      { occurrences: 250, runs: 250 },
      { occurrences: 250, runs: 250 },
    ])
    expect(await rowsOf(at(), 'error_reports', { script_id: run.script_id })).toEqual([])
  })

  test('of one script do not wait for those of another', async () => {
    const [busy, other] = [await scene(), await scene()]
    for (let i = 0; i < 220; i++) await reportErrors(at(), busy.run, {}, {}, {})
    await reportErrors(at(), other.run, {})
    const worker = processReports(at().deps)
    let isMore = true
    while (isMore && (await other.errors()).length === 0)
      isMore = await worker.run(new AbortController().signal)
    expect(await other.errors()).toHaveLength(1)
    expect((await rowsOf(at(), 'error_reports', { script_id: busy.script })).length).toBeGreaterThanOrEqual(
      100,
    )
  })

  test('show source lines and keys only to those who may read them, and nothing to others', async () => {
    const { owner, project, script, run, errors, lineOf } = await scene()
    const user_key = await createUser(owner, project)
    await reportErrors(at(), { ...run, user_key }, { at: [await lineOf(3)] })
    await groupAll(at())
    const [{ id } = { id: '' }] = await errors()
    const path = `/v1/scripts/${script}/errors/${id}`
    const { body } = await owner.post('/v1/tokens/new', { name: 'Reader', scopes: ['scripts:read'] })
    const reader = at().client((body as { secret: string }).secret)
    expect((await reader.get(path)).body.group).toMatchObject({
      code: null,
      frames: [{ line: 3, source: null }],
      samples: [{ user_key: null }],
    })
    expect((await reader.get(`${path}/users`)).status).toBe(403)
    expect((await owner.get(path)).body.group).toMatchObject({ samples: [{ user_key }] })
    const { owner: stranger, project: theirs } = await createOwner(at())
    const own = await createScript(stranger, theirs)
    const asked = [
      () => stranger.get(`/v1/scripts/${own}/errors/${id}`),
      () => stranger.get(`/v1/scripts/${own}/errors/${id}/users`),
      () => stranger.post(`/v1/scripts/${own}/errors/${id}/edit`, { state: 'resolved' }),
      () => stranger.get(path),
    ]
    for (const ask of asked) expect((await ask()).status).toBe(404)
    expect(await errors('?state=open')).toHaveLength(1)
  })

  test('are deleted with their script, and return with it', async () => {
    const { owner, script, run, errors, detail } = await scene()
    await reportErrors(at(), run, {})
    await groupAll(at())
    const [before] = await errors()
    const shown = await detail(before?.id)
    await reportErrors(at(), run, {})
    const removed = await owner.post(`/v1/scripts/${script}/remove`)
    expect(await rowsOf(at(), 'error_groups', { script_id: script })).toEqual([])
    expect(await rowsOf(at(), 'error_reports', { script_id: script })).toEqual([])
    await groupAll(at())
    await owner.post(`/v1/changes/${removed.string('change_id')}/undo`)
    expect(await errors()).toEqual([before])
    expect(await detail(before?.id)).toEqual(shown)
  })

  test('are deleted with their project, and return with it', async () => {
    const { owner, project, script, run, errors, detail } = await scene()
    const user_key = await createUser(owner, project)
    await reportErrors(at(), { ...run, user_key }, {})
    await groupAll(at())
    const [before] = await errors()
    const shown = await detail(before?.id)
    const removed = await owner.post(`/v1/projects/${project}/remove`)
    for (const table of ['error_groups', 'error_reports'] as const)
      expect(await rowsOf(at(), table, { script_id: script })).toEqual([])
    await owner.post(`/v1/changes/${removed.string('change_id')}/undo`)
    expect(await errors()).toEqual([before])
    expect(await detail(before?.id)).toEqual(shown)
  })

  test('of a script that is removed while they are grouped are dropped', async () => {
    const { owner, script, run, errors } = await scene()
    for (let i = 0; i < 50; i++) await reportErrors(at(), { ...run, exec: `run-${i}` }, {})
    await Promise.all([groupAll(at()), owner.post(`/v1/scripts/${script}/remove`)])
    await groupAll(at())
    expect(await rowsOf(at(), 'error_groups', { script_id: script })).toEqual([])
    expect(await errors()).toBeUndefined()
  })

  test('drop counts older than 90 days', async () => {
    const { run, errors, detail } = await scene()
    await reportErrors(at(), run, {})
    await groupAll(at())
    const start = at().clock.now
    at().clock.now += 91 * DAY_MS
    await reportErrors(at(), { ...run, exec: 'run-2' }, {})
    await groupAll(at())
    at().clock.now = start
    const [group] = await errors()
    const { days } = (await detail(group?.id)) as { days: unknown[] }
    expect(days).toHaveLength(1)
  })

  test('send an event for a new group and for one that came back, at most ten an hour', async () => {
    const { owner, project, script, run, errors, edit } = await scene()
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: 'https://hooks.example.com/' })
    const eventsOf = async () => {
      const path = `/v1/projects/${project}/webhooks/deliveries`
      const { deliveries } = (await owner.get(path)).body as { deliveries: { type: string; body: string }[] }
      return deliveries.map(({ type, body }) => ({
        type,
        data: JSON.parse(body).data as Record<string, unknown>,
      }))
    }
    await reportErrors(at(), run, {}, {})
    await groupAll(at())
    const [{ id } = { id: '' }] = await errors()
    const data = {
      script: { id: script, name: 'Garden' },
      error: { id, message: 'no rake', place: null },
      ...{ executor: 'Garden', left_out: 0 },
    }
    expect(await eventsOf()).toMatchObject([{ type: 'script.error_new', data: { ...data, version: 1 } }])
    await edit(id, { state: 'resolved' })
    await reportErrors(at(), { ...run, script_version: 2 }, {})
    await groupAll(at())
    expect(await eventsOf()).toMatchObject([
      { type: 'script.error_regressed', data: { ...data, version: 2 } },
      { type: 'script.error_new' },
    ])
    const many = (name: string) =>
      Array.from({ length: 12 }, (_, i) => ({ text: `${name} ${'x'.repeat(i + 1)}` }))
    await reportErrors(at(), run, ...many('spade'))
    await groupAll(at())
    expect(await eventsOf()).toHaveLength(10)
    at().clock.now += 3_600_000
    await reportErrors(at(), run, { text: 'later' })
    await groupAll(at())
    expect((await eventsOf())[0]).toMatchObject({ data: { left_out: 4, error: { message: 'later' } } })
  })
})
