/**
 * Remote variables: who receives which variables, how changes arrive, and how silent overwrites are
 * prevented.
 */
import type { ChangingVariables } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { PING_MS } from '../../../../client/src/live-messages.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { shopOn } from '../../../test/plans/shop.ts'
import { run } from '../../../test/protocol/running.ts'
import { rowsOf } from '../../../test/stored.ts'
import { reconcileSessions } from '../sessions/reconcile.ts'

describe.each(anyEngine)('remote variables on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, play } = shopOn(engine)
  const path = () => `/v1/projects/${scene().projectId}/variables`
  const read = async () => (await scene().owner.get(path())).body
  const put = async (variables: object, version?: number) =>
    scene().owner.put(path(), { version: version ?? (await read()).version, variables })
  const set = (values: Readonly<Record<string, unknown>>) =>
    put(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])))
  const varsOf = (vars: ChangingVariables | undefined) => vars?.vars
  const anotherScript = async () =>
    (
      await scene().owner.post(`/projects/${scene().projectId}/scripts/new`, {
        name: 'Other',
        script: 'print(1)',
      })
    ).string('script_id')

  describe('are read and replaced', () => {
    it('as a whole, with any JSON and their limits, under the next version', async () => {
      expect(await read()).toMatchObject({ version: 0, updated_at: null, variables: {} })
      const pro = await plan()
      const motd = { value: 'Welcome "back" é😀', scripts: null, plans: null }
      const rates = {
        value: { slow: 0.5, list: [1, null, { a: [] }] },
        scripts: [scene().scriptId],
        plans: [pro],
      }
      expect((await put({ motd, rates, open: { value: false } })).body).toEqual({ success: true, version: 1 })
      later(5)
      const open = { value: false, scripts: null, plans: null }
      expect(await read()).toMatchObject({ version: 1, updated_at: START, variables: { motd, rates, open } })
      expect((await put({ motd })).body.version).toBe(2)
      expect(await read()).toMatchObject({ version: 2, updated_at: START + 5 })
      expect((await read()).variables).toEqual({ motd })
      expect((await put({})).body.version).toBe(3)
      expect((await read()).variables).toEqual({})
    })

    it('even if they name a script or a plan that was removed since', async () => {
      const [pro, other] = [await plan(), await anotherScript()]
      const { owner } = scene()
      const limited = { value: 1, scripts: [other], plans: [pro] }
      await put({ limited })
      expect((await owner.post(`/v1/plans/${pro}/remove`, {})).status).toBe(200)
      expect((await owner.post(`/scripts/${other}/remove`, {})).status).toBe(200)
      expect((await put({ limited: { ...limited, value: 2 }, motd: { value: 'new' } })).status).toBe(200)
      expect((await read()).variables).toMatchObject({ limited: { ...limited, value: 2 } })
      expect((await put({ limited, motd: { value: 1, plans: [pro] } })).error?.type).toBe('invalid_request')
    })

    it('only by clients that have read the current version', async () => {
      await set({ motd: 'one' })
      const answers = await Promise.all([
        put({ motd: { value: 'mine' } }, 1),
        put({ motd: { value: 'theirs' } }, 1),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const refused = answers.find(({ status }) => status === 409)
      expect(refused?.error).toMatchObject({ type: 'variables_changed', version: 2 })
      expect((await put({}, 7)).error.type).toBe('variables_changed')
    })

    it.each<[string, string, object]>([
      ['a name in capitals', 'variables', { Motd: { value: 1 } }],
      ['null', 'variables.motd.value', { motd: { value: null } }],
      ['a missing value', 'variables.motd.value', { motd: {} }],
      [
        'too many variables',
        'variables',
        Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`v${i}`, { value: 1 }])),
      ],
      [
        'too much content',
        'variables',
        { a: { value: 'é'.repeat(16_000) }, b: { value: 'é'.repeat(16_768) } },
      ],
      ['a value nested too deeply', 'variables.motd.value', { motd: { value: nested(17) } }],
      [
        'a script of another project',
        'variables.motd.scripts.0',
        { motd: { value: 1, scripts: ['scr_none'] } },
      ],
      ['a plan of another project', 'variables.motd.plans.0', { motd: { value: 1, plans: ['pln_none'] } }],
      ['an empty list of scripts', 'variables.motd.scripts', { motd: { value: 1, scripts: [] } }],
      ['an unknown field', 'variables.motd.secret', { motd: { value: 1, secret: 1 } }],
    ])('but not with %s', async (_, field, variables) => {
      const { status, error } = await put(variables)
      expect([status, error.type]).toEqual([400, 'invalid_request'])
      expect(JSON.stringify(error)).toContain(`"${field}`)
      expect((await read()).version).toBe(0)
    })

    it('but not with numbers that JSON cannot represent', async () => {
      const { status, text } = await scene().owner.send('PUT', path(), {
        headers: { 'content-type': 'application/json' },
        body: '{"version":0,"variables":{"motd":{"value":[1e999]}}}',
      })
      expect(status).toBe(400)
      expect(text).toContain('variables.motd.value')
    })

    it('up to 64 KiB in total, which a client receives completely', async () => {
      const most = { a: 'x'.repeat(65_536 - '{"a":"","b":[16]}'.length), b: [16] }
      await set(most)
      expect((await read()).version).toBe(1)
      expect((await play(await sell({}))).grant.vars.vars).toEqual(most)
    })

    it('by no other account', async () => {
      const stranger = await createOwner(at())
      expect((await stranger.owner.get(path())).status).toBe(404)
      expect((await stranger.owner.put(path(), { version: 0, variables: {} })).status).toBe(404)
    })
  })

  describe('are given to', () => {
    it('keys by their script and plan, and to guests without plans', async () => {
      const { scriptId, client, edit: change } = scene()
      const [pro, max] = [await plan({}, 'Pro'), await plan({}, 'Max')]
      const other = await anotherScript()
      await put({
        all: { value: 1 },
        here: { value: 2, scripts: [scriptId] },
        there: { value: 3, scripts: [other] },
        ofPro: { value: 4, plans: [pro] },
        of_pro: { value: 5, plans: [pro] },
        of_max: { value: 6, plans: [max, pro], scripts: [scriptId] },
        never: { value: 7, plans: [max], scripts: [other] },
      }).then(({ status }) => expect(status).toBe(400))
      await put({
        all: { value: 1 },
        here: { value: 2, scripts: [scriptId] },
        there: { value: 3, scripts: [other] },
        of_pro: { value: 5, plans: [pro] },
        of_both: { value: 6, plans: [max, pro], scripts: [scriptId] },
        never: { value: 7, plans: [max], scripts: [other] },
      })
      expect((await play(await sell({}))).grant.vars.vars).toEqual({ all: 1, here: 2 })
      expect((await play(await sell({ plan_id: pro }))).grant.vars.vars).toEqual({
        ...{ all: 1, here: 2, of_pro: 5, of_both: 6 },
      })
      expect((await play(await sell({ plan_id: max }))).grant.vars.vars).toEqual({
        all: 1,
        here: 2,
        of_both: 6,
      })
      await change('scripts', { free_for_all: 1 })
      expect((await run(client, scriptId, { key: null })).grant.vars.vars).toEqual({ all: 1, here: 2 })
    })

    it('no one if there are none', async () => {
      expect((await play(await sell({}))).grant.vars).not.toHaveProperty('vars')
      await put({ never: { value: 1, plans: [await plan()] } })
      expect((await play(await sell({}))).grant.vars).not.toHaveProperty('vars')
    })

    it('other software for a valid key, signed, without script-specific ones', async () => {
      const { projectId, scriptId, edit: change } = scene()
      await change('projects', { allow_checks: 1 })
      const pro = await plan()
      await put({
        all: { value: 1 },
        here: { value: 2, scripts: [scriptId] },
        pro: { value: 3, plans: [pro] },
      })
      const ask = async (key: string) => {
        const body = {
          project_id: projectId,
          key,
          fingerprint: 'A'.repeat(22),
          nonce: 'n'.repeat(16),
          claim: false,
        }
        return (await at().client().post('/client/v1/check', body)).body
      }
      expect((await ask(await sell({ plan_id: pro }))).vars).toEqual({ all: 1, pro: 3 })
      expect((await ask(await sell({}))).vars).toEqual({ all: 1 })
      expect(await ask('none-of-these')).toMatchObject({ success: false, vars: null })
    })
  })

  describe('arrive when they change', () => {
    it('with the next heartbeat, once, and only the changed ones', async () => {
      const running = await play(await sell({}))
      await set({ motd: 'hello', list: [1] })
      later(30_000)
      const first = await running.beat()
      expect(first).toMatchObject({ vars: { vars: { motd: 'hello', list: [1] }, note: null } })
      later(30_000)
      expect(await running.beat()).not.toHaveProperty('vars')
      await set({ motd: 'bye' })
      later(30_000)
      expect(await running.beat()).toMatchObject({ vars: { vars: { motd: 'bye' } } })
      await set({ motd: 'bye' })
      later(30_000)
      expect(await running.beat()).not.toHaveProperty('vars')
      await put({})
      later(30_000)
      expect(await running.beat()).toMatchObject({ vars: { vars: {} } })
    })

    it('over a session, immediately and only where they apply', async () => {
      const pro = await plan()
      const [one, other] = [await play(await sell({ plan_id: pro })), await play(await sell({}))]
      const sockets = [await one.connect(at().url), await other.connect(at().url)] as const
      for (const socket of sockets) await socket.frame('ready')
      await put({ secret: { value: 'for pro', plans: [pro] } })
      expect(varsOf(await sockets[0].frame('set'))).toEqual({ secret: 'for pro' })
      await put({ secret: { value: 'for pro', plans: [pro] }, all: { value: 1 } })
      expect(varsOf(await sockets[0].frame('set'))).toEqual({ secret: 'for pro', all: 1 })
      expect(varsOf(await sockets[1].frame('set'))).toEqual({ all: 1 })
    })

    it('without being resent when something else changes', async () => {
      await set({ motd: 'hello' })
      const id = await plan({ features: { slots: 3 } })
      const running = await play(await sell({ plan_id: id }))
      const socket = await running.connect(at().url)
      await socket.frame('ready')
      await edit(id, { features: { slots: 4 } })
      const frame = await socket.frame('set')
      expect(frame).toMatchObject({ features: { slots: 4 } })
      expect(frame).not.toHaveProperty('vars')
    })

    it('when a key gets another plan', async () => {
      const pro = await plan()
      await put({ secret: { value: 'for pro', plans: [pro] } })
      const key = await sell({})
      const running = await play(key)
      await scene().owner.post(`/v1/users/${key}/edit`, { plan_id: pro })
      later(30_000)
      expect(await running.beat()).toMatchObject({ vars: { plan: 'Pro', vars: { secret: 'for pro' } } })
    })

    it('later where many are large: the others wait for the next second', async () => {
      const { sessions } = at().deps.client.variableBytes
      const running = await play(await sell({}))
      const socket = await running.connect(at().url)
      await socket.frame('ready')
      // Uses up the bytes allowed in one second.
      while (sessions.take(1024 * 1024, at().clock.now));
      await set({ motd: 'hello' })
      expect(socket.frames).toEqual([])
      later(1000)
      await reconcileSessions(at().deps)
      expect(varsOf(await socket.frame('set'))).toEqual({ motd: 'hello' })
    })

    it('with a later heartbeat where many are large', async () => {
      const { beats } = at().deps.client.variableBytes
      const running = await play(await sell({}))
      await set({ motd: 'hello' })
      later(30_000)
      while (beats.take(1024 * 1024, at().clock.now));
      expect(await running.beat()).not.toHaveProperty('vars')
      later(30_000)
      expect(await running.beat()).toMatchObject({ vars: { vars: { motd: 'hello' } } })
    })
  })

  it('put their names, but no values, into an event and the audit log', async () => {
    await scene().owner.post(`/v1/projects/${scene().projectId}/edit`, {
      information_webhook: 'https://hooks.example.com/information',
    })
    await set({ motd: 'a-secret-of-mine', slots: 3 })
    await set({ motd: 'another-secret', slots: 3, more: true })
    const { body } = await scene().owner.get('/v1/audit?action=v1.variables.replace')
    const [entry] = body.entries as Record<string, unknown>[]
    expect(entry).toMatchObject({ nouns: { variables: 'more motd' } })
    expect(JSON.stringify(body)).not.toContain('secret')
    const rows = await rowsOf(at(), 'outbox', { project_id: scene().projectId })
    expect(rows).toMatchObject([{ type: 'variables.edited' }, { type: 'variables.edited' }])
  })

  describe('announcements', () => {
    const announcements = () => `/v1/projects/${scene().projectId}/announcements`
    const announce = (members: object = {}) =>
      scene().owner.post(announcements(), { text: 'hello', level: 'info', until: START + 60_000, ...members })
    const list = async () => (await scene().owner.get(announcements())).body.announcements as { id: string }[]

    it('are created, listed newest first, and removed', async () => {
      const { body } = await announce({
        text: ' Back at\nten ',
        level: 'critical',
        scripts: [scene().scriptId],
      })
      const first = {
        id: expect.stringMatching(/^ann_/),
        text: 'Back at\nten',
        level: 'critical',
        until: START + 60_000,
        scripts: [scene().scriptId],
        users: null,
        created_at: START,
      }
      expect(body.announcement).toEqual(first)
      await announce()
      expect(await list()).toMatchObject([{ text: 'hello', scripts: null }, first])
      const [newest] = await list()
      const path = `${announcements()}/${newest?.id}/remove`
      expect((await scene().owner.post(path)).body).toEqual({ success: true })
      expect((await scene().owner.post(path)).status).toBe(404)
      expect(await list()).toEqual([first])
      later(60_000)
      expect(await list()).toEqual([])
    })

    it.each<[string, object]>([
      ['text', { text: '   ' }],
      ['text', { text: 'x'.repeat(501) }],
      ['text', { text: 'a\u0007' }],
      ['level', { level: 'urgent' }],
      ['until', { until: START }],
      ['scripts.0', { scripts: ['scr_none'] }],
      ['scripts', { scripts: [] }],
    ])('need a valid %s', async (field, members) => {
      const { status, error } = await announce(members)
      expect(status).toBe(400)
      expect(JSON.stringify(error)).toContain(`"${field}`)
    })

    it('are at most fifty at a time', async () => {
      for (let i = 0; i < 50; i++) expect((await announce()).status).toBe(200)
      expect((await announce()).error).toMatchObject({ type: 'max_announcements_reached', limit: 50 })
      later(60_000)
      expect((await announce({ until: START + 90_000 })).status).toBe(200)
    })

    it('are sent to runs of their scripts, only the newest, until they expire', async () => {
      const older = await announce({ text: 'older', until: START + 80_000 })
      const newer = await announce({ text: 'newer', until: START + 40_000, level: 'warning' })
      await announce({ text: 'of another', scripts: [await anotherScript()] })
      const running = await play(await sell({}))
      const { id } = newer.body.announcement as { id: string }
      const shown = { id, text: 'newer', level: 'warning', until: START + 40_000 }
      expect(running.grant.vars.announcement).toEqual(shown)
      later(30_000)
      expect(await running.beat()).not.toHaveProperty('vars')
      later(30_000)
      const second = await running.beat()
      expect(second).toMatchObject({ vars: { announcement: { text: 'older' } } })
      const path = `${announcements()}/${(older.body.announcement as { id: string }).id}/remove`
      await scene().owner.post(path)
      later(30_000)
      const third = await running.beat()
      expect(third).toHaveProperty('vars')
      expect(third).not.toHaveProperty('vars.announcement')
    })

    it('arrive over a session immediately, and disappear when they expire', async () => {
      const running = await play(await sell({}))
      const socket = await running.connect(at().url)
      await socket.frame('ready')
      await announce({ until: START + 10_000 })
      expect(await socket.frame('set')).toMatchObject({ announcement: { text: 'hello', level: 'info' } })
      later(PING_MS)
      await reconcileSessions(at().deps)
      socket.send({ t: 'pong', n: (await socket.frame('ping')).n })
      await expect
        .poll(async () => {
          await reconcileSessions(at().deps)
          return socket.frames.length
        })
        .toBe(1)
      expect(await socket.frame('set')).not.toHaveProperty('announcement')
    })
  })

  it('are deleted and restored with their project', async () => {
    await set({ motd: 'hello' })
    const { owner, projectId } = scene()
    const body = { text: 'hello', level: 'info', until: START + 60_000 }
    await owner.post(`/v1/projects/${projectId}/announcements`, body)
    const removed = await owner.post(`/v1/projects/${projectId}/remove`)
    expect((await owner.get(path())).status).toBe(404)
    await owner.post(`/v1/changes/${removed.string('change_id')}/undo`)
    expect((await read()).variables).toMatchObject({ motd: { value: 'hello' } })
    const running = await play(await sell({}))
    expect(running.grant.vars).toMatchObject({ vars: { motd: 'hello' }, announcement: { text: 'hello' } })
  })
})

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = { in: value }
  return value
}
