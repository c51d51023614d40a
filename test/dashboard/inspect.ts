/** How a state of a page looks, once in each look: what axe finds, what is cut, and whether it has to be scrolled sideways. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Seat } from '../../packages/server/test/people.ts'
import { findBarriers, findCut, inEachLook, isTooWide, picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import type { Stage } from './stage.ts'

/** What a room of the dashboard shows, one state after the other, and who looks at it. */
type Visit = {
  /** In whose account; without one, nobody is signed in. */
  readonly account?: string
  readonly seat?: Seat
  /** From `#` on. */
  readonly address: string
  /** Each begins where the one before it ended. */
  readonly states: Readonly<Record<string, (page: Page) => Promise<unknown>>>
}

/** Makes what there is to see. */
export type Room = (stage: Stage) => Promise<Visit>

const WIDE = { width: 1280, height: 900 }

/**
 * The page stays as it is but for its width and its colours, and is as wide as a desk again afterwards. Behind a dialog
 * nothing can be reached, and what is there is looked at in the state before: axe takes a second for a whole page.
 */
export async function inspect(page: Page, state: string): Promise<void> {
  const isCovered = (await page.locator('dialog[open]:modal').count()) > 0
  const place = isCovered ? 'dialog[open]' : ':root'
  await inEachLook(page, async (look) => {
    await picture(page, `${state.replaceAll(' ', '-')}-${look}`)
    const found = {
      barriers: await findBarriers(page, place),
      cut: await findCut(page),
      wide: await isTooWide(page),
    }
    expect([state, look, found]).toEqual([state, look, { barriers: [], cut: [], wide: false }])
  })
  await page.setViewportSize(WIDE)
}

/** One test for each room. */
export function inspectEach(stage: Stage, rooms: Readonly<Record<string, Room>>): void {
  it.each(Object.entries(rooms))(
    '%s: no barrier that axe finds, nothing cut and nothing to scroll sideways, in every state and look',
    async (name, room) => {
      stage.server.clock.now = Date.now()
      const { account, seat, address, states } = await room(stage)
      const context = await stage.browser.newContext({ viewport: WIDE })
      if (account !== undefined) await signInAs(context, stage.server, account, seat)
      const page = await context.newPage()
      await page.goto(`${stage.server.url}/dashboard/${address}`)
      for (const [state, reach] of Object.entries(states)) {
        await reach(page)
        await inspect(page, `${name}, ${state}`)
      }
    },
  )
}
