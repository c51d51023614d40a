/**
 * Tests what the browser downloads for the dashboard's first page when its cache is empty.
 * `bench/first-page.ts` measures the time.
 */
import { describe, expect, it } from 'vitest'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { openFirstPage } from '../first-page.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const MAX_REQUESTS = 25
const MAX_KIB = 250

const stage = sharedStage()

async function openUsers() {
  const { owner, project } = await createOwner(stage.server)
  const body = { amount: 200, note: 'a note of some length' }
  await owner.post(`/v1/projects/${project}/users/generate`, body)
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 } })
  await signInAs(context, stage.server, owner.id)
  const address = `${stage.server.url}/dashboard/#/projects/${project}/users`
  const { downloads } = await openFirstPage(context, address)
  await expect.poll(() => downloads.filter(({ bytes }) => bytes === undefined)).toEqual([])
  return { downloads, project }
}

describe('the first page', () => {
  it(`makes at most ${MAX_REQUESTS} requests and downloads at most ${MAX_KIB} KiB`, async () => {
    const { downloads } = await openUsers()
    expect(downloads.some(({ path }) => path.endsWith('.woff2'))).toBe(true)
    expect(downloads.length).toBeLessThanOrEqual(MAX_REQUESTS)
    const sum = downloads.reduce((total, { bytes = 0 }) => total + bytes, 0)
    expect(sum / 1024).toBeLessThanOrEqual(MAX_KIB)
  })

  it('requests nothing twice, and the users before the app has loaded', async () => {
    const { downloads, project } = await openUsers()
    const paths = downloads.map(({ path }) => path)
    expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted())
    const indexOf = (part: string) => paths.findIndex((each) => each.includes(part))
    const users = indexOf(`/v1/projects/${project}/users?`)
    expect(users).toBeGreaterThan(indexOf('/first-load-'))
    expect(users).toBeLessThan(indexOf('/v1/scopes'))
  })
})
