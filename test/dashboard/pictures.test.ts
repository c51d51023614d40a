/**
 * Takes the documentation's screenshots of the real dashboard and saves them in `docs/images`. Only `npm
 * run pictures` runs it.
 */
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinSession } from '../../packages/server/test/live-sessions.ts'
import { instance } from '../../packages/server/test/store/rows.ts'
import { changeRows } from '../../packages/server/test/stored.ts'
import { findCut, isTooWide } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { type Busy, linesOf, makeBusy } from './busy-project.ts'
import { discordRoom } from './discord-room.ts'
import { PICTURES, type Picture } from './picture-list.ts'

const IMAGES = path.join(import.meta.dirname, '../../docs/images')
const MAX_BYTES = 150_000
const WIDTH = 1280
const HEIGHT = 800
const EXECUTORS = ['Wave', 'Orchard', 'Wave', 'lua5.1', 'Wave', 'Orchard', 'luajit']

const discord = await discordRoom()
const { stage } = discord
let busy: Busy
let context: BrowserContext
beforeAll(async () => {
  stage.server.clock.now = Date.now()
  busy = await makeBusy(stage.server, { email: 'ada@example.com' })
  await addVersions()
  await joinAll()
  await discord.connect(busy)
  context = await enter()
})

/** Adds versions that were uploaded in the hours before the browser's current time. */
async function addVersions(): Promise<void> {
  const [script = ''] = busy.scripts
  const { clock, deps } = stage.server
  const hours = [310, 120, 27, 3]
  for (const lines of [64, 71, 68])
    await busy.owner.post(`/v1/scripts/${script}/update`, { script: linesOf(lines) })
  await deps.db.transaction(async (tx) => {
    for (const [index, ago] of hours.entries())
      await tx
        .updateTable('script_versions')
        .set({ created_at: clock.now - ago * 3_600_000 })
        .where('script_id', '=', script)
        .where('version', '=', index + 1)
        .execute()
  })
}

/** Starts executions, each with heartbeats and a session. */
async function joinAll(): Promise<void> {
  const { owner, project, scripts, users } = busy
  const { clock, deps } = stage.server
  for (const [index, executor] of EXECUTORS.entries()) {
    const created_at = clock.now - (index * index + 1) * 7 * 60_000
    const last_seen = clock.now - index * 1000
    const common = {
      exec: `exe_picture${index}`,
      project_id: project,
      script_id: scripts[index % 3] ?? '',
      user_key: users[index + 4] ?? null,
      executor,
      last_seen,
      ...(executor.startsWith('lua')
        ? {}
        : { game_user_id: `48${index}1730`, place_id: '920587', job_id: `a${index}` }),
    }
    joinSession(stage.server, { ...common, customer_id: owner.id, created_at })
    const row = { ...instance, ...common, granted_at: created_at, expires_at: clock.now + 3_600_000 }
    await deps.db.transaction((tx) => tx.insertInto('instances').values(row).execute())
  }
}

async function enter(): Promise<BrowserContext> {
  const entered = await stage.browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  const { email } = await signInAs(entered, stage.server, busy.owner.id)
  await changeRows(stage.server, 'people', { email }, { name: 'Ada', email: 'ada@example.com' })
  return entered
}

describe('the documentation screenshots', () => {
  it.each(Object.entries(PICTURES))('show an entire page with no text cut off: %s', async (name, picture) => {
    const page = await context.newPage()
    await page.goto(`${stage.server.url}/dashboard/#/projects/${busy.project}${picture.address(busy)}`)
    await picture.ready(page)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    expect([await isTooWide(page), await findCut(page)]).toEqual([false, []])
    const taken = await take(page, name, picture)
    expect(taken.length).toBeLessThan(MAX_BYTES)
    await page.close()
  })
})

async function take(page: Page, name: string, { of, height }: Picture): Promise<Buffer> {
  const box = await page.locator(of).boundingBox()
  if (!box) throw new Error(`${name}: ${of} is not in sight`)
  return page.screenshot({ clip: { ...box, height }, path: path.join(IMAGES, `${name}.png`) })
}
