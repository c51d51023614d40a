/**
 * Tests which clients get which of a version's lock keys, and when (client protocol, Locks), with a protocol
 * client.
 */
import { randomBytes } from 'node:crypto'
import { executionKey, lockKey, lockPad, openLease } from '@scriptward/client/leases'
import { beatAad, beatKeys, formatNumbered } from '@scriptward/client/live'
import { type BeatReply, LOCKS_LOADER_BUILD } from '@scriptward/client/live-messages'
import { fromB64u, seal, toB64u } from '@scriptward/client/wire'
import { lengthOfLock, openLock } from '@scriptward/obfuscator'
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine, type Engine, sqlite } from '../../../test/databases.ts'
import { START, serverOn, type TestServer } from '../../../test/harness.ts'
import { helloFor } from '../../../test/protocol/client.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { changeRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { packFenced } from '../builds/fenced-lz4.ts'
import { run as build } from '../builds/job.ts'
import { unpack } from '../builds/lz4.ts'
import { writeLocks } from '../builds/payloads.ts'
import { openEvent } from '../webhooks/events/events.ts'
import { insertWebhook } from '../webhooks/store/webhooks.ts'

const KEY = Buffer.alloc(32, 7)

/** Sets up a script whose only version has locks. Must be called inside a `describe`. */
function lockedScene(engine: Engine, clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  let made: Scene | undefined
  const scene = () => {
    if (!made) throw new Error('the scene is made before each test: ask for it inside one')
    return made
  }
  let begin = START
  beforeEach(async () => {
    // Each test starts later than the previous one, so that earlier limits no longer apply.
    begin += 60_000
    at().clock.now = begin
    made = await makeScene(at())
    await lock(at(), made.scriptId)
  })
  const start = async () =>
    run(scene().client, scene().scriptId, { lb: LOCKS_LOADER_BUILD, key: await scene().addUser() })
  return { at, scene, start }
}

/** The script has one function for each lock that the tests need. */
const FUNCTIONS = 25
const SOURCE = Array.from(
  { length: FUNCTIONS },
  (_, i) => `local f${i} = WARD_ENCFUNC(function() return 'the treasure ${i}' end)`,
).join('\n')
/** The script is built with a fixed seed and key, so that the result never changes. */
const BUILT = built()

function built() {
  const options = { preset: 'light', parameters: ['ward'], seed: 1, serviceKey: KEY }
  const made = build({ source: SOURCE, options })
  if ('errors' in made) throw new Error(JSON.stringify(made.errors))
  return made
}

async function lock({ deps }: TestServer, scriptId: string): Promise<void> {
  const service_key = deps.secrets.seal('serviceKey', scriptId, KEY)
  const { payload, size, locks } = BUILT
  const parts = {
    service_key,
    payload,
    payload_size: size,
    locks: writeLocks(locks),
    slots: '[]',
    data: null,
  }
  await deps.db.transaction((tx) =>
    tx.updateTable('script_versions').set(parts).where('script_id', '=', scriptId).execute(),
  )
}

describe.each(anyEngine)('lock keys on $name', (engine) => {
  const { at, scene, start } = lockedScene(engine)

  it('come with the grant of a run without heartbeats; other runs get only the key of cold strings', async () => {
    const beating = await start()
    const cold = lockKey(executionKey(KEY, beating.exec), 0)
    expect(beating.grant.locks).toEqual({ cold: toB64u(cold) })
    await scene().edit('scripts', { use_heartbeat: 0 })
    const silent = await start()
    expect(silent.grant.locks).toEqual({ all: toB64u(executionKey(KEY, silent.exec)) })
  })

  it('are not sent to loaders that cannot use them', async () => {
    const key = await scene().addUser()
    expect(await scene().client.verdict(scene().scriptId, { ...LIVE, key })).toBe('outdated_loader')
    expect(await scene().client.verdict(scene().scriptId, { ...LIVE, lb: LOCKS_LOADER_BUILD, key })).toBe(
      'granted',
    )
  })

  it('are granted to heartbeats that request them', async () => {
    const running = await start()
    for (const locks of [[1], [2, 7]])
      expect(opened(running, await ask(running, locks))).toEqual(keysOf(running, locks))
    expect(await running.beat()).not.toHaveProperty('leases')
  })

  it('are the same when an unanswered heartbeat is retried', async () => {
    const running = await start()
    const body = askBody(running, [1])
    const first = await running.send(body)
    expect(await running.send(body)).toMatchObject({ status: 200, text: first.text })
    expect(opened(running, running.accept(first.text))).toEqual(keysOf(running, [1]))
  })

  it('are not granted to an instance that has to stop', async () => {
    const running = await start()
    await scene().edit('scripts', { enabled: 0 })
    const reply = await ask(running, [1])
    expect(reply).toMatchObject({ ok: false, kick: { reason: 'script_disabled' } })
    expect(reply).not.toHaveProperty('leases')
  })

  it.each([[[]], [[-1]], [[1.5]], [[100_000]], [Array.from({ length: 17 }, (_, i) => i)], ['1'], [[null]]])(
    'are not given for a heartbeat that requests %j, which changes nothing',
    async (q) => {
      const running = await start()
      const before = await instance()
      const { status, text } = await running.send(askBody(running, q))
      expect([status, JSON.parse(text).error.failed[0].field]).toEqual([400, 'box'])
      expect(await instance()).toEqual(before)
    },
  )

  it('do not exist for a version without locked code', async () => {
    const plain = await makeScene(at())
    const running = await run(plain.client, plain.scriptId, {
      lb: LOCKS_LOADER_BUILD,
      key: await plain.addUser(),
    })
    expect(running.grant).not.toHaveProperty('locks')
    expect(await ask(running, [1])).not.toHaveProperty('leases')
  })

  it('are those of the running version, even when another one is active', async () => {
    const running = await start()
    const { deps } = at()
    await deps.db.transaction(async (tx) => {
      const row = await tx
        .selectFrom('script_versions')
        .selectAll()
        .where('script_id', '=', scene().scriptId)
        .executeTakeFirstOrThrow()
      const { seq: _, ...version } = row
      const service_key = deps.secrets.seal('serviceKey', scene().scriptId, Buffer.alloc(32, 8))
      await tx
        .insertInto('script_versions')
        .values({ ...version, version: 2, service_key })
        .execute()
    })
    await scene().edit('scripts', { version: 2 })
    expect(opened(running, await ask(running, [1]))).toEqual(keysOf(running, [1]))
    const later = await start()
    const cold = lockKey(executionKey(Buffer.alloc(32, 8), later.exec), 0)
    expect(later.grant.locks).toEqual({ cold: toB64u(cold) })
  })

  it('are encrypted at rest and bound to their script', async () => {
    const { service_key } = await rowOf(at(), 'script_versions', { script_id: scene().scriptId })
    expect(Buffer.from(service_key ?? []).includes(KEY.subarray(0, 4))).toBe(false)
    const other = await makeScene(at())
    await changeRows(at(), 'script_versions', { script_id: other.scriptId }, { service_key })
    const hello = helloFor(other.scriptId, { key: await other.addUser() })
    const { body } = await other.client.request(await other.client.boot(other.scriptId), hello)
    expect((await other.client.post('/exec', body)).status).toBe(500)
  })

  const instance = () => rowOf(at(), 'instances', { script_id: scene().scriptId })
})

describe.each(anyEngine)('the limits of key requests on $name', (engine) => {
  const { at, start } = lockedScene(engine, 1)

  it('let a heartbeat with a request come sooner than others', async () => {
    const running = await start()
    for (const locks of [[1], [2]])
      expect(opened(running, await ask(running, locks))).toEqual(keysOf(running, locks))
    expect((await running.send(running.beatBody())).status).toBe(429)
    at().clock.now += 5000
    expect(await running.verdict()).toBe('ok')
  })

  it('return a key that the run already had immediately', async () => {
    const running = await start()
    for (let i = 0; i < 3; i++)
      expect(opened(running, await ask(running, [1, 2]))).toEqual(keysOf(running, [1, 2]))
  })

  it('grant no key early after the clock was set back', async () => {
    const running = await start()
    await ask(running, [1, 2])
    at().clock.now += 4000
    await ask(running, [3, 4])
    at().clock.now -= 4000
    expect(await ask(running, [5, 6, 7])).not.toHaveProperty('leases')
    at().clock.now += 6000
    expect(opened(running, await ask(running, [5, 6, 7]))).toEqual(keysOf(running, [5]))
  })

  it('ignore locks that the version does not have', async () => {
    const running = await start()
    expect(await ask(running, [FUNCTIONS + 1, 99_999])).not.toHaveProperty('leases')
    expect(opened(running, await ask(running, [1, 2]))).toEqual(keysOf(running, [1, 2]))
  })

  it('cap the number of requests', async () => {
    const running = await start()
    for (let i = 1; i <= 20; i += 1) expect((await ask(running, [i])).ok).toBe(true)
    expect((await running.send(askBody(running, [21]))).status).toBe(429)
    at().clock.now += 1000
    expect((await ask(running, [21])).ok).toBe(true)
  })

  it('pace the keys of a run at one every two seconds, no matter how it requests them', async () => {
    const running = await start()
    const all = Array.from({ length: 16 }, (_, i) => i + 1)
    const first = await ask(running, all)
    expect(opened(running, first)).toEqual(keysOf(running, [1, 2]))
    expect(first).toMatchObject({ lease_in: 2000 })
    const early = await ask(running, [3])
    expect(early).toMatchObject({ ok: true, lease_in: 2000 })
    expect(early).not.toHaveProperty('leases')
    at().clock.now += 2000
    expect(opened(running, await ask(running, all))).toEqual(keysOf(running, [1, 2, 3]))
    at().clock.now += 20_000
    const rested = await ask(running, [4, 5, 6, 7])
    expect(opened(running, rested)).toEqual(keysOf(running, [4, 5]))
    expect(rested).toMatchObject({ lease_in: 0 })
  })
})

describe.each(anyEngine)('the pace of automatic locks on $name', (engine) => {
  const { at, scene, start } = lockedScene(engine, 1)

  /** Locks with this number or higher are automatic. */
  const automatic = async (from: number) => {
    const locks = BUILT.locks.map((each, lock) => ({ ...each, isAutomatic: lock >= from }))
    const { scriptId: script_id } = scene()
    await changeRows(at(), 'script_versions', { script_id }, { locks: writeLocks(locks) })
  }
  const given = async (running: Running, locks: readonly number[]) => {
    const reply = await ask(running, locks)
    return [Object.keys(opened(running, reply)).map(Number), 'lease_in' in reply ? reply.lease_in : undefined]
  }

  it('is one key a second, after a fifth of them', async () => {
    await automatic(1)
    const running = await start()
    for (const locks of [
      [1, 2],
      [3, 4],
    ])
      expect(await given(running, locks)).toEqual([locks, 0])
    expect(await given(running, [5])).toEqual([[5], 1000])
    expect(await given(running, [6])).toEqual([[], 1000])
    at().clock.now += 1000
    expect(await given(running, [6, 7])).toEqual([[6], 1000])
  })

  it('is one key a second after the first four in a small script', async () => {
    await automatic(FUNCTIONS - 4)
    const running = await start()
    expect(await given(running, [21, 22])).toEqual([[21, 22], 0])
    expect(await given(running, [23, 24])).toEqual([[23, 24], 0])
    expect(await given(running, [25])).toEqual([[], 1000])
  })

  it('does not depend on the pace of marked functions', async () => {
    await automatic(6)
    const running = await start()
    expect(await given(running, [1, 2])).toEqual([[1, 2], 0])
    expect(await given(running, [3])).toEqual([[], 2000])
    expect(await given(running, [6, 7])).toEqual([[6, 7], 0])
    expect(await given(running, [8, 9])).toEqual([[8, 9], 1000])
    at().clock.now += 1000
    expect(await given(running, [3, 10])).toEqual([[10], 1000])
    at().clock.now += 1000
    expect(await given(running, [3])).toEqual([[3], 0])
  })
})

describe.each(anyEngine)('a run that requests most locks in one heartbeat on $name', (engine) => {
  const { at, scene, start } = lockedScene(engine, 1)

  const listen = () =>
    at().deps.db.transaction((tx) =>
      insertWebhook(tx, { project_id: scene().projectId, kind: 'blacklist', secret: '' }),
    )
  const reports = async () => {
    const rows = await rowsOf(at(), 'outbox')
    const own = rows.filter(
      (row) => row.project_id === scene().projectId && row.type === 'execution.suspected',
    )
    return own.map((event) => JSON.parse(openEvent(at().deps, event).data))
  }

  it('is reported once to the owner of the script, and continues', async () => {
    await listen()
    const running = await start()
    const most = Array.from({ length: 13 }, (_, i) => i + 1)
    for (let i = 0; i < 3; i++) expect((await ask(running, most)).ok).toBe(true)
    expect(await reports()).toMatchObject([
      {
        script: { id: scene().scriptId },
        execution: { id: running.exec },
        suspicion: { reason: 'locks_at_once', asked: 13, locks: FUNCTIONS },
      },
    ])
  })

  it('differs from one that requests locks one by one, or fewer of them', async () => {
    await listen()
    const running = await start()
    for (let i = 1; i <= 13; i++) {
      await ask(running, [i])
      at().clock.now += 2000
    }
    await ask(await start(), [1, 2, 3])
    expect(await reports()).toEqual([])
  })
})

describe('keys of one execution', () => {
  const { at, scene } = lockedScene(sqlite)

  const lb = LOCKS_LOADER_BUILD
  const copy = async () => {
    const { client, scriptId, addUser } = scene()
    const { reply, keys, script } = await client.run(scriptId, { lb, key: await addUser() })
    if (!reply.ok) throw new Error(reply.reason)
    return {
      exec: reply.exec,
      chunks: reply.payload.chunks,
      text: script ?? (await client.fetchScript(keys, reply)),
    }
  }
  const textsOf = ({ text }: { readonly text: string }, exec: string) =>
    BUILT.locks.map((place, i) => {
      const letters = Buffer.from(text).subarray(place.at, place.at + lengthOfLock(place))
      const pad = lockPad(lockKey(executionKey(KEY, exec), i), place.size)
      return Buffer.from(openLock(letters, pad)).toString('latin1')
    })

  async function expectOwnKeys() {
    const [one, other] = [await copy(), await copy()]
    for (const each of [one, other]) expect(textsOf(each, each.exec)[7]).toContain('the treasure 6')
    for (const text of [...textsOf(other, one.exec), ...textsOf(one, other.exec)])
      expect(text).not.toContain('treasure')
    return one
  }

  it('open only its own copy', async () => {
    expect((await expectOwnKeys()).chunks).toBe(0)
  })

  it('open only its own copy when it comes in chunks', async () => {
    const noise = randomBytes(400_000).toString('hex')
    const text = `${unpack(BUILT.payload, BUILT.size)}\n--${noise}`
    const fences = BUILT.locks.map((place) => ({ at: place.at, length: lengthOfLock(place) }))
    const parts = { payload: packFenced(text, fences), payload_size: text.length }
    await changeRows(at(), 'script_versions', { script_id: scene().scriptId }, parts)
    expect((await expectOwnKeys()).chunks).toBeGreaterThan(1)
  })
})

function askBody(running: Running, q: unknown): string {
  const { exec, state } = running
  const n = running.n + 1
  const box = seal(beatKeys(state).c2s, 0, beatAad(exec, n), JSON.stringify({ up: 1, q }))
  return formatNumbered({ exec, n, box })
}

async function ask(running: Running, locks: readonly number[]): Promise<BeatReply> {
  const { status, text } = await running.send(askBody(running, locks))
  expect(status).toBe(200)
  return running.accept(text)
}

const keysOf = ({ exec }: Running, locks: readonly number[]) =>
  Object.fromEntries(
    locks.map((number) => [number, lockKey(executionKey(KEY, exec), number).toString('hex')]),
  )

function opened({ exec, keys }: Running, reply: BeatReply): Record<string, string | undefined> {
  if (!reply.ok) throw new Error(reply.kick.reason)
  const sealed = { exec, leaseKey: keys.lease, r: Buffer.from(reply.r, 'base64url') }
  const boxes = Object.entries(reply.leases ?? {})
  return Object.fromEntries(
    boxes.map(([name, box]) => [
      name,
      openLease(sealed, Number(name), fromB64u(box) ?? Buffer.alloc(0))?.toString('hex'),
    ]),
  )
}
