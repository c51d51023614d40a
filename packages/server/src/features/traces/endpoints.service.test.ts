/** Tracing a copy over HTTP: real uploads, real executions, and the result that the owner gets. */
import { describe, expect, test } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createUser } from '../../../test/nouns.ts'
import { component, ProtocolClient } from '../../../test/protocol/client.ts'
import { changeRows } from '../../../test/stored.ts'
import { countHolders, listExecutionMarks } from '../executions/store/execution-marks.ts'

const SOURCE = `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`

/** The ID of a stored result. */
const KEPT = { trace_id: expect.stringMatching(/^trc_\w+$/) }

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scene(members = {}) {
    const { owner, project } = await createOwner(at(), { tier: 0 })
    const script = await createScript(owner, project, { script: SOURCE, ...members })
    const client = new ProtocolClient(at().url)
    const users: string[] = []
    for (let i = 0; i < 3; i++) users.push(await createUser(owner, project))
    const run = async (key: string | null, id = script): Promise<string> => {
      const {
        reply,
        keys,
        script: text,
      } = await client.run(id, { key, fp: { machine_id: component(`of ${key}`) } })
      if (!reply.ok) throw new Error(reply.reason)
      return text ?? (await client.fetchScript(keys, reply))
    }
    const trace = (text: string, by: Owner = owner, id = script) =>
      by.post(`/v1/scripts/${id}/trace`, { text })
    return { owner, project, script, users, run, trace }
  }

  const copiesOf = async (users: readonly string[], run: (key: string) => Promise<string>) => {
    const copies: string[] = []
    for (const user of users) copies.push(await run(user))
    return copies
  }

  test('a copy identifies the key it was served to, with the certainty of the match', async () => {
    const { script, users, run, trace } = await scene()
    const copies = await copiesOf([...users, ...users], run)
    expect(new Set(copies).size).toBe(6)
    const runs = await executionsOf(script)
    const { status, body } = await trace(copies[1] ?? '')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      versions: [{ version: 1, slots: 1024, slots_read: 1024, executions: 6 }],
      accused: [
        {
          user_key: users[1],
          version: 1,
          execution: runs[1],
          executor: 'lua5.1',
          granted_at: at().clock.now,
          matches: 1024,
          deviations: 32,
        },
      ],
    })
    const [{ chance } = { chance: 1 }] = body.accused as { chance: number }[]
    expect(chance).toBeLessThan(1e-200)
    expect(body.accused).toHaveLength(1)
  })

  const executionsOf = async (script: string) => {
    const page = { after: 0, limit: 1000 }
    const rows = await listExecutionMarks(at().deps.db.read, { script_id: script, version: 1 }, page)
    return rows.map(({ exec }) => exec)
  }

  test.skipIf(engine !== sqlite)(
    'a mix of a hundred runs of one key identifies the key, and no run',
    async () => {
      const { users, run, trace } = await scene()
      await copiesOf(users, run)
      const copies = await copiesOf(Array(100).fill(users[0]), run)
      const mixed = Array.from(copies[0] ?? '', (_, i) => copies[(i * 7919 + (i >> 5)) % 100]?.[i]).join('')
      const { accused } = (await trace(mixed)).body as { accused: { matches: number }[] }
      expect(accused).toMatchObject([{ user_key: users[0], version: 1, execution: null }])
      expect(accused[0]?.matches).toBeGreaterThan(896)
    },
  )

  test('a mix of runs of one guest names the device once', async () => {
    const { run, trace } = await scene({ free_for_all: true })
    const [first = '', second = ''] = [await run(null), await run(null)]
    const mixed = Array.from(first, (character, i) => ((i >> 4) % 2 === 0 ? character : second[i])).join('')
    expect((await trace(mixed)).body.accused).toMatchObject([{ user_key: null }])
  })

  test('a reformatted part of a copy is enough, and a mix of two copies names both', async () => {
    const { users, run, trace } = await scene()
    const [first = '', second = ''] = await copiesOf(users, run)
    const part = first.slice(0, first.length / 2).replaceAll(/\bend\b/g, '\n end ')
    expect((await trace(part)).body.accused).toMatchObject([{ user_key: users[0] }])
    const mixed = Array.from(first, (character, i) =>
      Math.floor(i / 50) % 2 === 0 ? character : second[i],
    ).join('')
    const accused = (await trace(mixed)).body.accused as { user_key: string }[]
    expect(accused.map(({ user_key }) => user_key).sort()).toEqual(users.slice(0, 2).sort())
  })

  test('each user or device that received a version is counted once, and numbers that none of them has identify nobody', async () => {
    const { script, users, run, trace } = await scene({
      script: 'print(WARD_VARY(61.25, 0.01), WARD_VARY(2.5, 0.1))',
      free_for_all: true,
    })
    await copiesOf([...users, ...users], run)
    await run(null)
    expect(await countHolders(at().deps.db.read, { script_id: script, version: 1 })).toBe(4)
    const { accused, candidates } = (await trace('x = { 61.2534, 2.4501 }')).body
    // In one of 500 runs, a key has one of the two numbers by chance. This makes the key a candidate, but
    // doesn't identify it.
    const named = (candidates as { named: boolean }[]).filter((candidate) => candidate.named)
    expect([accused, named]).toEqual([[], []])
  })

  test('a removed key is still named, and a device without a key has none', async () => {
    const { owner, users, run, trace } = await scene({ free_for_all: true })
    const [copy = ''] = await copiesOf(users.slice(0, 1), run)
    await owner.post(`/v1/users/${users[0]}/remove`)
    expect((await trace(copy)).body.accused).toMatchObject([{ user_key: users[0] }])
    expect((await trace(await run(null))).body.accused).toMatchObject([{ user_key: null }])
  })

  test('the right version is found, and each is traced', async () => {
    const { owner, script, users, run, trace } = await scene()
    const [old = ''] = await copiesOf(users.slice(0, 1), run)
    await owner.post(`/v1/scripts/${script}/update`, { script: `${SOURCE} + 1` })
    const [, fresh = ''] = await copiesOf(users.slice(0, 2), run)
    const found = async (text: string) =>
      ((await trace(text)).body.accused as { version: number; user_key: string }[]).map((one) => [
        one.version,
        one.user_key,
      ])
    expect(await found(old)).toEqual([[1, users[0]]])
    expect(await found(fresh)).toEqual([[2, users[1]]])
    expect(await found(`${old}\n${fresh}`)).toHaveLength(2)
  })

  test('an unrelated string or a copy of another script names no user', async () => {
    const { owner, project, users, run, trace } = await scene()
    await copiesOf(users, run)
    const other = await createScript(owner, project, { script: SOURCE })
    const foreign = await run(users[0] ?? '', other)
    for (const text of [SOURCE, 'x', foreign]) {
      expect((await trace(text)).body).toEqual({
        success: true,
        versions: [],
        accused: [],
        candidates: [],
        ...KEPT,
      })
    }
  })

  test('a copy of more than 1,000,000 characters is rejected with a hint', async () => {
    const { trace } = await scene()
    const { status, error } = await trace('{'.repeat(1_000_001))
    expect([status, error.failed]).toEqual([
      400,
      [
        {
          field: 'text',
          errors: [
            'must have at most 1,000,000 characters. Send part of the copy; a few kilobytes are enough',
          ],
        },
      ],
    ])
    expect((await trace('{'.repeat(1_000_000))).body).toEqual({
      success: true,
      ...KEPT,
      versions: [],
      accused: [],
      candidates: [],
    })
  })

  test('a script without watermark slots gets no versions', async () => {
    const { owner, script, users, run, trace } = await scene()
    await changeRows(at(), 'script_versions', { script_id: script }, { slots: '[]' })
    const [first, second] = await copiesOf(users.slice(0, 2), run)
    expect(first).toBe(second)
    expect((await trace(first ?? '', owner)).body).toEqual({
      success: true,
      ...KEPT,
      versions: [],
      accused: [],
      candidates: [],
    })
  })
})

describe('the rate limit of traces', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  test('is six a minute for all scripts of an account', async () => {
    const { owner, project } = await createOwner(at())
    const scripts = [await createScript(owner, project), await createScript(owner, project)]
    const trace = (i: number) => owner.post(`/v1/scripts/${scripts[i % 2]}/trace`, { text: 'x' })
    for (let i = 0; i < 6; i++) expect((await trace(i)).status).toBe(200)
    const { status, error, headers } = await trace(6)
    expect([status, error.type, headers.get('retry-after')]).toEqual([429, 'rate_limited', '10'])
    at().clock.now += 10_000
    expect((await trace(7)).status).toBe(200)
  })
})

describe('concurrent traces', () => {
  const { at } = serverOn(sqlite)

  test('are limited to one running and one waiting, and another account is served next', async () => {
    const [busy, other] = [await createOwner(at()), await createOwner(at())]
    const script = await createScript(busy.owner, busy.project)
    const theirs = await createScript(other.owner, other.project)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { traces } = at().deps.limits
    const running = traces.run(busy.owner.id, () => released)
    const waiting = traces.run(busy.owner.id, async () => {})
    const refused = await busy.owner.post(`/v1/scripts/${script}/trace`, { text: 'x' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    const next = other.owner.post(`/v1/scripts/${theirs}/trace`, { text: 'x' })
    release()
    expect((await next).status).toBe(200)
    await Promise.all([running, waiting])
  })
})
