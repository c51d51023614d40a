/**
 * The pictures of the documents, of the real dashboard in a real browser. `npm run pictures` writes them to `docs/images`;
 * every other run takes them without keeping them.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinSession } from '../../packages/server/test/live-sessions.ts'
import { instance } from '../../packages/server/test/store/rows.ts'
import { findCut, isTooWide } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { type Busy, linesOf, makeBusy } from './busy-project.ts'
import { ownStage } from './stage.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const IMAGES = path.join(ROOT, 'docs/images')
const MOST_BYTES = 150_000
const WIDTH = 1280
const HEIGHT = 800
const EXECUTORS = ['Wave', 'Orchard', 'Wave', 'lua5.1', 'Wave', 'Orchard', 'luajit']

const stage = ownStage()
let busy: Busy
let context: BrowserContext
beforeAll(async () => {
  stage.server.clock.now = Date.now()
  busy = await makeBusy(stage.server, { email: 'ada@example.com' })
  await addVersions()
  await joinAll()
  context = await enter()
})

/** In the hours before now, which is the time of the browser. */
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

/** Executions that still beat, each with its session. */
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
  await stage.server.deps.db.transaction((tx) =>
    tx
      .updateTable('people')
      .set({ name: 'Ada', email: 'ada@example.com' })
      .where('email', '=', email)
      .execute(),
  )
  return entered
}

type Picture = {
  /** Below the project's own. */
  readonly address: () => string
  /** Until it shows what its reader is to see. */
  readonly ready: (page: Page) => Promise<unknown>
  /** What of the window it shows, from its top. */
  readonly of: string
  readonly height: number
}

const rows = (page: Page) => page.locator('tbody tr[data-index]')

/** By the name of the file. */
const PICTURES: Readonly<Record<string, Picture>> = {
  overview: {
    address: () => '',
    ready: (page) => page.getByRole('link', { name: 'Key expired' }).first().waitFor(),
    of: 'body',
    height: 790,
  },
  users: {
    address: () => '/users',
    ready: (page) => rows(page).nth(11).waitFor(),
    of: 'main',
    height: 750,
  },
  denial: {
    address: () => '/denials?reason=fingerprint_mismatch',
    async ready(page) {
      await rows(page).first().getByRole('button', { name: 'Another device' }).click()
      await page.getByRole('dialog').getByText('What to do').waitFor()
    },
    of: 'dialog[open]',
    height: 590,
  },
  versions: {
    address: () => `/scripts/${busy.scripts[0]}?tab=versions`,
    ready: (page) => rows(page).nth(3).waitFor(),
    of: 'main',
    height: 390,
  },
  sessions: {
    address: () => '/sessions',
    ready: (page) => rows(page).nth(6).waitFor(),
    of: 'main',
    height: 470,
  },
}

describe('the pictures of the documents', () => {
  it.each(Object.entries(PICTURES))('show a whole page, with no text cut: %s', async (name, picture) => {
    const page = await context.newPage()
    await page.goto(`${stage.server.url}/dashboard/#/projects/${busy.project}${picture.address()}`)
    await picture.ready(page)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    expect([await isTooWide(page), await findCut(page)]).toEqual([false, []])
    const taken = await take(page, name, picture)
    expect(taken.length).toBeLessThan(MOST_BYTES)
    await page.close()
  })

  it('are all shown by a document, with words for who cannot see them, and all taken here', () => {
    const shown = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(
        ([, words = '', target = '']) => ({ words, target: path.join(ROOT, path.dirname(file), target) }),
      ),
    )
    expect(shown.filter(({ words }) => words.length < 20)).toEqual([])
    const wanted = Object.keys(PICTURES).map((name) => path.join(IMAGES, `${name}.png`))
    expect([...new Set(shown.map(({ target }) => target))].sort()).toEqual(wanted.sort())
    expect(
      readdirSync(IMAGES)
        .map((name) => path.join(IMAGES, name))
        .sort(),
    ).toEqual(wanted)
  })
})

async function take(page: Page, name: string, { of, height }: Picture): Promise<Buffer> {
  const box = await page.locator(of).boundingBox()
  if (!box) throw new Error(`${name}: ${of} is not in sight`)
  const file = process.env.SCRIPTWARD_PICTURES === undefined ? {} : { path: path.join(IMAGES, `${name}.png`) }
  return page.screenshot({ clip: { ...box, height }, ...file })
}
