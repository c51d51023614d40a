/**
 * Tests how two processes see the sessions of their installation, round by round, with one database and one
 * Valkey server.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { updateEpoch } from '../../src/features/sessions/store/live-instances.ts'
import { Valkey } from '../../src/platform/valkey/valkey.ts'
import { ProcessBus, ProcessUnreachable } from '../../src/protocol/sessions/bus.ts'
import { type SessionBus, SessionNetwork } from '../../src/protocol/sessions/network.ts'
import type { Connection, Session, SessionFilter, SessionRange } from '../../src/protocol/sessions/session.ts'
import { SessionHub } from '../../src/protocol/sessions/session-hub.ts'
import { engines, type TestDatabase } from '../databases.ts'
import { until } from '../patience.ts'
import { AT, customer, instance, project, tier } from '../store/rows.ts'
import { startValkey, type ValkeyServer } from './valkey-server.ts'

/** Number of silent rounds after which the other processes consider a process dead. */
const ROUNDS = 12
const MESSAGE = { key: 'greet', data: null }
let count = 0
/**
 * Timeout for Valkey commands. It is long, because an event would be lost if its command timed out on a busy
 * machine.
 */
const COMMAND_MS = 120_000
/** Waits for replies longer than any test. */
const PATIENT = { waitMs: 120_000 }

describe.each(engines)('two processes on $name', (engine) => {
  let db: TestDatabase
  let server: ValkeyServer
  const opened: { network: SessionNetwork; valkey: Valkey }[] = []
  /**
   * The names are unique per test, because data from the previous test is still being written and sent when
   * the next test starts.
   */
  let [home, other] = ['', '']
  beforeAll(async () => {
    db = await engine.open()
    server = await startValkey()
    await db.transaction(async (tx) => {
      await tx.insertInto('tiers').values(tier).execute()
      await tx.insertInto('customers').values(customer).execute()
    })
  })
  beforeEach(async () => {
    count += 1
    const ids = [`prj_${count}a`, `prj_${count}b`] as const
    const rows = ids.map((id) => ({ ...project, id }))
    await db.transaction((tx) => tx.insertInto('projects').values(rows).execute())
    ;[home, other] = ids
  })
  afterAll(async () => {
    for (const { network, valkey } of opened) {
      await network.close()
      valkey.close()
    }
    await server?.remove()
    await db?.remove()
  })

  const openValkey = () =>
    Valkey.open({ url: server.url, name: 'test', failed: () => {}, commandMs: COMMAND_MS })

  const startProcess = async ({ waitMs = 1000 } = {}) => {
    const id = `process_${opened.length}`
    const valkey = await openValkey()
    const hub = new SessionHub(waitMs, () => AT)
    const bus: SessionBus = new ProcessBus(valkey, id)
    const network = new SessionNetwork(hub, { bus, db }, waitMs)
    await network.open(() => {}, AT)
    opened.push({ network, valkey })
    let echoes = 0
    const onMessage = (channel: string) => {
      if (channel === id) echoes += 1
    }
    valkey.onMessages({ onMessage, onGap: () => {} })
    const rounds = (count: number) => roundsOf(network, count)
    /**
     * Runs enough rounds for the others to consider a silent process dead. Waits for an echo in each round,
     * because a process that receives no echoes would reconnect and miss events.
     */
    const outlive = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = echoes
        await rounds(1)
        await until(() => echoes > before)
      }
    }
    return { id, hub, network, valkey, rounds, outlive }
  }
  type Process = Awaited<ReturnType<typeof startProcess>>

  /** Runs `work` while a process receives every request and answers none. */
  const whileSilent = async (work: (process: string) => Promise<void>) => {
    const valkey = await openValkey()
    const bus: SessionBus = new ProcessBus(valkey, 'process_silent')
    const nothing = () => {}
    const answer = () => new Promise(nothing)
    await bus.open({ onNote: nothing, onEvent: nothing, onGap: nothing, answer })
    await work(bus.id).finally(() => valkey.close())
  }

  const whileValkeyIsAway = async (work: () => Promise<void>) => {
    await server.kill()
    await work().finally(() => server.start())
  }
  const begin = async (at: Process, members: Partial<Session> = {}, epoch = 1) => {
    const session = sessionOf({ project_id: home, ...members })
    const { exec, project_id, script_id, user_key, executor, place_id } = session
    await db.transaction(async (tx) => {
      const row = { ...instance, exec, project_id, script_id, user_key, executor, place_id }
      await tx
        .insertInto('instances')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await updateEpoch(tx, { exec, epoch, now: AT }, 60_000)
    })
    const closed: string[] = []
    const sent: string[] = []
    const connection: Connection = {
      ...SILENT,
      epoch,
      send: ({ id }) => sent.push(id) > 0,
      close: (reason) => void closed.push(reason),
    }
    const commands = epoch > 1 ? 0 : undefined
    return { session, closed, sent, registration: at.hub.register(session, connection, undefined, commands) }
  }
  const idsAt = async ({ network }: Process) =>
    (await network.list({ project_id: home })).map(({ id, state }) => `${id} ${state}`)

  it('review a session once the others can find it, because they may have tried to end it before', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const { session, registration } = await begin(first)
    const seen = () => first.hub.round(AT).seen.map(({ id }) => id)
    expect(seen()).toEqual([])
    await first.rounds(1)
    expect(await idsAt(second)).toEqual([`${session.id} ready`])
    expect(seen()).toEqual([session.id])
    expect(seen()).toEqual([])
    registration.leave()
    await first.rounds(1)
  })

  it('list, count and find the same as one process that holds all sessions', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const alone = new SessionHub(1000, () => AT)
    const members: Partial<Session>[] = [
      { created_at: AT + 5 },
      { created_at: AT + 1, user_key: null, executor: 'luajit' },
      { created_at: AT + 1, place_id: '77' },
      { created_at: AT + 9, script_id: 'scr_2', place_id: '77' },
      { created_at: AT + 3, project_id: other, place_id: '77' },
    ]
    const begun: Awaited<ReturnType<typeof begin>>[] = []
    for (const [i, one] of members.entries()) begun.push(await begin(i % 2 === 0 ? first : second, one))
    for (const { session } of begun.toSorted((a, b) => a.session.created_at - b.session.created_at))
      alone.register(session, SILENT)
    for (const one of [first, second]) await one.rounds(1)
    const filters: SessionFilter[] = [
      { customer_id: customer.id },
      { project_id: home },
      { project_id: home, user_key: null },
      { script_id: 'scr_2' },
      { project_id: home, user_key: 'key_1', place_id: '77' },
      { executor: 'luajit' },
      { project_id: home, job_id: 'none' },
    ]
    const [, after] = alone.list({ project_id: home }, { order: 'oldest' })
    const ranges: SessionRange[] = [
      { order: 'oldest' },
      { order: 'newest' },
      { order: 'oldest', from: 1, limit: 2 },
      { order: 'oldest', limit: 0 },
      ...(after ? [{ order: 'oldest', after, limit: 2 } as const, { order: 'newest', after } as const] : []),
    ]
    for (const { network } of [first, second])
      for (const filter of filters) {
        for (const range of ranges)
          expect((await network.list(filter, range)).map(withoutProcess)).toEqual(alone.list(filter, range))
        expect(await network.count(filter)).toBe(alone.count(filter))
      }
    expect(await second.network.countByProject(customer.id)).toEqual(
      new Map([
        [home, 4],
        [other, 1],
      ]),
    )
    const { session } = begun[0] as (typeof begun)[number]
    expect(await second.network.find(session.id)).toEqual({ ...session, process: first.id })
    expect([first.hub.size, second.hub.size]).toEqual([3, 2])
    for (const { registration } of begun) registration.leave()
    for (const one of [first, second]) await one.rounds(1)
    expect(await first.network.count({ customer_id: customer.id })).toBe(0)
  })

  it('end sessions that the other holds, when its client stops and by a filter', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const [stopped, filtered, kept] = [await begin(first), await begin(first), await begin(first)]
    await first.rounds(1)
    await second.network.ended(stopped.session.exec)
    await until(() => first.hub.size === 2)
    await second.network.end({ filter: { id: filtered.session.id }, reason: 'disconnected' })
    await until(() => first.hub.size === 1)
    await first.rounds(1)
    expect(await idsAt(second)).toEqual([`${kept.session.id} ready`])
    const living = await second.network.countProcesses()
    await first.network.close()
    expect(await second.network.countProcesses()).toBe(living - 1)
    await second.outlive()
    first.hub.close()
    kept.registration.leave()
  })

  it('notify watchers of both, in order and once the change is in the list', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const heard: string[] = []
    const listed: boolean[] = []
    const leave = await second.network.subscribe(home, {
      onEvent: ({ type, session }) => {
        heard.push(`${type} ${session.state}`)
        if (type === 'opened')
          void second.network.find(session.id).then((found) => listed.push(found !== undefined))
      },
      end: () => {},
    })
    const { session, registration } = await begin(first)
    registration.detach(AT)
    await until(() => heard.length === 2)
    await second.network.disconnect(session)
    await until(() => heard.length === 3 && listed.length === 1)
    expect(heard).toEqual(['opened ready', 'detached detached', 'closed detached'])
    leave()
  })

  it('end the sessions of a silent process, which gets them back when it returns', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const heard: string[] = []
    await second.network.subscribe(home, { onEvent: ({ type }) => heard.push(type), end: () => {} })
    const left = await begin(first)
    const gone = await begin(first)
    await first.rounds(1)
    await second.outlive()
    expect(await idsAt(second)).toEqual([])
    expect(await second.network.find(left.session.id)).toBeUndefined()
    await begin(second, gone.session, 2)
    await second.rounds(1)
    await first.rounds(2)
    for (const one of [first, second])
      expect(await idsAt(one)).toEqual([`${left.session.id} ready`, `${gone.session.id} ready`].sort())
    expect((await first.network.list({ id: gone.session.id }))[0]).toMatchObject({ process: second.id })
    expect([first.hub.size, gone.closed]).toEqual([1, ['replaced']])
    await until(() => heard.length === 6)
    // The previous holder reports no event for the moved session.
    expect(heard.toSorted()).toEqual(['closed', 'closed', 'opened', 'opened', 'resumed', 'resumed'])
    for (const { hub } of [first, second]) hub.close()
    for (const one of [first, second]) await one.rounds(1)
  })

  it('forget the sessions of a dead process, even those whose runs have been deleted since', async () => {
    const [dying, other] = [await startProcess(), await startProcess()]
    const [gone, left] = [await begin(dying), await begin(dying)]
    await dying.rounds(1)
    await db.transaction((tx) => tx.deleteFrom('instances').where('exec', '=', gone.session.exec).execute())
    await other.outlive()
    const execs = [gone, left].map(({ session }) => session.exec)
    const rows = await db.read.selectFrom('sessions').select('exec').where('exec', 'in', execs).execute()
    expect(rows).toEqual([])
    expect((await other.network.countByProject(customer.id)).get(home)).toBeUndefined()
  })

  it('move a session whose holder cannot be reached, and ignore that holder afterward', async () => {
    const [first, second] = [await startProcess(), await startProcess()]
    const { session, registration } = await begin(first)
    await first.rounds(1)
    await whileValkeyIsAway(async () => {
      await until(async () => isUnreachable(second.network.ask({ id: session.id }, MESSAGE)))
      const taken = await second.network.takeOver(session.exec, session.id)
      expect(taken).toEqual({ session })
      await begin(second, session, 2)
      await second.rounds(1)
      registration.detach(AT)
      await first.rounds(2)
      expect(first.hub.size).toBe(0)
      expect(await idsAt(first)).toEqual([`${session.id} ready`])
    })
    let outcome: unknown
    await until(async () => {
      outcome = await first.network.ask({ id: session.id, process: first.id }, MESSAGE).catch(() => undefined)
      return outcome !== undefined
    })
    expect(outcome).toEqual({ processed: false, reason: 'client never responded' })
    expect(await first.network.disconnect({ id: session.id })).toBe(true)
    await second.rounds(1)
    expect(await first.network.disconnect({ id: session.id })).toBe(false)
  })

  it('deliver a reply that came while Valkey was down', async () => {
    const [first, second] = [await startProcess(PATIENT), await startProcess(PATIENT)]
    const { session, sent, registration } = await begin(first)
    await first.rounds(1)
    const asked = second.network.ask({ id: session.id }, MESSAGE)
    await until(() => sent.length > 0)
    // Valkey answers in order, so the request is known to be received before Valkey ends.
    await second.valkey.ping()
    await whileValkeyIsAway(async () => registration.reply('1', { ok: true, data: { n: 3 } }))
    let outcome: unknown
    void asked.then((given) => (outcome = given))
    await until(async () => {
      // Without rounds of its own, the second process would soon count as dead.
      for (const one of [first, second]) await one.rounds(1)
      return outcome !== undefined
    })
    expect(outcome).toEqual({ processed: true, response: { n: 3 } })
    registration.leave()
    await first.rounds(1)
  })

  it('do not call a session gone if its process does not answer', async () => {
    const { network } = await startProcess()
    await whileSilent(async (process) => {
      const held = { id: 'ses_held', process }
      const [outcome, isUnsure] = await Promise.all([
        network.ask(held, MESSAGE),
        isUnreachable(network.disconnect(held)),
      ])
      expect(outcome).toEqual({ processed: false, reason: 'client never responded' })
      expect(isUnsure).toBe(true)
    })
  })

  it('end the streams that may have missed events while Valkey was down', async () => {
    const [first] = [await startProcess(), await startProcess()]
    let ended = 0
    await first.network.subscribe(home, { onEvent: () => {}, end: () => (ended += 1) })
    await whileValkeyIsAway(async () => {})
    await until(() => ended > 0)
  })
})

async function roundsOf(network: SessionNetwork, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await network.round(AT + i)
}

async function isUnreachable(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked
    return false
  } catch (error) {
    return error instanceof ProcessUnreachable
  }
}

function withoutProcess({ process, ...session }: Session & { readonly process?: string }): Session {
  return session
}

function sessionOf(members: Partial<Session>): Session {
  count += 1
  const id = `ses_${String(count).padStart(3, '0')}`
  return {
    ...{ id, exec: `exe_${id}`, customer_id: customer.id, project_id: '', script_id: 'scr_1' },
    ...{ user_key: 'key_1', executor: 'lua5.1', game_user_id: null, place_id: null, job_id: null },
    ...{ script_version: 1, state: 'ready', created_at: AT, last_seen: AT },
    ...members,
  }
}

const SILENT: Connection = {
  epoch: 1,
  send: () => true,
  answer: () => {},
  kick: () => {},
  close: () => {},
  update: () => {},
  ping: () => true,
}
