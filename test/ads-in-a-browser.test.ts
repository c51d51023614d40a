/**
 * Tests ads in a real browser, with and without JavaScript. A visitor passes three checkpoints in three
 * styles, gets a key, runs a protected script with it in real Lua, and then adds time to the key. Every page
 * is checked for accessibility.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createSystem, type System, sceneOn, WATCHING_MS } from '../packages/server/test/ads/scene.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { findBarriers, isTooWide, LOOKS, picture } from './browser.ts'
import { openWindows } from './windows.ts'

const run = promisify(execFile)
const HOUR = 3_600_000
const STEPS = { a: 'Read an article', b: 'Do two tasks', c: 'Last link' } as const

const at = sceneOn(sqlite)
const browser = openWindows()

type Garden = System & { readonly scriptId: string }

async function makeGarden(): Promise<Garden> {
  const { server } = at()
  const { owner, project } = await createOwner(server, {}, { name: 'Garden Simulator' })
  const script = 'print("the garden grows " .. (ward and "here" or "nowhere"))'
  const scriptId = await createScript(owner, project, { name: 'garden', script })
  const steps = (['a', 'b', 'c'] as const).map((style) => ({ style, changes: { name: STEPS[style] } }))
  const members = { name: 'Get a free key', key_duration: 6 * HOUR }
  const system = await createSystem(at(), steps, members, { owner, project })
  return { ...system, scriptId }
}

/** Calls `look` on every page where the visitor stops. */
async function passSteps(
  page: Page,
  { checkpoints }: Garden,
  look: (name: string) => Promise<void>,
): Promise<void> {
  for (const [index, name] of Object.values(STEPS).entries()) {
    await page.getByRole('heading', { name: `Step ${index + 1} of 3` }).waitFor()
    await look(`step-${index + 1}`)
    await leave(page)
    if (name !== STEPS.b) {
      await page.getByRole('button', { name: 'I have seen it' }).click()
      continue
    }
    const clickId = new URL(page.url()).searchParams.get('puid') ?? ''
    at().providers.postback = 'none'
    await page.getByRole('button', { name: 'I have seen it' }).click()
    await page.getByRole('heading', { name: 'Waiting for confirmation' }).waitFor()
    await look('waiting')
    // The provider's postback arrives after the visitor has returned.
    await at().providers.confirm(checkpoints[index]?.link ?? '', clickId, '127.0.0.1')
  }
  await page.getByRole('heading', { name: 'All steps completed' }).waitFor()
  await look('ready')
}

/** Opens the provider's site, and stays there for the required time. */
async function leave(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Open/ }).click()
  await page.getByRole('heading', { name: 'An ad' }).waitFor()
  at().server.clock.now += WATCHING_MS
}

async function runScript({ scriptId }: Garden, key: string | undefined): Promise<string> {
  const loader = await (await fetch(`${at().server.url}/client/v1/loader/${scriptId}`)).text()
  const env = { ...process.env, ...(key === undefined ? {} : { SCRIPT_KEY: key }) }
  return run('lua5.1', ['-e', loader], { env }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  )
}

function walkers(): readonly { readonly name: string; readonly options: BrowserContextOptions }[] {
  return [
    { name: 'with JavaScript', options: { javaScriptEnabled: true } },
    { name: 'without JavaScript', options: { javaScriptEnabled: false } },
  ]
}

describe.each(walkers())('a visitor $name', ({ name, options }) => {
  it('earns a key, runs a script with it, and extends it', async () => {
    const { server } = at()
    const garden = await makeGarden()
    const { owner } = garden
    const context = await browser.newContext({ ...options, locale: 'en-GB' })
    const page = await context.newPage()
    const complaints = watch(page)
    const look = (step: string) => inspect(page, `${name}-${step}`, options.javaScriptEnabled === true)
    await page.goto(garden.url)
    await look('landing')
    await page.getByRole('button', { name: 'Start' }).click()
    await passSteps(page, garden, look)
    await page.getByRole('button', { name: 'Get my key' }).click()
    await page.getByRole('heading', { name: 'Here is your key' }).waitFor()
    await look('key')
    const key = (await page.locator('#key').textContent()) ?? ''
    expect(key).toMatch(/^[A-Za-z0-9]{32}$/)
    await expect.poll(() => page.locator('#loader-1').textContent()).toContain(`script_key = "${key}"`)
    expect(await runScript(garden, key)).toBe('the garden grows here\n')
    const { user } = (await owner.get(`/v1/users/${key}`)).body as { user: { key_expires: number } }
    expect(user.key_expires).toBe(server.clock.now + 6 * HOUR)

    server.clock.now += 2 * 60_000
    await page.reload()
    await page.getByRole('button', { name: 'Complete the steps again' }).click()
    await passSteps(page, garden, async () => {})
    await page.getByRole('button', { name: 'Extend my key' }).click()
    await page.getByRole('heading', { name: 'Your key has been extended' }).waitFor()
    await look('extended')
    await expect.poll(() => page.locator('#key').textContent()).toBe(key)
    const after = (await owner.get(`/v1/users/${key}`)).body as { user: { key_expires: number } }
    expect(after.user.key_expires).toBe(user.key_expires + 6 * HOUR)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('a visitor', () => {
  it('continues at the same step after closing the tab', async () => {
    const { url } = await makeGarden()
    const context = await browser.newContext()
    const first = await context.newPage()
    await first.goto(url)
    await first.getByRole('button', { name: 'Start' }).click()
    await leave(first)
    await first.getByRole('button', { name: 'I have seen it' }).click()
    await first.getByRole('heading', { name: 'Step 2 of 3' }).waitFor()
    await first.close()
    const second = await context.newPage()
    await second.goto(url)
    await second.getByRole('heading', { name: 'Step 2 of 3' }).waitFor()
    await context.close()
  })

  it('gets a key for their device after a denied run, which works only there', async () => {
    const garden = await makeGarden()
    const denied = await runScript(garden, undefined)
    const address = /https?:\/\/\S+[?&]d=[\w-]+/.exec(denied)?.[0] ?? denied
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.getByText('Your key will work on the device').waitFor()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByText('Dein Key funktioniert auf dem Gerät').waitFor()
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await passSteps(page, garden, async () => {})
    await page.getByRole('button', { name: 'Get my key' }).click()
    await page.getByText('It works on the device').waitFor()
    const key = (await page.locator('#key').textContent()) ?? ''
    expect(await runScript(garden, key)).toBe('the garden grows here\n')
    await context.close()
  })

  it('has to wait after returning too early, and then passes', async () => {
    const { url } = await makeGarden()
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Start' }).click()
    await leave(page)
    at().server.clock.now -= WATCHING_MS - 3000
    await page.getByRole('button', { name: 'I have seen it' }).click()
    await page.getByText('That was too fast').waitFor()
    await inspect(page, 'hurried', true)
    await leave(page)
    await page.getByRole('button', { name: 'I have seen it' }).click()
    await page.getByRole('heading', { name: 'Step 2 of 3' }).waitFor()
    await context.close()
  })

  it("sees where to continue after opening another visitor's callback", async () => {
    const { checkpoints } = await makeGarden()
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${checkpoints[0]?.callback_url}?hash=${'a'.repeat(64)}`)
    await page.getByText('Please continue in the browser you started in').waitFor()
    await inspect(page, 'elsewhere', true)
    await context.close()
  })
})

/**
 * Takes a screenshot in every theme and width, and checks accessibility on every page where axe's script may
 * run.
 */
async function inspect(page: Page, name: string, isScripted: boolean): Promise<void> {
  for (const { viewport, colorScheme } of LOOKS) {
    if (viewport) await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: colorScheme ?? null })
    await picture(page, `${name.replaceAll(' ', '-')}-${colorScheme}-${viewport?.width}`)
    if (!isScripted) continue
    expect(await findBarriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  }
}

function watch(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  return complaints
}
