/**
 * Measures the user list in a real browser, in a project with a million users: the time until the first rows
 * appear, the frame times while scrolling, and the duration of searches. `DASHBOARD_USERS` sets the number of
 * users.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startBrowser } from '../test/browser.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, quantile, serve } from './served.ts'

const USERS = Number(process.env.DASHBOARD_USERS ?? 1_000_000)
const WINDOW = { width: 1280, height: 860 }
const SCROLL_MS = 15_000
/** Fast scrolling: more than one screen per second, so new pages of rows load constantly. */
const PX_PER_FRAME = 40
const SMOOTH_MS = 50
const SEARCHES = 9
/** Number of rows between the users that the benchmark searches for. */
const STRIDE = 104_729

export async function bench(): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const browser = await startBrowser()
  try {
    const project = await fillProject(folder)
    return await measureIn(browser, folder, project)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true })
  }
}

async function measureIn(browser: Browser, folder: string, project: string): Promise<Row[]> {
  const served = await serve(folder)
  try {
    const context = await signIn(browser, served.url)
    return await measure(context, `${served.url}/dashboard/#/projects/${project}`)
  } finally {
    await served.stop()
  }
}

/** Writes the users directly to the database, because only the dashboard is measured. */
async function fillProject(folder: string): Promise<string> {
  const served = await serve(folder)
  const { project_id } = await post(served.url, '/v1/projects/new', { name: 'Large' })
  await served.stop()
  const database = new DatabaseSync(path.join(folder, 'scriptward.db'))
  database
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       insert into users (key, customer_id, project_id, chat_id, note, created_at)
       select printf('%032d', i), (select customer_id from projects), ?, 10000000 + i, 'buyer ' || i || '.', i from n`,
    )
    .run(USERS, project_id ?? '')
  database.prepare('update projects set total_users = ?').run(USERS)
  database.close()
  return project_id ?? ''
}

async function signIn(browser: Browser, url: string): Promise<BrowserContext> {
  const { link } = await post(url, '/v1/members/invite', { email: 'owner@example.com', role: 'owner' })
  const context = await browser.newContext({ viewport: WINDOW, baseURL: url })
  const data = { link: link?.split('/').at(-1), name: 'Owner', password: 'correct horse battery staple' }
  const answer = await context.request.post('/v1/auth/invitation', { data, headers: { origin: url } })
  if (!answer.ok()) throw new Error(await answer.text())
  return context
}

async function post(url: string, at: string, body: object): Promise<Readonly<Record<string, string>>> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const answer = await fetch(url + at, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Record<string, string>
}

async function measure(context: BrowserContext, project: string): Promise<Row[]> {
  const page = await context.newPage()
  const shown = await timeUntil(page, USERS, () => page.goto(`${project}/users`))
  const frames = await scroll(page)
  const smooth = frames.filter((ms) => ms <= SMOOTH_MS).length / frames.length
  const searches: number[] = []
  for (let i = 1; i <= SEARCHES; i += 1) {
    const user = ((i * STRIDE) % USERS) + 1
    const search = page.getByRole('searchbox', { name: /^Search key/ })
    searches.push(await timeUntil(page, user, () => search.fill(nameOf(user))))
  }
  return rowsOf({ shown, frames, smooth, searches })
}

/** Returns the time in milliseconds until a user's row is visible. */
async function timeUntil(page: Page, user: number, act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  await page.getByText(nameOf(user), { exact: true }).first().waitFor()
  return performance.now() - start
}

/** Scrolls through the list and returns the duration of each frame, in milliseconds. */
function scroll(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const frames = []
    let before = performance.now()
    const end = before + ${SCROLL_MS}
    const next = (now) => {
      frames.push(now - before)
      before = now
      scrollBy(0, ${PX_PER_FRAME})
      if (now < end) requestAnimationFrame(next)
      else resolve(frames.slice(1))
    }
    requestAnimationFrame(next)
  })`)
}

type Measured = {
  readonly shown: number
  readonly frames: readonly number[]
  readonly smooth: number
  readonly searches: readonly number[]
}

function rowsOf({ shown, frames, smooth, searches }: Measured): Row[] {
  const of = `${USERS.toLocaleString('en')} users`
  const note = `load ${loadavg()[0]?.toFixed(1)}`
  return [
    { name: `${of}: time to first rows`, value: shown, unit: 'ms', note },
    {
      name: `${of}: frames of at most ${SMOOTH_MS} ms`,
      value: smooth * 100,
      unit: '%',
      limit: '>= 95',
      note,
    },
    {
      name: `${of}: frame time, p95`,
      value: quantile(frames, 0.95),
      unit: 'ms',
      note: `${frames.length} frames`,
    },
    {
      name: `${of}: a search`,
      value: median(searches),
      unit: 'ms',
      limit: '<= 1000',
      note: `at most ${Math.max(...searches).toFixed(0)}`,
    },
  ]
}

function nameOf(user: number): string {
  return `buyer ${user}.`
}
