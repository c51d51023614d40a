/**
 * The dashboard in a real browser on a real server: what an author does in his first five minutes, ending with a
 * protected script in real Lua. Pictures go to the folder that SCREENSHOTS names, when it is set.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { ADMIN_KEY, startServer, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'

const CHROMIUM = '/usr/bin/chromium'
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const run = promisify(execFile)

let server: TestServer
let browser: Browser
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-dashboard-'))
  server = await startServer(sqlite)
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(fragment = ''): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } })
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

async function picture(page: Page, name: string): Promise<void> {
  const place = process.env.SCREENSHOTS
  if (place) await page.screenshot({ path: path.join(place, `${name}.png`), fullPage: true })
}

async function upload(page: Page, name: string, source: string): Promise<void> {
  const file = path.join(folder, name)
  writeFileSync(file, source)
  await page.getByLabel('Lua or Luau file').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload a script' }).click()
}

describe('the dashboard', () => {
  it('signs in with the set-up link, and the key leaves the address at once', async () => {
    const { page } = await open(`#key=${ADMIN_KEY}`)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    expect(page.url()).not.toContain(ADMIN_KEY)
  })

  it('asks before a link replaces the key of the tab, and shows whose account it is', async () => {
    const [mine, other] = [await server.createCustomer(), await server.createCustomer()]
    const emailOf = async ({ get }: typeof mine) =>
      ((await get('/v1/account')).body.customer as { email: string }).email
    const [myEmail, otherEmail] = [await emailOf(mine), await emailOf(other)]
    const { page, complaints } = await open(`#key=${mine.apiKey}`)
    await page.getByRole('banner').getByText(myEmail).waitFor()
    const stored = () => page.evaluate<string>(`sessionStorage.getItem('scriptward.api_key')`)
    for (const isReloaded of [false, true]) {
      // An address that differs in its fragment alone loads nothing again.
      if (isReloaded) await page.goto('about:blank')
      await page.goto(`${server.url}/dashboard/#key=${other.apiKey}`)
      await page.getByText(`sign you in as ${otherEmail}`).waitFor()
      expect(page.url()).not.toContain(other.apiKey)
      expect(await stored()).toBe(mine.apiKey)
      await picture(page, 'switch')
      await page.getByRole('button', { name: `Stay signed in as ${myEmail}` }).click()
      await page.getByRole('banner').getByText(myEmail).waitFor()
      expect(await stored()).toBe(mine.apiKey)
    }
    await page.goto(`${server.url}/dashboard/#key=${other.apiKey}`)
    await page.getByRole('button', { name: `Sign in as ${otherEmail}` }).click()
    await page.getByRole('banner').getByText(otherEmail).waitFor()
    expect(await stored()).toBe(other.apiKey)
    expect(complaints).toEqual([])
  })

  it('does not offer an account whose key is not known', async () => {
    const owner = await server.createCustomer()
    const { page } = await open(`#key=${owner.apiKey}`)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.goto(`${server.url}/dashboard/#key=sw_wrong`)
    await page.getByText('This API key is not known here.').waitFor()
    expect(await page.getByRole('button').count()).toBe(1)
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  it('asks for a key where a link is damaged', async () => {
    const { page, complaints } = await open('#key=%E0%A4%A')
    await page.getByLabel('API key').waitFor()
    expect(complaints).toEqual([])
  })

  it('refuses a wrong key', async () => {
    const { page } = await open()
    await page.getByLabel('API key').fill('sw_wrong')
    await picture(page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This API key is not known here.').waitFor()
    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0)
  })

  it('leads an author from an empty account to a script that runs', async () => {
    const owner = await server.createCustomer()
    const { page, complaints } = await open()
    await page.getByLabel('API key').fill(owner.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
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
    const { page } = await open(`#key=${owner.apiKey}`)
    await page.goto(`${server.url}/dashboard/#/projects/${project}`)
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
    const { page } = await open(`#key=${owner.apiKey}`)
    await page.goto(`${server.url}/dashboard/#/projects/${project}`)
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
