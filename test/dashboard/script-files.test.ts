/** Tests multi-file scripts in a real browser: the files are chosen or dropped, fixed, shown and compared. */
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { dropOn, scriptsRoom } from './scripts-room.ts'

const { at, open, fileOf } = scriptsRoom()

const editor = (page: Page, name = 'Source'): Locator => page.getByRole('textbox', { name, exact: true })
const upload = (page: Page) => page.getByRole('button', { name: 'Upload and protect' })

describe('a multi-file script', () => {
  it('can be uploaded by choosing files, shows the main file, and names a file with errors', async () => {
    const { owner, project } = await createOwner(at())
    const { page, complaints } = await open(owner, `${project}/scripts`)
    const files = [
      fileOf('shop.lua', 'return { price = = 3 }'),
      fileOf('main.lua', `print(require('shop').price)`),
    ]
    await page.getByText('More files', { exact: true }).click()
    await page.getByLabel('Choose files').setInputFiles(files)
    await editor(page).getByText('require').waitFor()
    await expect.poll(() => page.getByLabel('Main file (entry point)').inputValue()).toBe('main.lua')
    await upload(page).click()
    await page.getByRole('alert').getByText('shop.lua: line 1, column 18').waitFor()
    await page.getByLabel('Choose files').setInputFiles(fileOf('shop.lua', 'return { price = 3 }'))
    // The page empties the input once it has read the file.
    await expect.poll(() => page.getByLabel('Choose files').inputValue()).toBe('')
    await page.getByLabel('Name', { exact: true }).fill('Shop')
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    const [script] = (await owner.get(`/v1/projects/${project}/scripts`)).body.scripts as { id: string }[]
    const { body } = await owner.get(`/v1/scripts/${script?.id}/versions/1/source`)
    expect(body).toMatchObject({ script_path: 'main.lua', files: { 'shop.lua': 'return { price = 3 }' } })
    await page.goto(`${at().url}/dashboard/#/projects/${project}/scripts/${script?.id}?tab=versions`)
    await page.getByRole('button', { name: 'Actions for Version 1' }).click()
    await page.getByRole('menuitem', { name: 'Show source' }).click()
    await page.getByRole('button', { name: 'Edit as new version' }).click()
    await page.getByRole('list', { name: 'More files' }).getByText('shop.lua').waitFor()
    await page.getByRole('button', { name: 'Protect and publish' }).click()
    const second = async () => (await owner.get(`/v1/scripts/${script?.id}/versions/2/source`)).body
    await expect.poll(second).toMatchObject({ source: body.source, files: body.files })
    expect(complaints.filter((words) => !words.includes('422'))).toEqual([])
  })

  it('can be uploaded by dropping its folder, and shows all files of a version and their differences', async () => {
    const { owner, project } = await createOwner(at())
    const { page, complaints } = await open(owner, `${project}/scripts`)
    const names = [
      'game/main.lua',
      'game/lib/shop.lua',
      'game/lib/old.lua',
      'game/notes.md',
      'game/.git/hook.lua',
    ]
    const [main = ''] = names.map((name) => fileOf(name, `-- ${name}\nreturn ...`))
    fileOf('game/main.lua', "require('lib.old')\nprint(require('lib.shop').price)")
    await dropOn(page, page.getByText('Drop a Lua or Luau file or a script folder here'), path.dirname(main))
    await editor(page).getByText('lib.shop').waitFor()
    await expect.poll(() => page.getByLabel('Main file (entry point)').inputValue()).toBe('main.lua')
    await expect
      .poll(() => page.getByRole('list', { name: 'More files' }).getByRole('listitem').count())
      .toBe(2)
    await page.getByLabel('Name', { exact: true }).fill('Game')
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: 'Game' }).waitFor()
    const [script] = (await owner.get(`/v1/projects/${project}/scripts`)).body.scripts as { id: string }[]
    const files = { 'lib/shop.lua': 'return { price = 3 }', 'lib/more.lua': 'return 1' }
    const changed = { script: "print(require('lib.shop').price)", files }
    expect((await owner.post(`/v1/scripts/${script?.id}/update`, changed)).status).toBe(200)
    await page.goto(`${at().url}/dashboard/#/projects/${project}/scripts/${script?.id}?tab=versions`)
    await page.reload()
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Version 1' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await act('Show source')
    const shown = page.getByRole('dialog')
    await expect
      .poll(() => shown.getByLabel('File').getByRole('option').allTextContents())
      .toEqual(['main.lua (entry point)', 'lib/old.lua', 'lib/shop.lua'])
    await shown.getByLabel('File').selectOption('lib/shop.lua')
    await editor(page, 'Source of version 1').getByText('game/lib/shop.lua').waitFor()
    await page.keyboard.press('Escape')
    await act('Compare')
    const list = shown.getByLabel('4 files differ')
    await list.waitFor()
    await expect
      .poll(() => list.getByRole('option').allTextContents())
      .toEqual(['main.lua', 'lib/more.lua (added)', 'lib/shop.lua', 'lib/old.lua (removed)'])
    await list.selectOption('lib/shop.lua')
    await shown.locator('.cm-changedText').getByText('price').first().waitFor()
    await shown.getByRole('button', { name: 'Download lib/shop.lua from version 2' }).waitFor()
    expect(complaints).toEqual([])
  })
})
