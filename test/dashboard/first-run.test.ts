/**
 * Tests an author's onboarding, in a real browser against a real server: from the setup link to a key and a
 * protected script that runs in real Lua and appears on the waiting page.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSetUpLink } from '../../packages/server/src/features/people/sign-in/set-up.ts'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const PASSWORD = 'seven green bottles'
/** Maximum clicks from the setup link to the first key. */
const MAX_CLICKS = 8
const HELLO = 'print("hello from " .. (ward and "the server" or "disk"))\n'
const run = promisify(execFile)

const stage = sharedStage()
const { browser } = stage
let server: TestServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-first-run-'))
  server = stage.server
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

function fileOf(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}

/** Opens a project's overview as a team member. */
async function openProject(
  account: string,
  project: string,
  { seat, look = {} }: { seat?: Seat; look?: BrowserContextOptions } = {},
): Promise<Page> {
  const context = await browser.newContext(look)
  await signInAs(context, server, account, seat)
  const page = await context.newPage()
  await page.goto(`${server.url}/dashboard/#/projects/${project}`)
  return page
}

function dropZone(page: Page) {
  return page.getByLabel('Lua or Luau file')
}

async function snippet(page: Page, tab: string): Promise<string> {
  await page.getByRole('tab', { name: tab, exact: true }).click()
  return (await page.getByRole('region', { name: tab, exact: true }).locator('code').textContent()) ?? ''
}

/** Runs the snippet from the Lua tab in a shell, as the author would. */
async function runInLua(code: string): Promise<string> {
  const { stdout, stderr } = await run('sh', ['-c', code], { cwd: folder }).catch((error) => error)
  return `${stdout}${stderr}`
}

/** Counts clicks on buttons, links and choices from now on. Typing doesn't count. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`addEventListener('click', (event) => {
    if (!event.isTrusted || event.target.closest('input:not([type=file]), textarea')) return
    sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1
  }, true)`)
  return () => page.evaluate<number>('Number(sessionStorage.clicks ?? 0)')
}

describe('the first run', () => {
  it('takes few clicks from the setup link to the first key, and then shows up', async () => {
    const account = await server.createCustomer({ email: 'first-run@example.com' })
    const link = await makeSetUpLink(server.deps, account.id)
    if (typeof link !== 'string') throw new Error(link.reason)
    const page = await (await browser.newContext()).newPage()
    const clicks = await countClicks(page)
    await page.goto(link)
    await page.getByLabel('Email').fill('ada-first@example.com')
    await page.getByLabel('Your name').fill('First Owner')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await makeFirstProject(page, 'My game')
    const chooser = page.waitForEvent('filechooser')
    await page.getByText('choose a file').click()
    await (await chooser).setFiles(fileOf('hello.lua', HELLO))
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByRole('region', { name: 'Your first key' }).locator('code').textContent()
    expect(await clicks()).toBeLessThanOrEqual(MAX_CLICKS)
    expect(await snippet(page, 'Executor')).toContain(`script_key = "${key}"`)
    await page.getByText('Waiting for the first run…').waitFor()
    expect(await runInLua(await snippet(page, 'Lua'))).toBe('hello from the server\n')
    await page.getByText('Your script ran.').waitFor()
    await picture(page, 'first-run-arrived')
    await page.getByRole('button', { name: 'Go to overview' }).click()
    await page.getByRole('heading', { name: 'Denials by reason' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('shows why it was denied and how to fix it, and the next run still shows up', async () => {
    const { owner, project } = await createOwner(server)
    const script = await createScript(owner, project, { script: HELLO, options: { preset: 'light' } })
    await createUser(owner, project)
    const page = await openProject(owner.id, project)
    const code = await snippet(page, 'Lua')
    await owner.post(`/v1/scripts/${script}/toggle`, { state: false })
    expect(await runInLua(code)).toContain('currently disabled')
    const notice = page.getByRole('alert')
    await notice.getByText('A run was denied: Script disabled').waitFor()
    await notice.getByText('Enable the script when it is ready to run again.').waitFor()
    await notice.getByRole('link', { name: 'Open script' }).waitFor()
    await owner.post(`/v1/scripts/${script}/toggle`, { state: true })
    expect(await runInLua(code)).toBe('hello from the server\n')
    await page.getByText('Your script ran.').waitFor()
    await expect.poll(() => notice.count()).toBe(0)
  })

  it('shows up with a key other than the one shown, even while another page was open', async () => {
    const { owner, project } = await createOwner(server)
    const script = await createScript(owner, project, { script: HELLO, options: { preset: 'light' } })
    const key = await createUser(owner, project)
    await createUser(owner, project)
    const [page, away] = [await openProject(owner.id, project), await openProject(owner.id, project)]
    for (const each of [page, away]) await each.getByText('Waiting for the first run…').waitFor()
    await away.getByRole('link', { name: 'Users' }).click()
    const loader = `${server.url}/client/v1/loader/${script}`
    const line = `curl -s "${loader}?rt=51" -o other.lua; SCRIPT_KEY="${key}" lua5.1 other.lua`
    expect(await runInLua(line)).toBe('hello from the server\n')
    await page.getByText('Your script ran.').waitFor()
    await away.getByRole('link', { name: 'Overview' }).click()
    await away.getByRole('heading', { name: 'Denials by reason' }).waitFor()
  })

  it('continues after a reload, and the loader file runs with the line above it', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project)
    await dropZone(page).setInputFiles(fileOf('again.lua', HELLO))
    await page.getByText('again.lua is protected.').waitFor()
    await page.reload()
    await page.getByText('again.lua is protected.').waitFor()
    await page.getByLabel('Name or note').fill('  🐸 مرحبا  ')
    await page.getByRole('button', { name: 'Create key' }).click()
    const line = await snippet(page, 'Loader file')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download loader' }).click()
    const file = path.join(folder, 'kept.lua')
    await (await saved).saveAs(file)
    const code = `(echo '${line}'; cat kept.lua) > with-key.lua; lua5.1 with-key.lua`
    expect(await runInLua(code)).toBe('hello from the server\n')
    await page.getByText('Your script ran.').waitFor()
    const { users } = (await owner.get(`/v1/projects/${project}/users`)).body as { users: { note: string }[] }
    expect(users[0]?.note).toBe('🐸 مرحبا')
  })
})

describe('the first script', () => {
  it('is rejected with a reason if it is not text, empty, another file type, or several files', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project)
    const wrong = [
      [['picture.png', 'x'], "picture.png isn't a Lua file."],
      [['empty.lua', ' \n'], 'empty.lua is empty.'],
      [['bytes.lua', new Uint8Array([0xff, 0xfe, 0])], "bytes.lua isn't UTF-8 text."],
    ] as const
    for (const [[name, content], sentence] of wrong) {
      await dropZone(page).setInputFiles(fileOf(name, content))
      await page.getByRole('alert').getByText(sentence).waitFor()
    }
    await page.getByText('Paste source code instead').click()
    await page.getByRole('button', { name: 'Protect script' }).click()
    await page.getByRole('alert').getByText("Paste your script's source code.").waitFor()
  })

  it('with a syntax error shows the line, keeps the input, and can be fixed in place', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project)
    await dropZone(page).setInputFiles(fileOf('broken.lua', 'print("one")\nprint("two"\n'))
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/line|:\d/i)
    const source = page.getByLabel('Source code')
    await expect.poll(() => source.inputValue()).toContain('print("two"')
    await source.fill('print("🐸 مرحبا")\n')
    await page.getByRole('button', { name: 'Protect script' }).click()
    await page.getByText('broken.lua is protected.').waitFor()
  })

  it('is not lost with the connection', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project)
    await dropZone(page).waitFor({ state: 'attached' })
    await page.context().setOffline(true)
    await dropZone(page).setInputFiles(fileOf('lost.lua', HELLO))
    await page.getByText("Can't reach the server.").first().waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('lost.lua is protected.').waitFor()
  })

  it('from another tab is picked up', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await dropZone(other).setInputFiles(fileOf('other.lua', HELLO))
    await other.getByRole('button', { name: 'Create key' }).click()
    await other.getByText('Waiting for the first run…').waitFor()
    await page.bringToFront()
    await page.reload()
    await page.getByText('Waiting for the first run…').waitFor()
  })

  it('shows the missing permission to users who may only read', async () => {
    const { owner, project } = await createOwner(server)
    const page = await openProject(owner.id, project, { seat: { role: 'reader' } })
    await page.getByText('scripts:write').first().waitFor()
    await expect.poll(() => dropZone(page).count()).toBe(0)
  })

  it('is not followed by a key form if keys may only be issued for some plans', async () => {
    const { owner, project } = await createOwner(server)
    await createScript(owner, project, { script: HELLO, options: { preset: 'light' } })
    const scopes = ['projects:read', 'scripts:read', 'users:read', 'users:issue'] as const
    const page = await openProject(owner.id, project, { seat: { role: 'custom', scopes } })
    await page.getByText('users:write').first().waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
  })
})

/** Creates the first project from the empty list of projects. */
async function makeFirstProject(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create project' }).click()
}
