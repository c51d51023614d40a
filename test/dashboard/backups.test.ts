/**
 * Tests the backups tab in a real browser: missing settings, a backup on demand, a failed backup, and the
 * layout.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { ownStage } from './stage.ts'

const stage = ownStage()
let folder: string
let operator: string
beforeAll(async () => {
  stage.server.clock.now = Date.now()
  folder = stage.server.deps.config.backup.dir
  const first = stage.server.deps.db.read.selectFrom('customers').select('id').where('admin', '=', 1)
  operator = (await first.executeTakeFirstOrThrow()).id
})

async function open(): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 } })
  await signInAs(context, stage.server, operator)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/operators/system?tab=backups`)
  await page.locator('.figures').waitFor()
  return page
}

describe('the backups tab', () => {
  it('shows the settings to add if backups are off, and makes one on demand', async () => {
    const page = await open()
    await page.getByText('No backups yet').waitFor()
    await page.getByText('Not scheduled').waitFor()
    await page.getByText('SCRIPTWARD_BACKUP_EVERY=6h').waitFor()
    await page.getByText('SCRIPTWARD_BACKUP_PUBLIC_KEY=age1…').waitFor()
    await picture(page, 'backups-none')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText(/^Backup created \(/).waitFor()
    const name = await page
      .getByRole('table')
      .getByText(/^scriptward-.+Z\.tar\.zst$/)
      .textContent()
    expect(existsSync(path.join(folder, name ?? ''))).toBe(true)
  })

  it('shows why a backup failed until one succeeds', async () => {
    const page = await open()
    const elsewhere = `${folder}-elsewhere`
    const { config } = stage.server.deps
    writeFileSync(elsewhere, 'a file')
    Object.assign(stage.server.deps, { config: { ...config, backup: { ...config.backup, dir: elsewhere } } })
    stage.server.clock.now += 1000
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('The backup failed.').waitFor()
    await page.getByText(`${elsewhere} is not writable (EEXIST)`).waitFor()
    await picture(page, 'backups-failed')
    Object.assign(stage.server.deps, { config })
    rmSync(elsewhere)
    stage.server.clock.now += 1000
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText(/^Backup created \(/).waitFor()
    await expect.poll(() => page.getByText('is not writable').count()).toBe(0)
  })

  it('lists backups by age, size and kind', async () => {
    mkdirSync(folder, { recursive: true })
    const old = 'scriptward-2026-06-15T12-00-00-000Z-before-0002-labels.tar.zst.age'
    writeFileSync(path.join(folder, old), Buffer.alloc(184_320_000 / 100))
    const { config } = stage.server.deps
    const backup = { ...config.backup, everyMs: 21_600_000, seal: { passphrase: 'seven green bottles' } }
    Object.assign(stage.server.deps, { config: { ...config, backup } })
    const page = await open()
    await page.getByText('Before update 0002-labels').waitFor()
    await page.getByText('1.8 MB').waitFor()
    Object.assign(stage.server.deps, { config })
  })
})
