/** Test setup that dashboard tests share: a real server and windows of a real browser. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { sqlite } from '../../packages/server/test/databases.ts'
import { type Overrides, startServer, type TestServer } from '../../packages/server/test/harness.ts'
import { WEBHOOKS } from '../../packages/server/test/webhooks/receiver.ts'
import { endOrderly } from '../end-of-process.ts'
import { openWindows, type Windows } from '../windows.ts'

export type Stage = { readonly server: TestServer; readonly browser: Windows }

let serviceOfProcess: Promise<TestServer> | undefined

/** Starts the server. Its data, including the database, is deleted when this process ends. */
async function startShared(): Promise<TestServer> {
  endOrderly()
  const server = await startServer(sqlite, { config: WEBHOOKS })
  process.once('exit', () => rmSync(server.location.dataDir, { recursive: true, force: true }))
  return server
}

/**
 * One server serves all test files of this process. Each test creates its own accounts and looks only at
 * them. Before each test, the server's clock is set to the browser's time.
 */
export function sharedStage(): Stage {
  const stage = stageWith(() => {
    serviceOfProcess ??= startShared()
    return serviceOfProcess
  })
  const setClock = () => {
    stage.server.clock.now = Date.now()
  }
  beforeAll(setClock)
  beforeEach(setClock)
  return stage
}

/** Starts a separate server for tests that change the server's settings or time, or look at all accounts. */
export function ownStage(overrides: Overrides = {}): Stage {
  let server: TestServer | undefined
  const stage = stageWith(async () => {
    server = await startServer(sqlite, overrides)
    return server
  })
  afterAll(() => server?.close())
  return stage
}

function stageWith(start: () => Promise<TestServer>): Stage {
  let server: TestServer | undefined
  const browser = openWindows()
  beforeAll(async () => {
    server = await start()
  })
  return {
    browser,
    get server() {
      if (!server) throw new Error('the service starts with the first test: ask for it inside a test')
      return server
    },
  }
}
