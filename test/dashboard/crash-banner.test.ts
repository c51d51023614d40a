/** Tests the banner about a version that crashes for customers in a real browser. */
import { describe, expect, it } from 'vitest'
import { createOwner, createScript } from '../../packages/server/test/nouns.ts'
import { changeRows, insertRows, rowsOf } from '../../packages/server/test/stored.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const DAY_MS = 86_400_000
const stage = sharedStage()
const { browser } = stage

describe('a version that makes customers crash', () => {
  /** Makes version 2 of a new script live, and counts more crashes for it than for version 1. */
  async function crashingScript() {
    const { server } = stage
    const { owner, project } = await createOwner(server)
    const script = await createScript(owner, project, { name: 'Orbit', options: { preset: 'light' } })
    await owner.post(`/v1/scripts/${script}/channels/beta`, {})
    await owner.post(`/v1/scripts/${script}/update`, { script: 'print(2)', options: { preset: 'light' } })
    await changeRows(server, 'projects', { id: project }, { total_executions: 100 })
    const day = Math.floor(server.clock.now / DAY_MS)
    const counts = { vanished: 0, denied: 0, runs: 300, customers: 100 }
    for (const [version, bad] of [
      [1, 1],
      [2, 12],
    ] as const)
      for (const executor of ['', 'Wave'])
        for (const each of [0, day]) {
          const crashed = { crashed: bad, crashed_customers: bad }
          const of = { script_id: script, version, executor, day: each }
          await insertRows(server, 'version_health', { ...of, ...counts, ...crashed })
        }
    return { owner, project, script }
  }

  it('is shown in a banner on the overview and the scripts, which rolls it back with undo', async () => {
    const { owner, project } = await crashingScript()
    const { server } = stage
    const context = await browser.newContext()
    await signInAs(context, server, owner.id)
    const page = await context.newPage()
    await page.goto(`${server.url}/dashboard/#/projects/${project}`)
    const banner = page.getByRole('region', { name: 'Crashes after a version' })
    await banner.getByText('12 customers on Wave crashed after version 2').waitFor()
    await banner.getByText('Orbit: crash-free customers fell from 99% to 88%.').waitFor()
    await page.goto(`${server.url}/dashboard/#/projects/${project}/scripts`)
    const back = banner.getByRole('button', { name: 'Roll back to version 1' })
    await back.waitFor()
    expect(await page.getByRole('button', { name: 'Upload a script' }).getAttribute('class')).not.toBe('main')
    await back.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('Rolled back to version 1.').waitFor()
    await banner.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await banner.getByRole('link', { name: 'View crashes' }).click()
    await page.waitForURL(/logs\?outcome=crashed&script_id=.*&version=2/)
  })

  it('is rolled back for everyone, even if another channel has an open release of the version', async () => {
    const { owner, project, script } = await crashingScript()
    const { server } = stage
    const order = { channel: 'beta', percent: 50 }
    expect((await owner.post(`/v1/scripts/${script}/versions/2/release`, order)).status).toBe(200)
    const context = await browser.newContext()
    await signInAs(context, server, owner.id)
    const page = await context.newPage()
    await page.goto(`${server.url}/dashboard/#/projects/${project}`)
    const banner = page.getByRole('region', { name: 'Crashes after a version' })
    await banner.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('Rolled back to version 1.').waitFor()
    expect(await rowsOf(server, 'scripts', { id: script })).toMatchObject([{ version: 1 }])
  })
})
