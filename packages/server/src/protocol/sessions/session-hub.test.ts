/** Guarantees of the hub, regardless of how a session's client behaves. */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { boundOf } from '../../../test/live-sessions.ts'
import { type Command, MAX_COMMANDS, MAX_DATA_BYTES } from './commands.ts'
import type { Session } from './session.ts'
import { SessionHub } from './session-hub.ts'

const SESSION: Session = {
  id: 'ses_1',
  exec: 'exe_ses_1',
  customer_id: 'cus_1',
  project_id: 'prj_1',
  script_id: 'scr_1',
  user_key: 'key_1',
  executor: 'lua5.1',
  game_user_id: null,
  place_id: '77',
  job_id: null,
  script_version: 1,
  state: 'ready',
  created_at: 1,
  last_seen: 1,
}
const MESSAGE = { key: 'greet', data: { name: 'Ada' } }

/** Registers a session whose connection records everything sent to it. */
function join(hub: SessionHub, session: Partial<Session> = {}) {
  const sent: Command[] = []
  const answers: unknown[] = []
  const connection = { sent, answers, kicked: 0, closed: [] as string[], takes: true }
  const exec = `exe_${session.id ?? SESSION.id}`
  const registration = hub.register(
    { ...SESSION, exec, ...session },
    {
      epoch: 1,
      send: (command) => connection.takes && sent.push(command) > 0,
      answer: (id, answer) => void answers.push({ id, ...answer }),
      kick: () => {
        connection.kicked += 1
      },
      close: (reason) => void connection.closed.push(reason),
      update: () => {},
      ping: () => true,
    },
  )
  return { ...boundOf(registration), connection, sent }
}

describe('a message', () => {
  it('is delivered once and resolves to the value that the client returned', async () => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    const asked = hub.ask('ses_1', MESSAGE)
    await Promise.resolve()
    expect(client.sent).toEqual([{ ...MESSAGE, id: '1', ttl: 1000 }])
    client.reply('1', { ok: true, data: { greeting: 'hello' } })
    expect(await asked).toEqual({ processed: true, response: { greeting: 'hello' } })
  })

  it('is matched with its own reply among many', async () => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    const asked = [hub.ask('ses_1', MESSAGE), hub.ask('ses_1', MESSAGE)]
    client.reply('2', { ok: true, data: { n: 2 } })
    client.reply('1', { ok: true })
    expect(await Promise.all(asked)).toEqual([
      { processed: true, response: null },
      { processed: true, response: { n: 2 } },
    ])
  })

  it('times out at the limit and ignores later replies', async () => {
    const hub = new SessionHub(20, () => 1)
    const client = join(hub)
    expect(await hub.ask('ses_1', MESSAGE)).toEqual({ processed: false, reason: 'client never responded' })
    client.reply('1', { ok: true, data: {} })
    const next = hub.ask('ses_1', MESSAGE)
    client.reply('2', { ok: true, data: { late: false } })
    expect(await next).toEqual({ processed: true, response: { late: false } })
  })

  it.each([
    { reply: { ok: true, data: 'text' }, reason: 'invalid return data' },
    { reply: { ok: true, data: 1 }, reason: 'invalid return data' },
    { reply: { ok: true, data: { long: 'x'.repeat(MAX_DATA_BYTES) } }, reason: 'invalid return data' },
    { reply: { ok: true, data: nested(50_000) }, reason: 'invalid return data' },
    { reply: { ok: false, reason: 'invalid return data' }, reason: 'invalid return data' },
    { reply: { ok: false, reason: 'function doesnt exist' }, reason: 'function doesnt exist' },
    { reply: { ok: false, reason: 'boom' }, reason: 'function errored, message: boom' },
    {
      reply: { ok: false, reason: `function errored, message: ${'x'.repeat(600)}` },
      reason: `function errored, message: ${'x'.repeat(500)}`,
    },
  ] as const)('that failed in the client returns "$reason"', async ({ reply, reason }) => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    const asked = hub.ask('ses_1', MESSAGE)
    client.reply('1', reply)
    expect(await asked).toEqual({ processed: false, reason })
  })

  it('is rejected while too many are pending or the connection is congested', async () => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    const full = { processed: false, reason: 'session queue full' }
    const asked = Array.from({ length: MAX_COMMANDS }, () => hub.ask('ses_1', MESSAGE))
    expect(await hub.ask('ses_1', MESSAGE)).toEqual(full)
    client.reply('1', { ok: true })
    client.connection.takes = false
    expect(await hub.ask('ses_1', MESSAGE)).toEqual(full)
    client.connection.takes = true
    const last = hub.ask('ses_1', MESSAGE)
    client.leave()
    const outcomes = await Promise.all([...asked.slice(1), last])
    expect(outcomes).toEqual(outcomes.map(() => ({ processed: false, reason: 'session disconnected' })))
  })
})

describe('a session', () => {
  it('exists until it leaves, which settles its pending commands', async () => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    client.seen(9)
    client.detach(10)
    expect(await hub.find('ses_1')).toEqual({ ...SESSION, state: 'detached', last_seen: 9 })
    const asked = hub.ask('ses_1', MESSAGE)
    // A closed connection no longer affects its session.
    client.leave()
    expect(await hub.find('ses_1')).toBeDefined()
    await hub.disconnect('ses_1')
    expect(await asked).toEqual({ processed: false, reason: 'session disconnected' })
    expect(await hub.find('ses_1')).toBeUndefined()
    expect(await hub.ask('ses_1', MESSAGE)).toBeUndefined()
    expect(await hub.disconnect('ses_1')).toBe(false)
  })

  it('is kicked once when it is disconnected', async () => {
    const hub = new SessionHub(1000, () => 1)
    const client = join(hub)
    expect(await Promise.all([hub.disconnect('ses_1'), hub.disconnect('ses_1')])).toEqual([true, false])
    expect(client.connection.kicked).toBe(1)
  })

  it('replaces the previous one when it registers again, and survives the end of the old connection', async () => {
    const hub = new SessionHub(1000, () => 1)
    const former = join(hub)
    const asked = hub.ask('ses_1', MESSAGE)
    join(hub, { executor: 'luajit' })
    expect(await asked).toEqual({ processed: false, reason: 'session disconnected' })
    former.leave()
    expect(await hub.list({ user_key: 'key_1' })).toEqual([{ ...SESSION, executor: 'luajit' }])
  })

  it('is listed by every filter, ordered by start time', async () => {
    const hub = new SessionHub(1000, () => 1)
    join(hub)
    join(hub, { id: 'ses_2', user_key: null, place_id: '78' })
    join(hub, { id: 'ses_3', script_id: 'scr_2' }).leave()
    join(hub, { id: 'ses_4', customer_id: 'cus_2', project_id: 'prj_2', script_id: 'scr_3' })
    const ids = async (filter: Parameters<SessionHub['list']>[0]) =>
      (await hub.list(filter)).map(({ id }) => id)
    expect(await ids({})).toEqual(['ses_1', 'ses_2', 'ses_4'])
    expect(await ids({ customer_id: 'cus_1' })).toEqual(['ses_1', 'ses_2'])
    expect(await ids({ user_key: 'key_1' })).toEqual(['ses_1', 'ses_4'])
    expect(await ids({ user_key: 'key_1', project_id: 'prj_1' })).toEqual(['ses_1'])
    expect(await ids({ script_id: 'scr_1', place_id: '78' })).toEqual(['ses_2'])
    expect(await ids({ script_id: 'scr_2' })).toEqual([])
  })

  it('ends when the server stops, which settles pending commands', async () => {
    const hub = new SessionHub(60_000, () => 1)
    const client = join(hub)
    const asked = hub.ask('ses_1', MESSAGE)
    hub.close()
    expect(await Promise.race([asked, wait(1000)])).toEqual({
      processed: false,
      reason: 'session disconnected',
    })
    expect(client.connection).toMatchObject({ kicked: 0, closed: ['restart'] })
    expect(await hub.list({})).toEqual([])
  })
})

function nested(depth: number): object {
  let value = {}
  for (let i = 0; i < depth; i += 1) value = { value }
  return value
}

describe('a call', () => {
  const ask = { t: 'call', id: '1', epoch: 1, a: ['price'] } as const

  it('whose session ends in the meantime gets no answer', async () => {
    const hub = new SessionHub(1000, () => 1)
    const answered = Promise.withResolvers<{ value: number }>()
    hub.answerCalls(() => answered.promise)
    const client = join(hub)
    client.call(ask)
    hub.disconnect('ses_1', 'key_expired')
    answered.resolve({ value: 30 })
    await wait(0)
    expect(client.connection).toMatchObject({ kicked: 1, answers: [] })
  })

  it('of a connection that another has replaced does nothing', async () => {
    const hub = new SessionHub(1000, () => 1)
    hub.answerCalls(async () => ({ value: 30 }))
    const former = join(hub)
    const newer = join(hub)
    former.call(ask)
    newer.call(ask)
    await wait(0)
    expect([former.connection.answers, newer.connection.answers]).toEqual([[], [{ id: '1', value: 30 }]])
  })
})
