/**
 * Measures how long the dashboard takes to show a project's users over a slow connection with an empty cache.
 */
import { sqlite } from '../packages/server/test/databases.ts'
import { startServer } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { startBrowser } from '../test/browser.ts'
import { openFirstPage } from '../test/first-page.ts'
import { signInAs } from '../test/sign-in.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

const LINE = { latencyMs: 400, bytesPerSecond: 50_000 }
const USERS = 200
const ROUNDS = 5

export async function bench(): Promise<Row[]> {
  const server = await startServer(sqlite)
  server.clock.now = Date.now()
  const browser = await startBrowser()
  const { owner, project } = await createOwner(server)
  await owner.post(`/v1/projects/${project}/users/generate`, { amount: USERS, note: 'a note of some length' })
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await signInAs(context, server, owner.id)
    const address = `${server.url}/dashboard/#/projects/${project}/users`
    times.push((await openFirstPage(context, address, LINE)).rowsMs / 1000)
    await context.close()
  }
  await browser.close()
  await server.close()
  return [{ name: 'first page on a slow connection', value: median(times), unit: 's', limit: '<= 5' }]
}
