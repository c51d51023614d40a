/** The room of webhooks in a real browser, with receivers that are closed after each test. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { sqlite } from '../../packages/server/test/databases.ts'
import { startServer, type TestServer } from '../../packages/server/test/harness.ts'
import type { Owned } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { WEBHOOKS } from '../../packages/server/test/webhooks/receiver.ts'
import { closedReceivers } from '../../packages/server/test/webhooks/receivers.ts'
import { startBrowser } from '../browser.ts'
import { signInAs } from '../sign-in.ts'

type As = { readonly seat?: Seat; readonly look?: BrowserContextOptions; readonly query?: string }

/** `at` answers the service from the first test on. */
export function webhooksRoom() {
  let server: TestServer
  let browser: Browser
  const open: BrowserContext[] = []
  beforeAll(async () => {
    server = await startServer(sqlite, { config: WEBHOOKS })
    browser = await startBrowser()
  })
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  const visit = async (
    { owner, project }: Owned,
    { seat, look = {}, query = '' }: As = {},
  ): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...look })
    open.push(context)
    await signInAs(context, server, owner.id, seat)
    const page = await context.newPage()
    await page.goto(`${server.url}/dashboard/#/projects/${project}/webhooks${query}`)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    return page
  }
  return { at: () => server, visit, receive: closedReceivers() }
}
