/** Staff commands that need confirmation, in the format that Discord sends. */
import { beforeEach, describe, expect, it } from 'vitest'
import { STAFF_ROLE } from '../../../test/chat/fake-discord.ts'
import { type DiscordPerson, type DiscordScene, discordOn, type Seen } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { createScript, readUser } from '../../../test/nouns.ts'

const DAY = 86_400_000
const SAM = '410000000000000003'
const ALEX = '410000000000000004'
const HOSTILE = '**Pro** @everyone 🎉'
const SHOWN = '\\*\\*Pro\\*\\* \\@everyone 🎉'

describe.each(anyEngine)('changes that staff confirm on $name', (engine) => {
  const { at, discord, scene: newScene } = discordOn(engine)
  let scene: DiscordScene
  let sam: DiscordPerson
  let alex: DiscordPerson
  beforeEach(async () => {
    scene = await newScene()
    sam = scene.person(SAM, { roles: [STAFF_ROLE], name: 'sam' })
    alex = scene.person(ALEX, { roles: [STAFF_ROLE], name: 'alex' })
  })
  const audited = async () => {
    const { entries } = (await scene.owner.get('/v1/audit')).body as {
      entries: { action: string; actor: { kind: string }; count: number | null }[]
    }
    return entries.filter(({ actor }) => actor.kind === 'chat').toReversed()
  }
  /** Two users press the same button on one message at the same time. */
  const pressTogether = (id: string | undefined): Promise<Seen[]> => {
    const message = discord.newId()
    return Promise.all([sam.press(id, message), alex.press(id, message)])
  }
  const doneOnce = (seen: readonly Seen[], text: string): Seen => {
    const [done, ...others] = seen.filter(({ text: of }) => of.includes(text))
    expect(others).toEqual([])
    expect(seen.find((one) => one !== done)?.text).toContain('already been done')
    return done as Seen
  }
  const activeOf = async (script: string) => {
    const { body } = await scene.owner.get(`/v1/scripts/${script}`)
    return (body.script as { version: number }).version
  }

  describe('to all keys of a plan', () => {
    const addPlan = async () => {
      const plan = (await scene.owner.post(`${scene.path}/plans/new`, { name: HOSTILE })).string('plan_id')
      const keys: string[] = []
      for (let n = 0; n < 3; n += 1)
        keys.push(await scene.addKey({ plan_id: plan, key_expires: START + DAY }))
      const forever = await scene.addKey({ plan_id: plan })
      const other = await scene.addKey({ key_expires: START + DAY })
      const read = (key: string) => readUser(scene.owner, key)
      return { plan, keys, forever, other, read }
    }

    it('add time once, when two people confirm together, and are undone once', async () => {
      const { plan, keys, other, read } = await addPlan()
      const preview = await sam.command('key extend-all', { plan, time: '3d' })
      expect(preview.text).toContain(`This adds 3 days to 3 keys on **${SHOWN}**.`)
      expect(preview.text).toContain('Keys that have expired or never expire are skipped.')
      expect(await audited()).toEqual([])
      const done = doneOnce(await pressTogether(preview.buttons.Extend), 'Added 3 days to 3 keys')
      for (const key of keys) expect(await read(key)).toMatchObject({ key_expires: START + 4 * DAY })
      expect(await read(other)).toMatchObject({ key_expires: START + DAY })
      const undone = doneOnce(await pressTogether(done.buttons.Undo), 'Undone: 3 keys restored.')
      expect(undone.buttons).toEqual({})
      for (const key of keys) expect(await read(key)).toMatchObject({ key_expires: START + DAY })
      expect((await audited()).map(({ action, count }) => [action, count])).toEqual([
        ['v1.projectUsers.bulk', 3],
        ['v1.changes.undo', 3],
      ])
    })

    it('pause them, and leave those alone that were changed before the undo', async () => {
      const { plan, keys, read } = await addPlan()
      const preview = await sam.command('key pause-all', { plan: HOSTILE })
      expect(preview.text).toContain(`This pauses 4 keys on **${SHOWN}**.`)
      const done = await sam.press(preview.buttons.Pause)
      expect(done.text).toContain(`Paused 4 keys on **${SHOWN}**.`)
      expect(await read(keys[0] ?? '')).toMatchObject({ status: 'paused' })
      await scene.owner.post(`/v1/users/${keys[0]}/resume`)
      const undone = await sam.press(done.buttons.Undo)
      expect(undone.text).toContain('Undone: 3 keys restored.')
      expect(undone.text).toContain('Not restored because of later changes: 1 key.')
      const again = await sam.command('key extend-all', { plan, time: 'soon' })
      expect(again.text).toContain('not a duration')
    })

    it('have nothing to do without such keys, and are not for people who change single keys', async () => {
      const { plan, keys, forever } = await addPlan()
      for (const key of keys) await scene.owner.post(`/v1/users/${key}/remove`)
      expect((await sam.command('key extend-all', { plan, time: '3d' })).text).toContain('nothing to do')
      expect((await sam.command('key pause-all', { plan: 'Gold' })).text).toContain('There is no plan “Gold”')
      expect(await readUser(scene.owner, forever)).toMatchObject({ paused: null })
      const preview = await sam.command('key pause-all', { plan })
      const staff = [{ chat_role_id: STAFF_ROLE, role: 'support' }]
      await scene.owner.post(`${scene.path}/discord/edit`, { staff })
      expect((await sam.press(preview.buttons.Pause)).text).toContain('It requires a role with the')
      expect(await readUser(scene.owner, forever)).toMatchObject({ paused: null })
    })
  })

  describe('to announcements', () => {
    const list = async () => {
      const { body } = await scene.owner.get(`${scene.path}/announcements`)
      return body.announcements as { text: string; level: string; until: number; scripts: string[] | null }[]
    }

    it('post one after a preview, once, and remove it', async () => {
      const preview = await sam.command('announce', { text: `Update! ${HOSTILE}` })
      expect(preview.text).toContain(`Update\\! ${SHOWN}`)
      expect(preview.text).toContain('Everyone who runs a script of **Garden**')
      expect(preview.text).toContain('For: 1 day')
      expect(await list()).toEqual([])
      const posted = doneOnce(await pressTogether(preview.buttons.Post), 'Posted.')
      expect(await list()).toMatchObject([
        { text: `Update! ${HOSTILE}`, level: 'info', until: START + DAY, scripts: null },
      ])
      expect((await sam.press(posted.buttons.Remove)).text).toContain('was removed')
      expect(await list()).toEqual([])
      expect((await audited()).map(({ action }) => action)).toEqual([
        'v1.announcements.create',
        'v1.announcements.remove',
      ])
    })

    it('post one for a script and a time, of up to 500 characters', async () => {
      const script = await createScript(scene.owner, scene.projectId, { name: 'Garden Pro' })
      const text = '🎉'.repeat(250)
      const preview = await sam.command('announce', { text, script: 'garden pro', time: '12h' })
      expect(preview.text).toContain('Everyone who runs **Garden Pro**')
      expect((await sam.press(preview.buttons.Post)).text).toContain('Posted.')
      expect(await list()).toMatchObject([{ text, until: START + DAY / 2, scripts: [script] }])
      expect((await sam.command('announce', { text: ' ' })).text).toContain('Enter a message')
      expect((await sam.command('announce', { text, script: 'x' })).text).toContain('There is no script “x”')
      expect((await sam.command('announce', { text, time: 'soon' })).text).toContain('not a duration')
    })

    it('can be confirmed again after a confirmation was refused', async () => {
      const preview = await sam.command('announce', { text: 'Hello' })
      const account = `/v1/admin/customers/${scene.owner.id}/edit`
      await at().admin.post(account, { plan_expires: 1_000_000_000_000 })
      expect((await sam.press(preview.buttons.Post, '7')).text).toContain('must be renewed first')
      await at().admin.post(account, { plan_expires: START + 365 * DAY })
      expect((await sam.press(preview.buttons.Post, '7')).text).toContain('Posted.')
      expect((await sam.press(preview.buttons.Post, '7')).text).toContain('already been done')
    })

    it('post nothing from a preview that has expired or is of another project', async () => {
      const preview = await sam.command('announce', { text: 'Hello' })
      const other = await newScene()
      const there = other.person(SAM, { roles: [STAFF_ROLE] })
      expect((await there.press(preview.buttons.Post)).text).toContain('This preview has expired')
      at().clock.now += 11 * 60_000
      expect((await sam.press(preview.buttons.Post)).text).toContain('This preview has expired')
      expect(await list()).toEqual([])
    })
  })

  describe('to versions', () => {
    const addScript = async (versions: number) => {
      const script = await createScript(scene.owner, scene.projectId, { name: HOSTILE })
      for (let n = 1; n < versions; n += 1)
        await scene.owner.post(`/v1/scripts/${script}/update`, { script: `print(${n})` })
      return script
    }

    it('activate the newest earlier version that can be used, once, and go back', async () => {
      const script = await addScript(3)
      await scene.owner.post(`/v1/scripts/${script}/versions/2/yank`)
      const preview = await sam.command('rollback', { script })
      expect(preview.text).toContain('Roll back version 3?')
      expect(preview.text).toContain(`Everyone gets version 1 of **${SHOWN}**`)
      expect(await activeOf(script)).toBe(3)
      const done = doneOnce(await pressTogether(preview.buttons['Roll back']), 'Version 1 of')
      expect(await activeOf(script)).toBe(1)
      expect((await sam.press(preview.buttons['Roll back'])).text).toContain(
        'now has a different live version',
      )
      await sam.press(done.buttons['Back to version 3'])
      expect(await activeOf(script)).toBe(3)
      expect((await audited()).map(({ action }) => action)).toEqual(
        Array(2).fill('v1.scriptVersions.activate'),
      )
    })

    it('roll back an open release', async () => {
      const script = await addScript(1)
      await scene.owner.post(`/v1/scripts/${script}/update`, {
        script: 'print(2)',
        release: { percent: 10, guard: 'off' },
      })
      const preview = await sam.command('rollback', { script })
      expect(preview.text).toContain('Roll back version 2?')
      const done = await sam.press(preview.buttons['Roll back'])
      expect(done.text).toContain('The release was rolled back. Everyone gets version 1')
      const { body } = await scene.owner.get(`/v1/scripts/${script}/releases`)
      expect(body.releases).toMatchObject([{ state: 'rolled_back' }])
      const again = await sam.press(preview.buttons['Roll back'])
      expect(again.text).toContain('This release has already ended')
      expect((await audited()).map(({ action }) => action)).toEqual(['v1.releases.rollBack'])
    })

    it('have nothing to do for a first version, and know no script of another project', async () => {
      const script = await addScript(1)
      expect((await sam.command('rollback', { script })).text).toContain('has no earlier version')
      const other = (await scene.owner.post('/v1/projects/new', { name: 'Other' })).string('project_id')
      const foreign = await createScript(scene.owner, other, { name: 'Foreign' })
      expect((await sam.command('rollback', { script: foreign })).text).toContain('There is no script')
      const pressed = await sam.press(`confirm rollback?script=${foreign}&from=2&to=1`)
      expect(pressed.text).toContain('There is no script')
      await createScript(scene.owner, scene.projectId, { name: 'Twin' })
      await createScript(scene.owner, scene.projectId, { name: 'twin' })
      expect((await sam.command('rollback', { script: 'TWIN' })).text).toContain('Several scripts are named')
    })
  })
})
