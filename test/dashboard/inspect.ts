/**
 * Checks a state of a page in each look, for accessibility problems, clipped text and horizontal scrolling.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Seat } from '../../packages/server/test/people.ts'
import { findBarriers, findCut, inEachLook, isTooWide, picture, settle } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import type { Stage } from './stage.ts'

/** The states of a page to check in order, and the user who sees them. */
type Visit = {
  /** The account; omit for signed-out pages. */
  readonly account?: string
  readonly seat?: Seat
  /** The URL, starting at `#`. */
  readonly address: string
  /** Each state continues from the previous one. */
  readonly states: Readonly<Record<string, (page: Page) => Promise<unknown>>>
}

/** Creates the data to show. */
export type Room = (stage: Stage) => Promise<Visit>

const WIDE = { width: 1280, height: 900 }

/** Changes only the width and the colors, and restores the desktop width afterward. */
export async function inspect(page: Page, state: string): Promise<void> {
  const devices = await page.context().newCDPSession(page)
  const touch = (enabled: boolean) => devices.send('Emulation.setTouchEmulationEnabled', { enabled })
  await inEachLook(page, state, async (look) => {
    await touch(look.startsWith('360'))
    // Scrolls up, because the top bar covers part of the content below it.
    await page.evaluate('scrollTo(0, 0)')
    await picture(page, `${state.replaceAll(' ', '-')}-${look}`)
    // A screenshot of a page that is taller than the window ends the touch emulation.
    await touch(look.startsWith('360'))
    await page.waitForFunction(`matchMedia('(pointer: coarse)').matches === ${look.startsWith('360')}`)
    await settle(page)
    const found = {
      barriers: await findBarriers(page),
      cut: await findCut(page),
      wide: await isTooWide(page),
      small: look.startsWith('360') ? await findSmall(page) : [],
    }
    expect([state, look, found]).toEqual([state, look, { barriers: [], cut: [], wide: false, small: [] }])
  })
  await touch(false)
  await page.setViewportSize(WIDE)
}

/**
 * Returns the buttons and fields that aren't tall enough to tap. Rows with `data-open` open wherever they are
 * tapped.
 */
function findSmall(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${smallTargets})()`)
}

const smallTargets = `() => [...document.querySelectorAll('button:not(.link, [data-open]), .button, select, input')].filter((element) => {
  const isMark = element.matches('[type=checkbox], [type=radio], [type=color], [type=range]')
  const { height } = element.getBoundingClientRect()
  return !isMark && element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && height > 1 && height < 43.5
}).map((element) => element.getBoundingClientRect().height + ' ' + element.outerHTML.slice(0, 160))`

/** Defines one test per page. */
export function inspectEach(stage: Stage, rooms: Readonly<Record<string, Room>>): void {
  it.each(Object.entries(rooms))(
    '%s has no accessibility violation, clipped content or horizontal scrolling, in every state and look',
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
