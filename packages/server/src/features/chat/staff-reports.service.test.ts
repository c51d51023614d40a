/** Staff commands that report on a project or trace a leaked file, in the format that Discord sends. */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { STAFF_ROLE } from '../../../test/chat/fake-discord.ts'
import { type DiscordPerson, type DiscordScene, discordOn } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { createScript } from '../../../test/nouns.ts'
import { component, ProtocolClient } from '../../../test/protocol/client.ts'
import { RULES } from '../../platform/limits/rules.ts'
import { insertErrorGroup } from '../errors/store/error-groups.ts'

const DAY = 86_400_000
const MB = 1_048_576
const JO = '410000000000000001'
const SAM = '410000000000000003'
const HOSTILE = '**bold** @everyone 🎉'
const SHOWN = '\\*\\*bold\\*\\* \\@everyone 🎉'
const SOURCE = `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`

describe.each(anyEngine)('reports for staff on $name', (engine) => {
  const { at, discord, scene: newScene } = discordOn(engine)
  let scene: DiscordScene
  let sam: DiscordPerson
  beforeEach(async () => {
    scene = await newScene()
    sam = scene.person(SAM, { roles: [STAFF_ROLE], name: 'sam' })
  })
  const addScript = (members: object = {}) =>
    createScript(scene.owner, scene.projectId, { name: 'Garden', script: SOURCE, ...members })
  const run = async (script: string, key: string): Promise<string> => {
    const client = new ProtocolClient(at().url)
    const done = await client.run(script, { key, fp: { machine_id: component(`of ${key}`) } })
    if (!done.reply.ok) throw new Error(done.reply.reason)
    return done.script ?? (await client.fetchScript(done.keys, done.reply))
  }
  const become = (role: string) =>
    scene.owner.post(`${scene.path}/discord/edit`, { staff: [{ chat_role_id: STAFF_ROLE, role }] })

  it('count runs, keys and live sessions', async () => {
    const script = await addScript()
    const key = await scene.addKey()
    await scene.addKey({ key_expires: START + 60_000 })
    await run(script, key)
    await run(script, key)
    at().clock.now += 2 * DAY
    await run(script, key)
    const { text, isPrivate } = await sam.command('stats')
    expect(isPrivate).toBe(true)
    expect(text).toContain('Garden\nRuns today: 1\nRuns in 7 days: 3\nLive sessions: 0')
    expect(text).toContain('Keys: Active: 1\nExpired: 1')
    at().clock.now += 7 * DAY
    expect((await sam.command('stats')).text).toContain('Runs today: 0\nRuns in 7 days: 0')
  })

  it('name the most frequent open errors with their line and users', async () => {
    expect((await sam.command('errors')).text).toContain('There are no open errors.')
    const script = await addScript()
    const place = { output_line: 9, file: null, line: 3, function: 'buy' }
    const group = (n: number, members: object = {}) => ({
      ...{ id: `err_${script}${n}`, project_id: scene.projectId, script_id: script, fingerprint: `f${n}` },
      ...{ kind: 'crash' as const, message: `error ${n}`, place: JSON.stringify(place) },
      ...{ first_at: START, last_at: START, first_version: 1, last_version: 1 },
      ...{ occurrences: 10 * n, runs: 1, customers: n, ...members },
    })
    await at().deps.db.transaction(async (tx) => {
      for (let n = 1; n <= 6; n += 1) await insertErrorGroup(tx, group(n))
      const file = { ...place, file: 'src/shop.lua' }
      await insertErrorGroup(
        tx,
        group(7, { message: HOSTILE, occurrences: 5000, place: JSON.stringify(file) }),
      )
      await insertErrorGroup(tx, group(8, { state: 'resolved' }))
    })
    const { text } = await sam.command('errors')
    expect(text).toContain('7 open errors\nThese are the most frequent errors.')
    expect(text).toContain(`${SHOWN}: Garden, src/shop.lua\\:3\n7 users, 5,000 times, last`)
    expect(text).toContain('error 6: Garden\\:3\n6 users, 60 times, last')
    expect(text).not.toContain('error 2')
    expect(text).not.toContain('error 8')
  })

  it('find the key that a leaked copy was made for, among all scripts', async () => {
    const script = await addScript()
    await addScript({ name: 'Other', script: `print('something else', 7 * 6, 'and more of it')` })
    const key = await scene.addKey({ chat_id: JO, note: HOSTILE })
    await run(script, await scene.addKey())
    const copy = await run(script, key)
    const file = discord.addFile('leak.lua', Buffer.from(copy))
    const { text, isPrivate } = await sam.attach('leak', file)
    expect(isPrivate).toBe(true)
    expect(text).toContain('This is a copy of **Garden**. It was delivered to:')
    expect(text).toContain(`Key ${key.slice(0, 4)}…${key.slice(-4)}: <@${JO}>\nNote: ${SHOWN}\nVersion 1`)
    expect(text).toContain('is conclusive')
    expect(text).not.toContain(key)
    const { traces } = (await scene.owner.get(`${scene.path}/traces`)).body as { traces: object[] }
    expect(traces).toMatchObject([{ actor: { kind: 'chat', id: SAM }, matches: 1 }])
    const { entries } = (await scene.owner.get('/v1/audit')).body as {
      entries: { action: string; nouns: object }[]
    }
    expect(entries.find(({ action }) => action === 'v1.scripts.trace')?.nouns).toMatchObject({
      script_id: script,
    })
    const wrong = await sam.attach('leak', file, { script: 'other' })
    expect(wrong.text).toContain('not a copy of a protected script')
  })

  it('say what is wrong with a file, and keep no trace of it', async () => {
    await addScript()
    const send = async (content: Buffer) => (await sam.attach('leak', discord.addFile('x.lua', content))).text
    expect(await send(Buffer.from('print("hi")'))).toContain('not a copy of a protected script')
    expect(await send(Buffer.alloc(0))).toContain('This file is empty.')
    const big = await send(Buffer.alloc(8 * MB + MB / 2))
    expect(big).toContain('This file is 8.5 MB, and the limit is 8 MB. Attach a part of it')
    const lost = { ...discord.addFile('x.lua', Buffer.from('x')), url: 'https://a.example/x.lua' }
    expect((await sam.attach('leak', lost)).text).toContain("couldn't be downloaded")
    const { traces } = (await scene.owner.get(`${scene.path}/traces`)).body as { traces: object[] }
    expect(traces).toEqual([])
  })

  it('read a file of 8 MB that is no script', async () => {
    await addScript()
    const { text } = await sam.attach('leak', discord.addFile('noise.bin', randomBytes(8 * MB)))
    expect(text).toContain('not a copy of a protected script')
  })

  it('show only what the role shows', async () => {
    const script = await addScript()
    const key = await scene.addKey({ chat_id: JO })
    const copy = await run(script, key)
    await become('support')
    expect((await sam.attach('leak', discord.addFile('x.lua', Buffer.from(copy)))).text).toContain(
      "You can't use this command",
    )
    expect((await sam.command('stats')).text).toContain('Keys: Active: 1')
    expect((await scene.person(JO).command('stats')).text).toContain("You can't use this command")
    expect((await scene.person(JO).command('errors')).text).toContain("You can't use this command")
  })
})

describe.each(anyEngine)('the limit of traces on $name', (engine) => {
  const { at, discord, scene } = discordOn(engine, { clientRates: 1 })

  it('is reached before a file is downloaded', async () => {
    const { owner, projectId, person } = await scene()
    await createScript(owner, projectId, { script: SOURCE })
    const sam = person(SAM, { roles: [STAFF_ROLE] })
    const send = async () =>
      (await sam.attach('leak', discord.addFile('x.lua', Buffer.from('print("hi")')))).text
    const downloads = () => discord.requests.filter(({ path }) => path.startsWith('/files/')).length
    for (let sent = 0; sent < RULES.trace.burst; sent += 1) expect(await send()).toContain('not a copy')
    expect(downloads()).toBe(RULES.trace.burst)
    expect(await send()).toBe('Too many requests. Retry in 10 s.')
    expect(downloads()).toBe(RULES.trace.burst)
    at().clock.now += 60_000 / RULES.trace.perMinute
    expect(await send()).toContain('not a copy')
  })
})
