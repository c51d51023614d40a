/** Tests that a new API key is shown on the account page once, if its owner has not seen it yet. */
import { expect, it } from 'vitest'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'
import { button } from './users-steps.ts'

const stage = sharedStage()

it('a pending API key is shown to an owner once', async () => {
  const { server, browser } = stage
  const account = await server.createCustomer()
  expect((await server.client().post(`/customers/${account.apiKey}/reset`)).text).toBe('{"success":true}')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await signInAs(context, server, account.id)
  const page = await context.newPage()
  await page.goto(`${server.url}/dashboard/#/account/api`)
  await button(page, 'Show new key').click()
  await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
  const apiKey = (await page.locator('.secret code').textContent()) ?? ''
  expect((await server.client(apiKey).get('/v1/account')).status).toBe(200)
  await button(page, 'Done').click()
  await button(page, 'Replace API key').waitFor()
  await expect.poll(() => button(page, 'Show new key').count()).toBe(0)
  await page.reload()
  await button(page, 'Replace API key').waitFor()
  await expect.poll(() => button(page, 'Show new key').count()).toBe(0)
  await context.close()
})
