/** Staff commands for individual keys and users, in the format that Discord sends. */
import { beforeEach, describe, expect, it } from 'vitest'
import { STAFF_ROLE } from '../../../test/chat/fake-discord.ts'
import { type DiscordPerson, type DiscordScene, discordOn } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { bindDevice, createScript, readUser } from '../../../test/nouns.ts'
import { component, ProtocolClient } from '../../../test/protocol/client.ts'

const DAY = 86_400_000
const JO = '410000000000000001'
const KIM = '410000000000000002'
const SAM = '410000000000000003'
/** Contains markup, a mention, an emoji and a character that reverses the writing direction. */
const HOSTILE = '**bold** @everyone <@1> ||x|| [a](https://a.example) 🎉 \u202Eevil'

const secondsOf = (ms: number) => `<t:${Math.floor(ms / 1000)}:R>`

describe.each(anyEngine)('staff on $name', (engine) => {
  const { at, scene: newScene } = discordOn(engine)
  let scene: DiscordScene
  let sam: DiscordPerson
  beforeEach(async () => {
    scene = await newScene()
    sam = scene.person(SAM, { roles: [STAFF_ROLE], name: 'sam' })
  })
  const addPlan = async (members: object = {}) =>
    (await scene.owner.post(`${scene.path}/plans/new`, { name: 'Premium', ...members })).string('plan_id')
  const linked = async (id: string, members: object = {}) => {
    const key = await scene.addKey({ chat_id: id, ...members })
    return { key, read: () => readUser(scene.owner, key) }
  }
  const actions = async () => {
    const { entries } = (await scene.owner.get('/v1/audit')).body as {
      entries: { action: string; actor: { kind: string; id: string; name: string } }[]
    }
    return entries.filter(({ actor }) => actor.kind === 'chat').map(({ action, actor }) => [action, actor.id])
  }

  it('give a key of a plan, which the customer then sees', async () => {
    const plan = await addPlan({ clock: { basis: 'creation', duration: 30 * DAY } })
    const given = await sam.command('key give', { user: JO, plan })
    const { key } = /\|\|`(?<key>\S+)`\|\|/.exec(given.text)?.groups ?? {}
    expect(given).toMatchObject({ status: 200, type: 4, isPrivate: true })
    expect(given.text).toContain(`<@${JO}> has a new key`)
    expect(given.text).toContain('Plan: Premium')
    expect(given.text).toContain(`Expires: ${secondsOf(START + 30 * DAY)}`)
    expect(await readUser(scene.owner, key ?? '')).toMatchObject({ chat_id: JO, plan_id: plan })
    expect((await scene.person(JO).command('mykey')).text).toContain(key)
    const again = await sam.command('key give', { user: JO, plan })
    expect(again.text).toContain(`<@${JO}> already has a key`)
    expect(await actions()).toEqual([['v1.projectUsers.create', SAM]])
  })

  it('give a key for another time than that of the plan, counted as the plan counts', async () => {
    const plan = await addPlan({ name: 'On use', clock: { basis: 'first_use', duration: 30 * DAY } })
    const given = await sam.command('key give', { user: JO, plan: ' ON USE ', time: '1d12h' })
    expect(given.text).toContain('Expires: 1 day 12 hours left once it runs')
    await addPlan()
    const fixed = await sam.command('key give', { user: KIM, plan: 'premium', time: '3d' })
    expect(fixed.text).toContain(`Expires: ${secondsOf(START + 3 * DAY)}`)
    expect(plan).toMatch(/^pln_/)
  })

  it('are told what is wrong with a plan or a time, and nothing is done', async () => {
    const none = await sam.command('key give', { user: JO, plan: 'Gold' })
    expect(none.text).toContain('This project has no plan yet')
    await addPlan()
    const unknown = await sam.command('key give', { user: JO, plan: HOSTILE })
    expect(unknown.text).toContain('There is no plan “\\*\\*bold')
    expect(unknown.text).not.toContain('@everyone <@1>')
    const soon = await sam.command('key give', { user: JO, plan: 'Premium', time: 'soon' })
    expect(soon.text).toContain('“soon” is not a duration. Use a form such as 3d, 1d12h or 90m.')
    expect(await actions()).toEqual([])
  })

  it('see plans and scripts while they type, and nobody else does', async () => {
    for (let n = 0; n < 30; n += 1) await addPlan({ name: `Plan ${n}` })
    await addPlan({ name: 'My plan 2' })
    const typed = await sam.type('key give', { user: JO, plan: 'plan 2' }, 'plan')
    expect(typed.choices.map(({ name }) => name)).toEqual([
      'Plan 2',
      ...Array.from({ length: 10 }, (_, n) => `Plan 2${n}`),
      'My plan 2',
    ])
    expect(typed.choices[0]?.value).toMatch(/^pln_/)
    expect((await sam.type('key give', { plan: '' }, 'plan')).choices).toHaveLength(25)
    const script = await createScript(scene.owner, scene.projectId, { name: 'Garden' })
    expect((await sam.type('rollback', { script: 'gar' }, 'script')).choices).toEqual([
      { name: 'Garden', value: script },
    ])
    expect((await scene.person(JO).type('key give', { plan: '' }, 'plan')).choices).toEqual([])
  })

  it('take a key, and undo it once', async () => {
    const { read } = await linked(JO)
    const taken = await sam.command('key take', { user: JO })
    expect(taken.text).toContain(`<@${JO}> no longer has a key`)
    expect((await scene.person(JO).command('mykey')).text).toContain('No key is linked')
    const undone = await sam.press(taken.buttons.Undo, '7')
    expect(undone.text).toContain('Undone: 1 key restored.')
    expect(await read()).toMatchObject({ chat_id: JO })
    expect((await sam.press(taken.buttons.Undo, '7')).text).toContain('already been done')
    // The same button on another message still works, so the server itself rejects the request, because the
    // change was already undone.
    expect((await sam.press(taken.buttons.Undo, '8')).text).toContain('This change was already undone.')
    expect((await actions()).toReversed()).toEqual([
      ['v1.users.remove', SAM],
      ['v1.changes.undo', SAM],
    ])
  })

  it('extend, pause and resume a key', async () => {
    const { read } = await linked(JO, { key_expires: START + DAY })
    expect((await sam.command('key extend', { user: JO, time: '2d' })).text).toContain(
      `Added 2 days to <@${JO}>'s key.`,
    )
    expect(await read()).toMatchObject({ key_expires: START + 3 * DAY })
    const paused = await sam.command('key pause', { user: JO })
    expect(paused.text).toContain('is paused')
    expect(paused.text).toContain('Status: Paused')
    expect(paused.text).toContain('Expires: 3 days left once it runs')
    expect((await sam.command('key pause', { user: JO })).text).toContain('already paused')
    expect((await sam.press(paused.buttons.Resume)).text).toContain('works again')
    expect((await sam.command('key resume', { user: JO })).text).toContain('not paused')
    expect((await sam.command('key extend', { user: JO, time: '0d' })).text).toContain('not a duration')
    await linked(KIM)
    expect((await sam.command('key extend', { user: KIM, time: '2d' })).text).toContain('never expires')
  })

  it('are told when a person has no key', async () => {
    for (const name of ['take', 'pause', 'resume', 'extend'])
      expect((await sam.command(`key ${name}`, { user: KIM, time: '1d' })).text).toContain(
        `No key is linked to <@${KIM}>`,
      )
    expect((await sam.command('why', { user: KIM })).text).toContain('No key is linked')
  })

  it('find keys by key, account and note, masked and without markup', async () => {
    const { key } = await linked(JO, { note: HOSTILE, key_expires: START + DAY })
    for (const text of [key.slice(3, 12), JO, `<@${JO}>`, 'BOLD']) {
      const { text: found } = await sam.command('key find', { text })
      expect(found).toContain(`${key.slice(0, 4)}…${key.slice(-4)}`)
      expect(found).toContain(`<@${JO}> · Active · None · Expires: ${secondsOf(START + DAY)}`)
      expect(found).toContain('Note: \\*\\*bold\\*\\* \\@everyone \\<\\@1\\> \\|\\|x\\|\\|')
      expect(found).toContain('🎉 evil')
      expect(found).not.toContain(key)
    }
    for (let n = 0; n < 6; n += 1) await scene.addKey({ note: `order ${n}` })
    const many = await sam.command('key find', { text: 'order' })
    expect(many.text).toContain('These are the first 5')
    expect((many.json.data as { embeds: { fields: object[] }[] }).embeds[0]?.fields).toHaveLength(5)
    expect((await sam.command('key find', { text: 'nobody' })).text).toContain('No keys found for “nobody”')
    expect((await sam.command('key find', { text: '  ' })).text).toContain('Enter part of a key')
  })

  it('see whose key it is, and nothing of the keys of other projects', async () => {
    const { key } = await linked(JO, { note: 'Order 7' })
    await bindDevice(at(), scene.projectId, key)
    const { text, isPrivate } = await sam.command('who', { key: ` ${key} ` })
    expect(isPrivate).toBe(true)
    expect(text).toContain(`Person: <@${JO}>`)
    expect(text).toContain('Runs: 0')
    expect(text).toContain('3fa9…c17e')
    expect(text).toContain('Note: Order 7')
    expect(text).not.toContain(key)
    const other = await scene.owner.post('/v1/projects/new', { name: 'Other' })
    const foreign = await scene.owner.post(`/v1/projects/${other.string('project_id')}/users/new`, {
      chat_id: KIM,
      note: 'foreign',
    })
    const theirs = foreign.string('user_key')
    expect((await sam.command('who', { key: theirs })).text).toContain('no such key')
    expect((await sam.command('key find', { text: 'foreign' })).text).toContain('No keys found')
    expect((await sam.command('key take', { user: KIM })).text).toContain('No key is linked')
    const removed = await scene.owner.post(`/v1/users/${theirs}/remove`)
    const undo = `undo?change=${removed.string('change_id')}`
    expect((await sam.press(undo)).text).toContain('no longer exists')
    expect((await scene.owner.get(`/v1/users/${theirs}`)).status).toBe(404)
  })

  it('see why the runs of someone were denied', async () => {
    const { key } = await linked(JO)
    expect((await sam.command('why', { user: JO })).text).toContain(`None of <@${JO}>'s runs were denied`)
    const script = await createScript(scene.owner, scene.projectId)
    await sam.command('key pause', { user: JO })
    await new ProtocolClient(at().url).run(script, { key, fp: { machine_id: component('a') } })
    const { text } = await sam.command('why', { user: JO })
    expect(text).toContain('Status: Paused')
    expect(text).toContain(`lua5.1: ${secondsOf(START)}`)
    expect(text).toContain('paused')
  })

  it('and customers see what helps after a denial at the time when they ask', async () => {
    const { key } = await linked(JO)
    const script = await createScript(scene.owner, scene.projectId)
    const run = (machine: string) =>
      new ProtocolClient(at().url).run(script, { key, fp: { machine_id: component(machine) } })
    await run('a')
    await run('b')
    const denied = async () => (await scene.person(JO).command('denied')).text
    expect(await denied()).toContain("Reset the device on your key's page")
    await sam.command('ban', { user: JO, time: '3d' })
    await run('a')
    const end = `Try again ${secondsOf(START + 3 * DAY)}`
    expect(await denied()).toContain('The block ends in 3 days')
    expect(await denied()).toContain(end)
    at().clock.now += 5 * DAY
    expect(await denied()).toContain('The block ends in 3 days')
    expect(await denied()).not.toContain(end)
  })

  it('block an account for a time with a reason, and unblock it', async () => {
    const { read } = await linked(JO)
    const banned = await sam.command('ban', { user: JO, time: '3d', reason: HOSTILE })
    expect(banned.text).toContain(`<@${JO}> is blocked until ${secondsOf(START + 3 * DAY)}`)
    expect(banned.text).toContain('Reason: \\*\\*bold')
    expect(await read()).toMatchObject({ status: 'blacklisted', ban: { kind: 'chat', value: JO } })
    expect((await sam.command('why', { user: JO })).text).toContain('Status: Blocked: \\*\\*bold')
    expect((await sam.command('ban', { user: JO })).text).toContain('already blocked')
    expect((await sam.press(banned.buttons.Unblock)).text).toContain('can run your scripts again')
    expect((await sam.command('unban', { user: JO })).text).toContain(`<@${JO}> is not blocked`)
    expect((await sam.command('ban', { user: KIM })).text).toContain('is blocked permanently')
    expect((await sam.command('ban', { user: SAM, time: 'soon' })).text).toContain('not a duration')
    expect((await actions()).toReversed()).toEqual([
      ['v1.bans.create', SAM],
      ['v1.bans.remove', SAM],
      ['v1.bans.create', SAM],
    ])
  })

  it('can do only what their role allows, in this project alone', async () => {
    const { key, read } = await linked(JO)
    await addPlan()
    const staff = [{ chat_role_id: STAFF_ROLE, role: 'reader' }]
    await scene.owner.post(`${scene.path}/discord/edit`, { staff })
    expect((await sam.command('who', { key })).text).toContain('Person')
    const refused = [
      sam.command('key give', { user: KIM, plan: 'Premium' }),
      sam.command('key take', { user: JO }),
      sam.command('ban', { user: JO }),
      sam.command('announce', { text: 'x' }),
      sam.command('key pause-all', { plan: 'Premium' }),
      sam.press('undo?change=chg_1'),
      sam.press('confirm pause-all?plan=Premium'),
      sam.press('confirm rollback?script=scr_1&from=2&to=1'),
    ]
    for (const { text } of await Promise.all(refused)) expect(text).toContain("You can't use this command")
    const other = await newScene()
    const elsewhere = other.person(SAM, { name: 'sam' })
    expect((await elsewhere.command('who', { key })).text).toContain("You can't use this command")
    expect(await read()).toMatchObject({ status: 'active', ban: null })
  })

  it('get an answer with what to do when the account has expired', async () => {
    const { key } = await linked(JO, { key_expires: START + DAY })
    await at().admin.post(`/v1/admin/customers/${scene.owner.id}/edit`, { plan_expires: 1_000_000_000_000 })
    expect((await sam.command('key pause', { user: JO })).text).toContain('must be renewed first')
    expect((await sam.command('ban', { user: JO })).text).toContain('must be renewed first')
    expect(key).not.toBe('')
  })
})
