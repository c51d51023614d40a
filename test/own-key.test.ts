/** Tests a key's customer page in a real browser on a real server, with and without JavaScript. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../packages/server/test/harness.ts'
import { makeScene } from '../packages/server/test/protocol/scene.ts'
import { findBarriers, picture } from './browser.ts'
import { sharedStage } from './dashboard/stage.ts'

const stage = sharedStage()
const { browser } = stage
let server: TestServer
beforeAll(() => {
  server = stage.server
})

describe.each([true, false])('the page of a key, with JavaScript: %s', (javaScriptEnabled) => {
  it('lets users see their key, unbind their device and sign out, and never shows the whole key', async () => {
    const scene = await makeScene(server)
    const key = await scene.addUser({ key_expires: server.clock.now + 86_400_000 })
    const context = await browser.newContext({
      javaScriptEnabled,
      colorScheme: 'dark',
      viewport: { width: 640, height: 800 },
    })
    const page = await context.newPage()
    const addresses: string[] = []
    page.on('request', (request) => void addresses.push(request.url()))
    await scene.client.run(scene.scriptId, { key })
    await page.goto(`${server.url}/me`)
    await page.getByLabel('Key').fill(key)
    await page.getByRole('button', { name: 'Show my key' }).click()
    await page.getByText('Active').waitFor()
    if (javaScriptEnabled) expect(await findBarriers(page)).toEqual([])
    await picture(page, `own-key-${javaScriptEnabled ? 'with' : 'without'}-script`)
    await page.getByRole('button', { name: 'Reset device' }).click()
    await page.getByText('Device reset.').waitFor()
    await page.reload()
    await expect.poll(() => page.getByText('Device reset.').count()).toBe(0)
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key').waitFor()
    await page.goBack()
    expect(await page.content()).not.toContain('Active')
    expect(addresses.filter((address) => address.includes(key))).toEqual([])
    await context.close()
  })
})
