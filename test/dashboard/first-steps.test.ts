/**
 * The dashboard in a real browser on a real server: what an author does in their first five minutes, ending with a
 * protected script in real Lua. Pictures go to the folder that SCREENSHOTS names, when it is set.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSetUpLink } from '../../packages/server/src/domain/people/set-up.ts'
import { sqlite } from '../../packages/server/test/databases.ts'
import { startServer, type TestServer } from '../../packages/server/test/harness.ts'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { picture, startBrowser } from '../browser.ts'
import { signInAs } from '../sign-in.ts'

const PASSWORD = 'seven green bottles'
const run = promisify(execFile)

let server: TestServer
let browser: Browser
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-dashboard-'))
  server = await startServer(sqlite)
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(
  fragment = '',
  before?: (context: BrowserContext) => Promise<unknown>,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } })
  await before?.(context)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on(
    'console',
    (message) => void (/Content Security Policy/.test(message.text()) && complaints.push(message.text())),
  )
  await page.goto(`${server.url}/dashboard/${fragment}`)
  return { page, complaints }
}

/** As the owner of this account. */
function openAs(customerId: string, fragment = '') {
  return open(fragment, (context) => signInAs(context, server, customerId))
}

async function setUpLink(account: string): Promise<URL> {
  const link = await makeSetUpLink(server.deps, account)
  if (typeof link !== 'string') throw new Error(link.reason)
  return new URL(link)
}

async function upload(page: Page, name: string, source: string): Promise<void> {
  const file = path.join(folder, name)
  writeFileSync(file, source)
  await page.getByLabel('Lua or Luau file').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload a script' }).click()
}

describe('the dashboard', () => {
  it('signs in with the set-up link, and its secret leaves the address', async () => {
    const owner = await server.createCustomer({ email: 'shop@example.com' })
    const link = await setUpLink(owner.id)
    const { page, complaints } = await open(link.hash)
    await page.getByText('owner of the account shop@example.com').waitFor()
    await page.getByLabel('E-mail').fill('first@example.com')
    await page.getByLabel('Your name').fill('First Owner')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create my account' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/')
    await page.getByRole('banner').getByText('First Owner').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').fill('first@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${server.url}/dashboard/${link.hash}`)
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('no page keeps a secret where scripts of the browser could read it', async () => {
    const owner = await server.createCustomer()
    const { page } = await openAs(owner.id)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toMatch(/^\[\{\},\{\},"scriptward-csrf=[\w-]+"\]$/)
  })

  it('refuses a wrong password, and keeps the e-mail address', async () => {
    const { page } = await open()
    await page.getByLabel('E-mail').fill('stranger@example.com')
    await page.getByLabel('Password', { exact: true }).fill('wrong password here')
    await picture(page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This e-mail and password do not belong together.').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('stranger@example.com')
  })

  it('leads an author from an empty account to a script that runs', async () => {
    const owner = await server.createCustomer()
    const { page, complaints } = await openAs(owner.id)
    await page.getByText('No projects yet.').waitFor()
    await page.getByLabel('New project').fill('My game')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: 'My game' }).click()
    await upload(page, 'hello.lua', 'print("hello from " .. (ward and "the server" or "disk"))\n')
    await page.getByText('enabled', { exact: true }).waitFor()
    await page.getByLabel('Note').fill('first friend')
    await page.getByRole('button', { name: 'New user key' }).click()
    const key = await page.locator('td code').textContent()
    await page.getByRole('button', { name: 'Copy loader line' }).click()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    const loader = await (await fetch(/"(http[^"]+)"/.exec(line)?.[1] ?? '')).text()
    const { stdout } = await run('lua5.1', ['-e', loader], { env: { ...process.env, SCRIPT_KEY: key ?? '' } })
    expect(stdout).toBe('hello from the server\n')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Loader file' }).click()
    const file = path.join(folder, (await saved).suggestedFilename())
    await (await saved).saveAs(file)
    const kept = await run('lua5.1', [file], { env: { ...process.env, SCRIPT_KEY: key ?? '' } })
    expect(kept.stdout).toBe('hello from the server\n')
    await page.reload()
    await page.getByText('bound', { exact: true }).waitFor()
    await picture(page, 'project')
    expect(complaints).toEqual([])
  })

  it('uploads at the chosen protection, and offers the default one first', async () => {
    const { owner, project } = await createOwner(server)
    const { page } = await openAs(owner.id, `#/projects/${project}`)
    const { default_preset } = (await owner.get('/v1/obfuscator/options')).body
    const choice = page.getByLabel('Protection')
    await page.getByRole('option', { name: 'Light' }).waitFor({ state: 'attached' })
    expect(await choice.inputValue()).toBe(default_preset)
    await choice.selectOption('light')
    await upload(page, 'chosen.lua', 'print(1)\n')
    await page.getByText('enabled', { exact: true }).waitFor()
    const { body } = await owner.get(`/v1/projects/${project}/scripts`)
    const [uploaded] = body.scripts as readonly { id: string }[]
    const script = await owner.get(`/v1/scripts/${uploaded?.id}`)
    expect(script.body.script).toMatchObject({ options: { preset: 'light' } })
  })

  it('shows where a source does not parse, and uploads nothing', async () => {
    const { owner, project } = await createOwner(server)
    const { page } = await openAs(owner.id, `#/projects/${project}`)
    await upload(page, 'broken.lua', 'if true the\n  print(1)\nend\n')
    await page
      .getByRole('alert')
      .getByText(/line 1, column \d+/)
      .first()
      .waitFor()
    await picture(page, 'complaint')
    const list = await owner.get(`/v1/projects/${project}/scripts`)
    expect(list.body.scripts).toEqual([])
  })
})
