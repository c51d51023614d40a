/**
 * Tests how the forms for users, sessions and scripts fail in a real browser: errors appear at the field or
 * in the form and explain the fix, and no input is lost.
 */
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { joinSession, type LiveSession } from '../../packages/server/test/live-sessions.ts'
import { createOwner, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { BROKEN, LOST, meetFailures, meetMissingRight, refuse, setScopes } from './failing.ts'
import { drawer, FORMS, MIXED, menu, panel, pressIn } from './forms.ts'
import { sharedStage } from './stage.ts'
import { button, choose, dialog, hash, row, submit } from './users-steps.ts'

const LONG = 'x'.repeat(256)

const stage = sharedStage()
let room: Awaited<ReturnType<typeof furnish>>
let page: Page
beforeAll(async () => {
  room = await furnish()
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, room.owner.id)
  page = await context.newPage()
})
beforeEach(() => setScopes(stage.server, room.owner.id, 'owner'))
afterEach(async () => {
  await page.unrouteAll()
  // Clears stored input. Otherwise, the next test would start with this test's input.
  await page.evaluate('sessionStorage.clear()')
})

async function furnish() {
  const { owner, project } = await createOwner(stage.server)
  const script = await createScript(owner, project, { name: 'Greeter' })
  const expires = Date.now() + 30 * 24 * 60 * 60 * 1000
  const one = await createUser(owner, project, { note: 'one', chat_id: 'taken', key_expires: expires })
  const two = await createUser(owner, project, { note: 'two' })
  return { owner, project, script, one, two }
}

async function go(address: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${stage.server.url}/dashboard/#/projects/${room.project}/${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const READ = ['projects:read', 'users:read', 'sessions:read', 'scripts:read']

function join(executor: string): LiveSession {
  const { owner, project, script, one } = room
  const owned = { customer_id: owner.id, project_id: project, script_id: script, user_key: one }
  const now = stage.server.clock.now
  return joinSession(stage.server, { ...owned, executor, created_at: now, last_seen: now })
}

describe('input is kept when the connection is lost, the request is too large, or the server fails', () => {
  it.each(Object.entries(FORMS))('in %s, and a missing permission is named', async (_, form) => {
    const session = join('Wave')
    const { address, fill, place, press, right } = form
    await go(address.replace('SCRIPT', room.script).replace(/user=$/, `user=${room.two}`))
    await fill(page)
    const given = { page, place: place(page), submit: () => pressIn(place(page), press) }
    await meetFailures(given)
    await meetMissingRight(given, right, () => setScopes(stage.server, room.owner.id, READ))
    session.leave()
  })
})

describe('input is kept when it is rejected', () => {
  it('in a new key', async () => {
    await go('users?new=key')
    const [note, chat] = [
      dialog(page).getByLabel('Note', { exact: true }),
      dialog(page).getByLabel('Discord ID'),
    ]
    const create = dialog(page).getByRole('button', { name: 'Create key' })
    await refuse(note, create, [[LONG, 'at most 255 characters']])
    await note.fill('')
    await refuse(chat, create, [
      ['y'.repeat(101), 'at most 100 characters'],
      [' taken ', 'Another user in this project has this Discord ID.'],
    ])
    await dialog(page).getByRole('combobox', { name: 'Expires' }).selectOption('in')
    const amount = dialog(page).getByLabel('Amount of time')
    const future = ['', ' ', 'soon', '-1', '0', '1e99', '٣'].map(
      (typed) => [typed, 'Choose a time in the future.'] as const,
    )
    await refuse(amount, create, future)
    await dialog(page).getByRole('combobox', { name: 'Expires' }).selectOption('at')
    await refuse(dialog(page).getByLabel('Date and time'), create, [
      ['2001-01-01T10:00', 'Choose a time in the future.'],
    ])
  })

  it('in generated keys', async () => {
    await go('users?new=keys')
    const generate = dialog(page).getByRole('button', { name: 'Generate' })
    const whole = ['', ' ', '0', '-3', '1.5', 'many'].map(
      (typed) => [typed, 'Enter a whole number greater than 0.'] as const,
    )
    await refuse(dialog(page).getByLabel('Number of keys'), generate, [
      ...whole,
      ['10001', 'up to 10,000 keys at a time'],
    ])
    await dialog(page).getByLabel('Number of keys').fill('1')
    await refuse(dialog(page).getByLabel('Note', { exact: true }), generate, [
      [LONG, 'at most 255 characters'],
    ])
  })

  it('in the drawer of a user', async () => {
    await go(`users?user=${room.two}&tab=edit`)
    const save = drawer(page).getByRole('button', { name: 'Save', exact: true })
    const whole = ['many', '-2', '1.5', '99999999999'].map(
      (typed) => [typed, 'Enter a whole number, or leave empty.'] as const,
    )
    await refuse(drawer(page).getByLabel('Concurrent runs'), save, whole)
    await drawer(page).getByLabel('Concurrent runs').fill('')
    await refuse(drawer(page).getByLabel('Note', { exact: true }), save, [[LONG, 'at most 255 characters']])
    await drawer(page).getByLabel('Note', { exact: true }).fill('two')
    await refuse(drawer(page).getByLabel('Discord ID'), save, [
      ['taken', 'Another user in this project has this Discord ID.'],
    ])
  })

  it('in changes of chosen users, of all of them, and of Discord members', async () => {
    await go('users')
    await choose(page, 'one')
    await button(page, 'Block').click()
    const blacklist = dialog(page).getByRole('button', { name: 'Block', exact: true })
    await refuse(dialog(page).getByLabel('Block reason'), blacklist, [[LONG, 'at most 255 characters']])
    await page.keyboard.press('Escape')
    await button(page, 'Extend').click()
    const length = ['', 'soon', '0', '-1'].map((typed) => [typed, 'Enter a number greater than 0.'] as const)
    await refuse(
      dialog(page).getByLabel('Amount of time'),
      dialog(page).getByRole('button', { name: 'Extend' }),
      length,
    )
    await page.keyboard.press('Escape')
    await menu(page, 'Add time to all keys…')
    await refuse(
      dialog(page).getByLabel('Amount of time'),
      dialog(page).getByRole('button', { name: 'Add time' }),
      length,
    )
    await page.keyboard.press('Escape')
    await menu(page, 'Discord members')
    const add = dialog(page).getByRole('button', { name: 'Add 1' })
    await refuse(dialog(page).getByLabel('Discord IDs'), add, [['y'.repeat(101), 'at most 100 characters']])
  })

  it('in a message to sessions', async () => {
    const session = join('Wave')
    await go('sessions')
    await button(page, 'Message all').click()
    const send = dialog(page).getByRole('button', { name: 'Send', exact: true })
    await refuse(dialog(page).getByLabel('Name'), send, [
      ['', 'Enter the message name'],
      ['  ', 'Enter the message name'],
      ['k'.repeat(101), 'at most 100 characters'],
    ])
    await dialog(page).getByLabel('Name').fill('water')
    await dialog(page).getByRole('button', { name: 'JSON' }).click()
    await refuse(dialog(page).getByLabel('Data'), send, [['{"bed":', 'Not valid JSON at line 1, column 8.']])
    expect(session.received).toEqual([])
    session.leave()
  })

  it('in the forms of a script', async () => {
    await go(`scripts/${room.script}?tab=settings`)
    const name = panel(page, 'Settings').getByLabel('Name', { exact: true })
    await refuse(name, panel(page, 'Settings').getByRole('button', { name: 'Save' }), [
      [' ', 'Enter a name for the script.'],
      ['n'.repeat(101), '1 to 100 characters'],
    ])
    await go(`scripts/${room.script}?tab=errors`)
    const error = page.getByLabel('Error or traceback')
    await refuse(error, button(page, 'Find lines'), [['  ', 'Paste an error or traceback.']])
  })
})

describe('a change made first in another tab', () => {
  it('is reported when it removed the user of the open drawer', async () => {
    const key = await createUser(room.owner, room.project, { note: 'goes' })
    await go(`users?user=${key}&tab=edit`)
    await drawer(page).getByLabel('Note', { exact: true }).fill(MIXED)
    await room.owner.post(`/v1/users/${key}/remove`)
    await pressIn(drawer(page), 'Save')
    await drawer(page).getByRole('alert').filter({ hasText: 'This user has been removed.' }).waitFor()
    await expect.poll(() => drawer(page).getByLabel('Note', { exact: true }).inputValue()).toBe(MIXED)
  })

  it('is reported when it blocked a selected user, and the other users are blocked anyway', async () => {
    const { project, owner } = room
    const [mine, theirs] = [
      await createUser(owner, project, { note: 'mine' }),
      await createUser(owner, project, { note: 'theirs' }),
    ]
    await go('users')
    await choose(page, 'mine', 'theirs')
    await button(page, 'Block').click()
    await owner.post(`/v1/users/${theirs}/blacklist`, { expires: null, reason: 'first' })
    await submit(page, 'Block')
    const failed = dialog(page).getByLabel('Failed changes')
    await failed.getByText('Someone else just blocked this user.').waitFor()
    await dialog(page).getByText('1 done, 1 failed').waitFor()
    const { body } = await owner.get(`/v1/users/${mine}`)
    expect(body.user).toMatchObject({ blacklisted: true })
  })

  it('is reported when it ended the session', async () => {
    const session = join('Grove')
    await go('sessions')
    await row(page, 'Grove').getByRole('checkbox').check()
    await panel(page, '1 selected').getByRole('button', { name: 'Send message' }).click()
    await dialog(page).getByLabel('Name').fill('water')
    session.leave()
    await submit(page, 'Send')
    await dialog(page).getByText('Processed by 0 of 1.').waitFor()
    await expect.poll(() => dialog(page).getByLabel('Name').inputValue()).toBe('water')
  })

  it('keeps the upload form open when it uploaded a first script', async () => {
    const { owner, project } = await createOwner(stage.server)
    const context = await stage.browser.newContext()
    await signInAs(context, stage.server, owner.id)
    const other = await context.newPage()
    await other.goto(`${stage.server.url}/dashboard/#/projects/${project}/scripts`)
    const source = other.getByRole('textbox', { name: 'Source', exact: true })
    await source.fill('print("mine")')
    await createScript(owner, project, { name: 'Theirs' })
    await other.route('**/scripts/new', (route) => route.abort())
    await button(other, 'Upload and protect').click()
    await other.getByRole('link', { name: 'Theirs' }).waitFor()
    await expect.poll(() => source.textContent()).toContain('mine')
    await context.close()
  })
})

describe('a response that is lost on its way', () => {
  it('does not create a second key when the request is repeated', async () => {
    await go('users?new=key')
    await dialog(page).getByLabel('Note', { exact: true }).fill('once')
    await page.route('**/users/new', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await submit(page, 'Create key')
    await dialog(page).getByText(LOST.words).waitFor()
    await page.unroute('**/users/new')
    await submit(page, 'Create key')
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    await submit(page, 'Done')
    await expect.poll(() => row(page, 'once').count()).toBe(1)
    const { body } = await room.owner.get(`/v1/projects/${room.project}/users/filter?note=once`)
    expect(body.users).toHaveLength(1)
  })

  it.each([
    { form: 'key', note: 'once for 30 days', submitted: 'Create key', after: 'Key created', count: 1 },
    { form: 'keys', note: 'ten for 30 days', submitted: 'Generate', after: '10 keys generated', count: 10 },
  ])('does not create any $form twice that expire some time from now', async ({ form, note, ...given }) => {
    await go(`users?new=${form}`)
    await dialog(page).getByLabel('Note', { exact: true }).fill(note)
    await dialog(page).getByRole('combobox', { name: 'Expires' }).selectOption('in')
    await page.route(/\/users\/(new|generate)$/, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await submit(page, given.submitted)
    await dialog(page).getByText(LOST.words).waitFor()
    await page.unroute(/\/users\/(new|generate)$/)
    await submit(page, given.submitted)
    await page.getByRole('heading', { name: given.after }).waitFor()
    await submit(page, 'Done')
    const path = `/v1/projects/${room.project}/users/filter?note=${encodeURIComponent(note)}`
    expect((await room.owner.get(path)).body.users).toHaveLength(given.count)
  })

  it('keeps a change undoable', async () => {
    await go('scripts')
    await button(page, 'Actions for Greeter').click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByText('Greeter disabled.').waitFor()
    await page.route('**/toggle', BROKEN.meet)
    await button(page, 'Undo').click()
    await page.getByText("Couldn't undo this. Something went wrong on the server.").waitFor()
    await page.unroute('**/toggle')
    await button(page, 'Undo').click()
    await page.getByText('Undone.').waitFor()
  })
})

describe('a script of 8 MB', () => {
  const MOST = 8 * 1024 * 1024
  const large = (bytes: number) => ({
    name: 'large.lua',
    mimeType: 'text/plain',
    buffer: Buffer.alloc(bytes, '-- x\n'),
  })

  it('is rejected with the limit and an alternative if it is larger than allowed', async () => {
    await go('scripts?new=script')
    await page.getByLabel('Lua or Luau file').setInputFiles(large(MOST + 1))
    await page.getByText('This source is too long to edit here.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill(MIXED)
    await button(page, 'Upload and protect').click()
    await page.getByRole('alert').filter({ hasText: 'the limit on this server is 8.4 MB' }).waitFor()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe(MIXED)
    await page.getByText('This source is too long to edit here.').waitFor()
  })

  it('is accepted at exactly the maximum size', async () => {
    await go('scripts?new=script')
    await page.getByLabel('Lua or Luau file').setInputFiles(large(MOST))
    await page.getByText('This source is too long to edit here.').waitFor()
    await button(page, 'Upload and protect').click()
    await page.getByText('large.lua protected and published.').waitFor()
  })

  it('cannot be traced as a leaked copy if the request exceeds the general limit', async () => {
    await go(`scripts/${room.script}?tab=trace`)
    await page.getByLabel('Lua or Luau file').setInputFiles(large(20 * 1024 * 1024))
    await page.getByText('This source is too long to edit here.').waitFor()
    await button(page, 'Find the source of the leak').click()
    await page.getByRole('alert').filter({ hasText: 'The limit is 17.8 MB per request.' }).waitFor()
    await page.getByText('This source is too long to edit here.').waitFor()
  })
})

describe('names of every kind', () => {
  it('are trimmed and otherwise shown as typed', async () => {
    await go('users?new=key')
    await dialog(page).getByLabel('Note', { exact: true }).fill(`\t ${MIXED}\u00a0 `)
    await submit(page, 'Create key')
    await submit(page, 'Done')
    await row(page, MIXED).getByRole('button').first().click()
    await drawer(page).getByRole('heading', { name: MIXED }).waitFor()
    await drawer(page).getByRole('tab', { name: 'Edit' }).click()
    await expect.poll(() => drawer(page).getByLabel('Note', { exact: true }).inputValue()).toBe(MIXED)
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').fill(' مفاتيح ')
    await expect.poll(() => hash(page)).toContain('search=')
    await row(page, MIXED).waitFor()
    await go(`scripts/${room.script}?tab=settings`)
    await panel(page, 'Settings').getByLabel('Name', { exact: true }).fill(`  ${MIXED} `)
    await pressIn(panel(page, 'Settings'), 'Save')
    await page.getByRole('heading', { level: 1, name: MIXED }).waitFor()
    join(MIXED)
    await go('sessions')
    await row(page, MIXED).getByText(MIXED).nth(1).waitFor()
  })
})
