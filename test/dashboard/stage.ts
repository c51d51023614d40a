/** What walks through the dashboard need: a real server and a real browser. */
import type { Browser } from 'playwright-core'
import { sqlite } from '../../packages/server/test/databases.ts'
import { startServer, type TestServer } from '../../packages/server/test/harness.ts'
import { startBrowser } from '../browser.ts'

export type Stage = { readonly server: TestServer; readonly browser: Browser; close(): Promise<void> }

export async function startStage(): Promise<Stage> {
  const server = await startServer(sqlite)
  const browser = await startBrowser()
  return {
    server,
    browser,
    async close() {
      await browser.close()
      await server.close()
    },
  }
}
