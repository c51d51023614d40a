/** Test setup that opens the webhooks page in a real browser. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Owned } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { closedReceivers } from '../../packages/server/test/webhooks/receivers.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

type As = { readonly seat?: Seat; readonly look?: BrowserContextOptions; readonly query?: string }

/** `at` returns the server once the first test has started. */
export function webhooksRoom() {
  const stage = sharedStage()
  const visit = async (
    { owner, project }: Owned,
    { seat, look = {}, query = '' }: As = {},
  ): Promise<Page> => {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 }, ...look })
    await signInAs(context, stage.server, owner.id, seat)
    const page = await context.newPage()
    await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/webhooks${query}`)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    return page
  }
  return { at: () => stage.server, visit, receive: closedReceivers() }
}
