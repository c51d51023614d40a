/**
 * Starts a separate server process that may send webhooks to this machine, and creates a folder for its
 * clients.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Served, serve } from '../bench/served.ts'
import { programOf } from '../packages/server/test/programs.ts'

/** The server starts before the tests in this `describe`, and stops after them. */
export function servedFolder(): { served(): Served; folder(): string } {
  let folder = ''
  let served: Served
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-served-'))
    const settings = {
      SCRIPTWARD_WEBHOOK_ALLOW_HTTP: 'true',
      SCRIPTWARD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
    }
    served = await serve(path.join(folder, 'data'), settings, programOf('service'))
  })
  afterAll(async () => {
    await served?.stop()
    rmSync(folder, { recursive: true })
  })
  return { served: () => served, folder: () => folder }
}
