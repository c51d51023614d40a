/** Test setup for the scripts page: an author in a real browser, with a real server and files to choose. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { Owner } from '../../packages/server/test/harness.ts'
import { createOwner } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

export type Opened = { readonly page: Page; readonly complaints: string[] }

type Look = BrowserContextOptions & { readonly seat?: Seat }

export function scriptsRoom() {
  const stage = sharedStage()
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-scripts-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return {
    at: () => stage.server,
    folder: () => folder,
    async open(owner: Owner, address: string, { seat, ...look }: Look = {}): Promise<Opened> {
      const context = await stage.browser.newContext({ viewport: { width: 1100, height: 800 }, ...look })
      await signInAs(context, stage.server, owner.id, seat)
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      await page.goto(`${stage.server.url}/dashboard/#/projects/${address}`)
      return { page, complaints }
    },
    async scriptOf(members: object = {}) {
      const { owner, project } = await createOwner(stage.server)
      const body = { name: 'Greeter', script: 'print("hello")\n', ...members }
      const id = (await owner.post(`/v1/projects/${project}/scripts/new`, body)).string('script_id')
      return { owner, project, id, address: `${project}/scripts/${id}` }
    },
    fileOf(name: string, content: string | Uint8Array): string {
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, content)
      return file
    },
  }
}

/** Drops a file or folder as if it were dragged from a desktop window. */
export async function dropOn(page: Page, place: Locator, file: string): Promise<void> {
  const { x = 0, y = 0 } = (await place.boundingBox()) ?? {}
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data })
  await session.detach()
}

/** Returns page errors and content security policy violations. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security/.test(message.text())) complaints.push(message.text())
  })
  return complaints
}
