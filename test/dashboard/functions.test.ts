/**
 * Tests a script's server code in a real browser: code moved by the build, and functions that are created,
 * fixed, tested in the real sandbox, and removed.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeRows } from '../../packages/server/test/stored.ts'
import { editor, panel } from './forms.ts'
import { inspect } from './inspect.ts'
import { scriptsRoom } from './scripts-room.ts'
import { button, dialog, submit } from './users-steps.ts'

const { at, open, scriptOf } = scriptsRoom()

type Scripted = Awaited<ReturnType<typeof scriptOf>>
const PRICE = 'return function(run, item, amount)\n  print(item, run.plan)\n  return 10 * amount\nend\n'

const put = ({ owner, id }: Scripted, name: string, source: string) =>
  owner.put(`/v1/scripts/${id}/functions/${name}`, { source })
const sourceOf = async ({ owner, id }: Scripted, name: string) =>
  ((await owner.get(`/v1/scripts/${id}/functions/${name}`)).body.function as { source: string }).source
const tab = ({ address }: Scripted, more = '') => `${address}?tab=functions${more}`
const answer = (page: Page) => page.getByRole('region', { name: 'Result' })

const MARKED = `local price = WARD_SERVER(function(amount) return 10 * amount end)
local places = WARD_SERVER({ mill = 3 })
print(price(1), places.mill)
`
const moved = (page: Page) => page.getByRole('list', { name: 'Moved to the server' }).getByRole('listitem')

describe('code that the build moved to the server', () => {
  it('is listed for the live version, with its calls and the last error', async () => {
    const scripted = await scriptOf({ script: MARKED })
    const last_failed_at = at().clock.now
    const failed = { calls: 1204, failures: 3, cpu_ms: 602, last_problem: 'line 1: no gold', last_failed_at }
    await changeRows(at(), 'server_functions', { script_id: scripted.id, name: 'price' }, failed)
    const { page } = await open(scripted.owner, tab(scripted))
    const price = moved(page).nth(0)
    await price.getByText('line 1: no gold').waitFor()
    for (const fact of ['line 1', '1,204 calls', '3 failures', '0.5 ms CPU per call'])
      await price.getByText(fact, { exact: true }).waitFor()
    const table = moved(page).nth(1)
    for (const fact of ['places', 'Table', 'line 2', '0 reads'])
      await table.getByText(fact, { exact: true }).waitFor()
    await page.getByText('No server functions yet').waitFor()
  })

  it('is shown in the build report of its version, and follows a rollback', async () => {
    const scripted = await scriptOf({ script: MARKED })
    const { owner, id } = scripted
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print("nothing moves")' })
    const { page } = await open(owner, tab(scripted))
    await page.getByText('Nothing moved to the server yet').waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByRole('button', { name: /^Version 1/ }).click()
    await dialog(page).getByText('1 function, 1 table').waitFor()
    await dialog(page).getByText('line 1, 0 calls, 0 failures').waitFor()
    await owner.post(`/v1/scripts/${id}/versions/1/activate`, {})
    await page.reload()
    await page.getByRole('tab', { name: 'Server code' }).click()
    await expect.poll(() => moved(page).count()).toBe(2)
  })
})

describe('functions that could run on the server', () => {
  const SHOP = `local RATES = { gold = 1.25, iron = 0.4 }
local function price(item, amount) return RATES[item] * amount end
local function label(n) return 'one' .. n .. 'two' end
print(price('gold', 3))
for i = 1, 3 do label(i) end
`
  const suggested = (page: Page) =>
    page.getByRole('list', { name: 'Could run on the server' }).getByRole('listitem')

  it('are listed with their constants and any reason against moving them, and move with one click', async () => {
    const scripted = await scriptOf({ script: SHOP, options: { preset: 'light' } })
    const { page } = await open(scripted.owner, tab(scripted))
    for (const fact of ['price', 'line 2', 'Hides 2 constants in 2 lines', 'Called in 1 place'])
      await suggested(page).nth(0).getByText(fact, { exact: true }).waitFor()
    await suggested(page)
      .nth(1)
      .getByText('Better left in the script: it is called in a loop at line 5')
      .waitFor()
    await inspect(page, 'server code, suggestions')
    await button(page, 'Move to the server “price”').click()
    await dialog(page).getByText('publishes the source of version 1').waitFor()
    await submit(page, 'Publish')
    await page.getByText('price now runs on the server.').waitFor()
    await moved(page).getByText('price', { exact: true }).waitFor()
    await expect.poll(() => suggested(page).count()).toBe(1)
    const { options } = (await scripted.owner.get(`/v1/scripts/${scripted.id}`)).body.script as {
      options: unknown
    }
    expect(options).toEqual({ preset: 'light', server: 'price' })
  })

  it('cannot be moved by someone who may not read the source', async () => {
    const scripted = await scriptOf({ script: SHOP })
    const { page } = await open(scripted.owner, tab(scripted), {
      seat: { role: 'custom', scopes: ['scripts:read', 'scripts:write', 'projects:read'] },
    })
    const move = button(page, 'Move to the server “price”')
    await expect.poll(() => move.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('server functions of a script', () => {
  it('explain their purpose, and can be created, tried, edited and removed', async () => {
    const scripted = await scriptOf()
    const { page } = await open(scripted.owner, tab(scripted))
    await page.getByText('No server functions yet').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'What to move to the server' }).getAttribute('href'))
      .toBe('/guide/ask')
    await button(page, 'New function').click()
    await editor(page, 'Function source').fill(PRICE)
    await button(page, 'Save').click()
    await page.getByText('Start with a lowercase letter').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('price')
    await button(page, 'Save').click()
    await page.getByText("ward.ask('price', …)").waitFor()
    expect(await sourceOf(scripted, 'price')).toBe(PRICE)
    await page.getByLabel('Values').fill('["gold", 3]')
    await page.getByLabel('Run information').fill('{"plan": "Pro"}')
    await button(page, 'Try it').click()
    await answer(page).getByText('30').waitFor()
    await page.getByRole('region', { name: 'Output' }).getByText('gold\tPro').waitFor()
    await editor(page, 'Function source').fill(PRICE.replace('10', '7'))
    await page.getByText('Save your changes to test them.').waitFor()
    await button(page, 'Save').click()
    await page.getByText('Save your changes to test them.').waitFor({ state: 'hidden' })
    await button(page, 'Try it').click()
    await answer(page).getByText('21').waitFor()
    await button(page, 'All functions').click()
    await button(page, 'Remove “price”').click()
    await dialog(page).getByText("This can't be undone").waitFor()
    await submit(page, 'Remove')
    await page.getByText('No server functions yet').waitFor()
  })

  it('keep their draft when it is rejected and when the user leaves the page', async () => {
    const scripted = await scriptOf()
    await put(scripted, 'price', PRICE)
    const { page } = await open(scripted.owner, tab(scripted, '&new=function'))
    const source = editor(page, 'Function source')
    await page.getByLabel('Name', { exact: true }).fill('price')
    await source.fill('return function()\n  return = 1\nend')
    await button(page, 'Save').click()
    await page.getByText('A function with this name already exists.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('other')
    await button(page, 'Save').click()
    await page.getByRole('alert').getByText('Must compile as Luau: line 2').waitFor()
    await page.locator('.cm-lint-marker-error').waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByRole('tab', { name: 'Server code' }).click()
    await source.getByText('return = 1').waitFor()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('other')
    expect(await sourceOf(scripted, 'price')).toBe(PRICE)
  })

  it('show why a call fails: arguments that are not a list, an error, a timeout', async () => {
    const scripted = await scriptOf()
    await put(
      scripted,
      'price',
      'return function(run, item)\n  while item == "loop" do end\n  error("no gold")\nend',
    )
    const { page } = await open(scripted.owner, tab(scripted, '&function=price'))
    const values = page.getByLabel('Values')
    await values.fill('gold')
    await page.getByLabel('Run information').fill('[]')
    await button(page, 'Try it').click()
    await page.getByText('Enter a JSON array such as').waitFor()
    await page.getByText('Enter a JSON object such as').waitFor()
    await page.getByLabel('Run information').fill('{}')
    await values.fill(JSON.stringify(['x'.repeat(20_000)]))
    await button(page, 'Try it').click()
    await panel(page, 'Try it').getByRole('alert').getByText('16384').waitFor()
    await values.fill('[]')
    await button(page, 'Try it').click()
    await page.getByText('price:3: no gold').waitFor()
    await values.fill('["loop"]')
    await button(page, 'Try it').click()
    await page.getByRole('status').getByText('took longer than 50 ms').waitFor()
  })

  it('can be neither read nor edited without permission, and the missing one is named', async () => {
    const scripted = await scriptOf()
    await put(scripted, 'price', PRICE)
    const { page } = await open(scripted.owner, tab(scripted), { seat: { role: 'reader' } })
    await page.getByText('0 calls').waitFor()
    await page.getByRole('link', { name: 'Edit and try “price”' }).click()
    await page.locator('main').getByText('scripts:source').first().waitFor()
    await expect.poll(() => button(page, 'Try it').getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => page.getByText('10 * amount').count()).toBe(0)
  })
})
