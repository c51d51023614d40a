/** Error reports from runs (client protocol, Errors), sent by a wire-level client to a real server. */
import { ERRORS_LOADER_BUILD, type ErrorReport } from '@scriptward/client/live-messages'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { anyEngine, engines, sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'
import { rowsOf } from '../../../test/stored.ts'
import type { Deps } from '../../deps.ts'
import { writeOutcomes } from '../executions/outcomes.ts'

const LOADER = { ...LIVE, lb: ERRORS_LOADER_BUILD }
const REPORT: ErrorReport = { kind: 'crash', text: 'Garden:12: broken', at: [12, 40], n: 3 }
const other = (i: number): ErrorReport => ({ ...REPORT, kind: 'caught', text: `broken ${i}` })

function errorScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  const live = liveScene(at)
  const reports = () =>
    at()
      .deps.db.read.selectFrom('error_reports')
      .selectAll()
      .where('script_id', '=', live.scene().scriptId)
      .orderBy('seq')
      .execute()
  const begin = async () => {
    const key = await live.scene().addUser()
    return run(live.scene().client, live.scene().scriptId, { ...LOADER, key })
  }
  const turnOff = () => live.scene().edit('scripts', { report_errors: 0 })
  return {
    at,
    ...live,
    begin,
    reports,
    turnOff,
    texts: async () => (await reports()).map(({ text }) => text),
  }
}

const beat = (running: Running, ...e: unknown[]) => running.send(running.beatBody(1, { more: { e } }))
const accepted = async (running: Running, ...e: unknown[]) =>
  running.accept((await beat(running, ...e)).text).ok
const end = (running: Running, ...e: unknown[]) =>
  running.send(running.endBody(running.n + 1, running.state, { e }), 'end')

describe.each(anyEngine)('error reports on $name', (engine) => {
  const { at, scene, begin, join, reports, texts, turnOff } = errorScene(engine)

  it('are stored with the run that sent them', async () => {
    const running = await begin()
    const tagged = { ...other(1), tags: { place: 'shop', level: '3' } }
    expect(await accepted(running, REPORT, tagged)).toBe(true)
    const [first, second] = await reports()
    expect(first).toMatchObject({
      ...{ exec: running.exec, script_version: 1, executor: 'lua5.1', runtime: 'lua5.1' },
      ...{ kind: 'crash', text: REPORT.text, count: 3, tags: null, reported_at: at().clock.now },
      user_key: expect.any(String),
    })
    expect([JSON.parse(first?.at ?? ''), JSON.parse(second?.tags ?? '')]).toEqual([REPORT.at, tagged.tags])
  })

  it('are stored once when the heartbeat is sent again', async () => {
    const running = await begin()
    const body = running.beatBody(1, { more: { e: [REPORT] } })
    const [first, second] = [await running.send(body), await running.send(body)]
    expect(second.text).toBe(first.text)
    expect(await texts()).toEqual([REPORT.text])
  })

  it('are stored from the end of a run, which stays ended', async () => {
    const running = await begin()
    expect((await end(running, REPORT)).status).toBe(200)
    expect((await end(running, REPORT)).status).toBe(404)
    expect(await texts()).toEqual([REPORT.text])
  })

  it('are stored from a session, which announces that it accepts them', async () => {
    const running = await begin()
    const { socket, ready } = await join(running)
    expect(ready).toMatchObject({ errors: true })
    socket.send({ t: 'error', e: [REPORT] })
    await expect.poll(texts).toEqual([REPORT.text])
  })

  it('of guests are stored without a user', async () => {
    await scene().edit('scripts', { free_for_all: 1 })
    const running = await run(scene().client, scene().scriptId, LOADER)
    expect(await accepted(running, REPORT)).toBe(true)
    expect(await reports()).toMatchObject([{ user_key: null }])
  })

  it('are requested only from loaders that support them, and only if the author wants them', async () => {
    const start = async (lb: number) => {
      const key = await scene().addUser()
      return (await run(scene().client, scene().scriptId, { ...LOADER, lb, key })).grant.errors
    }
    expect([await start(ERRORS_LOADER_BUILD - 1), await start(ERRORS_LOADER_BUILD)]).toEqual([
      undefined,
      true,
    ])
    await turnOff()
    expect(await start(ERRORS_LOADER_BUILD)).toBe(undefined)
  })

  it('are at most five per run, no matter what the client sends or how', async () => {
    const running = await begin()
    expect(await accepted(running, other(1), other(2), other(3))).toBe(true)
    const { socket } = await join(running)
    socket.send({ t: 'error', e: [other(4)] })
    await expect.poll(reports).toHaveLength(4)
    expect(await accepted(running, other(5), other(6), other(7))).toBe(true)
    expect((await end(running, other(8))).status).toBe(200)
    expect(await texts()).toEqual([1, 2, 3, 4, 5].map((i) => other(i).text))
  })

  it('are dropped if the author does not want them, and the message is accepted', async () => {
    const running = await begin()
    await turnOff()
    expect(await accepted(running, REPORT)).toBe(true)
    expect((await end(running, REPORT)).status).toBe(200)
    expect(await reports()).toEqual([])
  })

  it('of a run that must stop are dropped', async () => {
    const running = await begin()
    await scene().edit('scripts', { enabled: 0 })
    const ended = running.copy()
    expect(await accepted(running, REPORT)).toBe(false)
    await end(ended, REPORT)
    expect(await reports()).toEqual([])
  })

  it('of a removed script are dropped', async () => {
    const running = await begin()
    const { db } = at().deps
    await db.transaction((tx) => tx.deleteFrom('scripts').where('id', '=', scene().scriptId).execute())
    expect(await accepted(running, REPORT)).toBe(false)
    expect(await reports()).toEqual([])
  })

  it('keep no control characters', async () => {
    const running = await begin()
    const text = 'a\u0000b\u001b\ud800'
    expect(await accepted(running, { ...REPORT, text, kind: 'caught', tags: { 'a\u0000': '\u0000' } })).toBe(
      true,
    )
    expect(await reports()).toMatchObject([{ text: 'a?b?\ufffd', tags: '{"a?":"?"}' }])
  })
})

describe.each(engines)('error reports of heartbeats that arrive together on $name', (engine) => {
  const { at, begin, reports, scene, texts, turnOff } = errorScene(engine)

  const beginAll = async (count: number) => {
    const all = await Promise.all(Array.from({ length: count }, begin))
    // Sends the first heartbeat of each run separately, because it is never answered in a batch.
    for (const running of all) await running.beat()
    return all
  }

  it('are stored once and with their runs, at most five per run', async () => {
    const all = await beginAll(12)
    const sent = [1, 2, 3].map((i) => other(i))
    const bodies = all.map((running) => running.beatBody(1, { more: { e: sent } }))
    const answers = await Promise.all(all.map((running, i) => running.send(bodies[i] ?? '')))
    const repeated = await Promise.all(all.map((running, i) => running.send(bodies[i] ?? '')))
    expect(repeated.map(({ text }) => text)).toEqual(answers.map(({ text }) => text))
    for (const [i, running] of all.entries()) expect(running.accept(answers[i]?.text ?? '').ok).toBe(true)
    await Promise.all(all.map((running) => accepted(running, ...sent)))
    const stored = Map.groupBy(await reports(), ({ exec }) => exec)
    const expected = [1, 2, 3, 1, 2].map((i) => other(i).text)
    for (const { exec } of all) expect(stored.get(exec)?.map(({ text }) => text)).toEqual(expected)
  })

  it('are dropped for a run that must stop', async () => {
    const [stopped, continuing] = (await beginAll(2)) as [Running, Running]
    const { user_key } = await at()
      .deps.db.read.selectFrom('instances')
      .select('user_key')
      .where('exec', '=', stopped.exec)
      .executeTakeFirstOrThrow()
    await scene().edit('users', { blacklisted: 1 }, user_key ?? '')
    expect(await Promise.all([stopped, continuing].map((running) => accepted(running, REPORT)))).toEqual([
      false,
      true,
    ])
    expect(await reports()).toMatchObject([{ exec: continuing.exec }])
  })

  it('are dropped if the author does not want them', async () => {
    const all = await beginAll(2)
    await turnOff()
    expect(await Promise.all(all.map((running) => accepted(running, REPORT)))).toEqual([true, true])
    expect(await reports()).toEqual([])
  })

  it('fail only their own heartbeat if they cannot be stored, and count the crashes of others once', async () => {
    const [first, bad, good, plain] = (await beginAll(4)) as [Running, Running, Running, Running]
    const unique = { ...REPORT, text: 'unique' }
    expect(await accepted(first, unique)).toBe(true)
    const answers = await withUnique(at().deps, unique.text, () =>
      Promise.all([beat(bad, unique), beat(good, REPORT), plain.send(plain.beatBody())]),
    )
    expect(answers.map(({ status }) => status)).toEqual([500, 200, 200])
    expect(await texts()).toEqual([unique.text, REPORT.text])
    expect(await accepted(bad, unique)).toBe(true)
    await writeOutcomes(at().deps)
    const crashes = { script_id: scene().scriptId, step: 'hour', outcome: 'crashed' } as const
    expect(await rowsOf(at(), 'outcomes', crashes)).toMatchObject([{ count: 3 }])
  })
})

/** While `work` runs, no second report with this message can be stored. */
async function withUnique<T>({ db }: Pick<Deps, 'db'>, text: string, work: () => Promise<T>): Promise<T> {
  const execute = (statement: string) => db.transaction((tx) => sql.raw(statement).execute(tx))
  await execute(`create unique index one_report on error_reports (text) where text = '${text}'`)
  try {
    return await work()
  } finally {
    await execute('drop index one_report')
  }
}

describe('invalid error reports', () => {
  const { begin, reports } = errorScene(sqlite)

  it.each<[string, unknown]>([
    ['a line of 0', [{ ...REPORT, at: [0] }]],
    ['a line that is no number', [{ ...REPORT, at: ['1'] }]],
    ['21 lines', [{ ...REPORT, at: Array.from({ length: 21 }, () => 1) }]],
    ['a text of more than 1024 bytes', [{ ...REPORT, text: 'é'.repeat(513) }]],
    ['another kind', [{ ...REPORT, kind: 'other' }]],
    ['another field, such as a forged run', [{ ...REPORT, exec: 'other' }]],
    ['no count', [{ ...REPORT, n: 0 }]],
    [
      'nine tags',
      [{ ...REPORT, tags: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}`, ''])) }],
    ],
    ['a tag that is no text', [{ ...REPORT, tags: { a: 1 } }]],
    ['six reports', Array.from({ length: 6 }, () => REPORT)],
    ['no report', []],
  ])('with %s are rejected like any invalid heartbeat', async (_, e) => {
    const running = await begin()
    const { status } = await running.send(running.beatBody(1, { more: { e } }))
    expect(status).toBe(400)
    expect(await reports()).toEqual([])
  })

  it('of another run are rejected', async () => {
    const [mine, theirs] = [await begin(), await begin()]
    const body = mine.beatBody(1, { more: { e: [REPORT] } }).replace(mine.exec, theirs.exec)
    expect((await theirs.send(body)).status).toBe(400)
    expect(await reports()).toEqual([])
  })
})

describe('heartbeats with error reports', () => {
  const { begin, reports } = errorScene(sqlite, 1)

  it('are exempt from the minimum interval between heartbeats, but are limited to ten a minute', async () => {
    const running = await begin()
    for (let i = 0; i < 10; i++) expect(await accepted(running, other(i))).toBe(true)
    expect((await beat(running, other(10))).status).toBe(429)
    expect(await reports()).toHaveLength(5)
  })
})
