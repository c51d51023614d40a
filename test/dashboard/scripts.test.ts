/**
 * Tests the scripts pages in a real browser on a real server: an author uploads, fixes, compares, tests and
 * traces scripts, and no failure loses input.
 */
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { runLua } from '../../packages/obfuscator/test/run-lua.ts'
import { unpack } from '../../packages/server/src/features/builds/lz4.ts'
import { createOwner, createUser } from '../../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../../packages/server/test/protocol/client.ts'
import { insertRows, rowOf } from '../../packages/server/test/stored.ts'
import { inspect } from './inspect.ts'
import { scriptsRoom } from './scripts-room.ts'

const run = promisify(execFile)
const NAME = 'عربي 🎉 greeter'

const { at, open, scriptOf, fileOf, folder } = scriptsRoom()

const editor = (page: Page, name = 'Source'): Locator => page.getByRole('textbox', { name, exact: true })
const choose = (page: Page, file: string) => page.getByLabel('Lua or Luau file').setInputFiles(file)
/** Waits until the page has read the file. A button that is clicked earlier does not send it. */
const chooseCopy = async (page: Page, file: string) => {
  await choose(page, file)
  await page.getByRole('status').getByText(path.basename(file)).waitFor()
}
const upload = (page: Page) => page.getByRole('button', { name: 'Upload and protect' })

describe('the page of a script', () => {
  it('has a heading if the script cannot be loaded', async () => {
    const { owner, project, id } = await scriptOf()
    const { page } = await open(owner, `${project}/plans`)
    await page.route(`**/v1/scripts/${id}`, (route) => route.abort())
    await page.goto(page.url().replace('/plans', `/scripts/${id}`))
    await page.getByText("Can't reach the server.").waitFor()
    await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
  })
})

describe('uploading', () => {
  it('leads from an empty project to the snippet that runs the script, with a key filled in', async () => {
    const { owner, project } = await createOwner(at())
    const key = await createUser(owner, project, { note: 'first friend' })
    const { page, complaints } = await open(owner, `${project}/scripts`)
    await page.getByRole('heading', { name: 'Upload your first script' }).waitFor()
    await choose(page, fileOf('hello.lua', 'print("hello " .. ward.note)\n'))
    await editor(page).getByText('hello').waitFor()
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: 'hello.lua' }).waitFor()
    await page.getByLabel('Key to insert').fill(key)
    await page.getByRole('tab', { name: 'Lua', exact: true }).click()
    const line = await page.getByRole('region', { name: 'Lua', exact: true }).locator('code').textContent()
    expect(line).toContain(`SCRIPT_KEY="${key}"`)
    const { stdout } = await run('bash', ['-c', line ?? ''], { cwd: folder() })
    expect(stdout).toBe('hello first friend\n')
    expect(complaints).toEqual([])
  })

  it('marks syntax errors at their position, and accepts the fixed source', async () => {
    const { owner, project } = await createOwner(at())
    const { page } = await open(owner, `${project}/scripts`)
    await editor(page).fill('local emoji = "🎉" if true the\n  print(1)\nend\n')
    await page.getByLabel('Name', { exact: true }).fill(NAME)
    await upload(page).click()
    await page.getByRole('alert').getByText('1 error in the script').waitFor()
    await page.locator('.cm-lint-marker-error').waitFor()
    await page.getByRole('button', { name: 'Line 1, column 27' }).click()
    expect(await page.evaluate<string>('document.activeElement.shadowRoot.activeElement.ariaLabel')).toBe(
      'Source',
    )
    expect((await owner.get(`/v1/projects/${project}/scripts`)).body.scripts).toEqual([])
    await page.keyboard.press('Control+Shift+ArrowRight')
    await page.keyboard.type('then')
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  })

  it('sends only options that differ from the preset, and remembers them', async () => {
    const { owner, project } = await createOwner(at())
    const { page } = await open(owner, `${project}/scripts`)
    await editor(page).fill('print(1)')
    await page.getByText('Light', { exact: true }).click()
    await page.getByText('Advanced').click()
    await page.getByLabel('Target').selectOption('luau')
    await page.getByLabel('Encode numbers', { exact: true }).selectOption('Off')
    await page.getByLabel('Share').fill('2')
    await page.getByText('Enter a number from 0 to 1').waitFor()
    await page.getByLabel('Share').fill('')
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: 'script.lua' }).waitFor()
    const [listed] = (await owner.get(`/v1/projects/${project}/scripts`)).body.scripts as { id: string }[]
    const { script } = (await owner.get(`/v1/scripts/${listed?.id}`)).body
    expect(script).toMatchObject({
      name: 'script.lua',
      options: { preset: 'light', target: 'luau', 'encode-numbers': false },
    })
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByText('Advanced · 2 options changed').waitFor()
  })

  it('explains why a file is not a script (file type, empty, binary), and summarizes one of 8 MB', async () => {
    const { owner, project } = await createOwner(at())
    const { page } = await open(owner, `${project}/scripts`)
    for (const [name, content, words] of [
      ['picture.png', 'x', "picture.png isn't a Lua file"],
      ['empty.lua', '', 'empty.lua is empty'],
      ['blank.lua', ' \n', 'blank.lua is empty'],
      ['binary.lua', Uint8Array.of(0xff, 0xfe, 0x00, 0x80), "binary.lua isn't UTF-8 text"],
    ] as const) {
      await choose(page, fileOf(name, content))
      await page.getByRole('alert').getByText(words).waitFor()
    }
    await upload(page).click()
    await page.getByRole('alert').getByText("binary.lua isn't UTF-8 text").waitFor()
    await choose(page, fileOf('large.lua', `-- ${'x'.repeat(96)}\n`.repeat(80_000)))
    await page.getByText('This source is too long to edit here').waitFor()
    await page.getByText('80,001 lines').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Write in the editor instead' }).click()
    await editor(page).fill('print(1)')
  })

  it('keeps the input when the name is too long and when the connection is lost', async () => {
    const { owner, project } = await createOwner(at())
    const { page } = await open(owner, `${project}/scripts`)
    await editor(page).fill('print("typed")')
    await page.getByLabel('Name', { exact: true }).fill('n'.repeat(101))
    await upload(page).click()
    await page.getByRole('alert').getByText('1 to 100 characters').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('  short  ')
    await page.context().setOffline(true)
    await upload(page).click()
    await page.getByRole('alert').getByText("Can't reach the server").waitFor()
    await expect.poll(() => editor(page).textContent()).toContain('print("typed")')
    await page.context().setOffline(false)
    await upload(page).click()
    await page.getByRole('heading', { level: 1, name: 'short' }).waitFor()
  })

  it('publishes nothing if the smoke test finds a difference from the source, and shows the difference', async () => {
    const { owner, address, id } = await scriptOf()
    const { page } = await open(owner, `${address}?tab=new`)
    await editor(page).fill('return 1')
    await page.getByText('Smoke test', { exact: true }).click()
    await editor(page, 'Smoke test').fill('error("never right")')
    await page.getByRole('button', { name: 'Protect and publish' }).click()
    await page.getByRole('alert').getByText('never right').waitFor()
    expect((await owner.get(`/v1/scripts/${id}/versions`)).body.total).toBe(1)
  })

  it('lets the Tab key leave the editor', async () => {
    const { owner, project } = await createOwner(at())
    const { page } = await open(owner, `${project}/scripts`)
    await editor(page).fill('print(1)')
    await page.keyboard.press('Tab')
    await page.getByText('More files', { exact: true }).and(page.locator(':focus')).waitFor()
    await expect.poll(() => editor(page).textContent()).toBe('print(1)')
  })
})

describe('a single script', () => {
  it('shows that another tab removed it, and keeps the input', async () => {
    const { owner, address, id } = await scriptOf()
    const { page } = await open(owner, `${address}?tab=new`)
    await editor(page).fill('print("much work")')
    await owner.post(`/v1/scripts/${id}/remove`)
    await page.getByRole('button', { name: 'Protect and publish' }).click()
    await page.getByText('This script has been removed').waitFor()
    await expect.poll(() => editor(page).textContent()).toContain('much work')
    await page.reload()
    await page.getByRole('heading', { name: 'Script not found' }).waitFor()
  })

  it('saves its settings, and keeps those changed elsewhere', async () => {
    const { owner, address, id } = await scriptOf()
    const { page } = await open(owner, `${address}?tab=settings`)
    await page.getByLabel('Silent').check()
    await owner.post(`/v1/scripts/${id}/edit`, { free_for_all: true })
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Enter a name for the script.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill(NAME)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
    expect((await owner.get(`/v1/scripts/${id}`)).body.script).toMatchObject({
      name: NAME,
      silent: true,
      free_for_all: true,
      use_heartbeat: true,
    })
    await expect.poll(() => page.getByLabel('Free-for-all').isChecked()).toBe(true)
  })

  it('shows the Discord webhooks that a version uses, without the secret part of the URL', async () => {
    const script = `local name = ...\nWARD_WEBHOOK('https://chat.example.com/hooks/secret', { content = name })`
    const { owner, address } = await scriptOf({ script })
    const { page, complaints } = await open(owner, address)
    await page.getByRole('heading', { name: 'Script webhooks' }).waitFor()
    await page.getByText('Line 2, to chat.example.com').waitFor()
    await page.getByText('1 value without WARD_CLEAN').waitFor()
    await expect.poll(() => page.getByRole('main').textContent()).not.toContain('secret')
    expect(complaints).toEqual([])
  })

  it('shows differences between versions, activates an older one, and undoes that', async () => {
    const { owner, address, id } = await scriptOf()
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print("hello again")\n' })
    const { page, complaints } = await open(owner, `${address}?tab=versions`)
    const active = async () =>
      ((await owner.get(`/v1/scripts/${id}`)).body.script as { version: number }).version
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Version 1' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await act('Compare')
    await page.getByRole('dialog').locator('.cm-changedText').first().waitFor()
    await page.keyboard.press('Escape')
    await act('Roll back to this version')
    await page.getByText('Version 1 is now live.').waitFor()
    expect(await active()).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(active).toBe(2)
    await act('Show source')
    await page.getByRole('button', { name: 'Edit as new version' }).click()
    await editor(page).getByText('"hello"').waitFor()
    await page.getByRole('button', { name: 'Protect and publish' }).click()
    await page.getByText('For version 3 (live).').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows the live version first once a script has run, and rolls back from there', async () => {
    const { owner, address, id } = await scriptOf()
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print("hello again")\n', notes: 'Greets again' })
    const setRuns = (total_executions: number) =>
      at().deps.db.transaction((tx) =>
        tx.updateTable('scripts').set({ total_executions }).where('id', '=', id).execute(),
      )
    const { page, complaints } = await open(owner, address)
    const sections = async () => (await page.locator('main h2').allTextContents()).slice(0, 2)
    await page.getByText('Greets again').waitFor()
    expect(await sections()).toEqual(['How customers run it', 'Version 2'])
    await setRuns(1)
    await page.reload()
    await page.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByText('Version 1 is now live.').waitFor()
    await page.getByRole('heading', { name: 'Version 1', level: 2 }).waitFor()
    expect((await sections())[0]).toBe('Version 1')
    expect(await page.getByRole('button', { name: /^Roll back/ }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('shows the live version and its rollback, however many versions are newer', async () => {
    const { owner, address, id } = await scriptOf()
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print("hello again")\n', notes: 'Greets again' })
    const { seq: _, ...version } = await rowOf(at(), 'script_versions', { script_id: id, version: 2 })
    const newer = Array.from({ length: 120 }, (_, n) => ({ ...version, version: n + 3, notes: null }))
    await insertRows(at(), 'script_versions', newer)
    const { page, complaints } = await open(owner, address)
    const live = page.getByRole('region', { name: 'Version 2', exact: true })
    await live.getByText('Greets again').waitFor()
    await live.getByText('Uploaded').waitFor()
    await live.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByText('Version 1 is now live.').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows who uploaded a version, edits its notes, yanks it and undoes that', async () => {
    const { owner, address, id } = await scriptOf()
    await owner.post(`/v1/scripts/${id}/update`, {
      script: 'print("hello again")\n',
      notes: 'Greets again\nand more',
    })
    const { page, complaints } = await open(owner, `${address}?tab=versions`)
    const act = async (version: number, name: string) => {
      await page.getByRole('button', { name: `Actions for Version ${version}` }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    const versions = async () => (await owner.get(`/v1/scripts/${id}/versions`)).body.versions
    const drawer = async (version: number, notes: string) => {
      await page.getByRole('button', { name: new RegExp(`^Version ${version}`) }).click()
      await page.getByRole('dialog').getByText(notes).waitFor()
      await page.getByRole('dialog').getByText('by API key').waitFor()
      await page.keyboard.press('Escape')
    }
    await drawer(2, 'Greets again')
    await act(1, 'Edit notes')
    await page.getByRole('dialog').getByLabel('Release notes').fill('The first one')
    await page.getByRole('dialog').getByLabel('Show to customers').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await drawer(1, 'The first one')
    await expect.poll(versions).toMatchObject([{ notes: 'The first one', notes_public: true }, {}])
    await act(1, 'Yank')
    await page.getByText("Version 1 has been yanked and can't be made live.").waitFor()
    await page.getByText('Yanked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(versions).toMatchObject([{ yanked_at: null }, { yanked_at: null }])
    await act(2, 'Compare')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 line added, 1 removed').waitFor()
    await expect.poll(() => dialog.getByLabel('Compare with').inputValue()).toBe('1')
    expect(complaints).toEqual([])
  })

  it('are listed with the runs and the crash-free share of 7 days, and with an open release', async () => {
    const { owner, project, id } = await scriptOf()
    const day = Math.floor(at().clock.now / 86_400_000)
    const counted = { script_id: id, version: 1, executor: '' }
    await insertRows(at(), 'version_health', [
      { ...counted, day, runs: 1000, crashed: 30 },
      { ...counted, day: day - 7, runs: 500, crashed: 5 },
    ])
    const release = { percent: 25 }
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print(2)', release })
    await owner.post(`/v1/projects/${project}/scripts/new`, { name: 'Shop', script: 'print(3)' })
    const { page } = await open(owner, `${project}/scripts`)
    const greeter = page.getByRole('row', { name: 'Greeter' })
    await greeter.getByText('97%').waitFor()
    const shown = await greeter.textContent()
    for (const part of ['down 2%', '1,000', '2 at 25%', '1 at 75%']) expect(shown).toContain(part)
    const order = () =>
      page
        .getByRole('row')
        .getByRole('link', { name: /^(Greeter|Shop)$/ })
        .allInnerTexts()
    expect(await order()).toEqual(['Shop', 'Greeter'])
    await page.getByRole('button', { name: 'Runs, 7 days' }).click()
    await expect.poll(order).toEqual(['Greeter', 'Shop'])
    await page.getByRole('searchbox').fill('shop')
    await greeter.waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: 'Rolling out 1' }).click()
    await page.getByRole('row', { name: 'Shop' }).waitFor({ state: 'detached' })
    await greeter.getByRole('link', { name: '2 at 25%' }).click()
    await page.getByRole('tab', { name: 'Releases', selected: true }).waitFor()
  })

  it('can be disabled, enabled and removed in the list', async () => {
    const { owner, project } = await scriptOf()
    const { page } = await open(owner, `${project}/scripts`)
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Greeter' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await act('Disable')
    await page.getByRole('button', { name: 'Disabled 1' }).waitFor()
    await act('Enable')
    await page.getByRole('button', { name: 'Disabled 0' }).waitFor()
    await act('Remove')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'Upload your first script' }).waitFor()
  })

  it('maps a pasted error to source lines of the version that failed', async () => {
    const { owner, id, address } = await scriptOf({
      script: `print(require('shop').buy({}))`,
      files: {
        'shop.lua': 'local shop = {}\nfunction shop.buy(item)\n  return item.price.gold\nend\nreturn shop',
      },
    })
    const row = await rowOf(at(), 'script_versions', { script_id: id })
    const failed = spawnSync('lua5.1', ['-e', `loadstring(io.read('*a'), '=Greeter')()()`], {
      input: unpack(row.payload, row.payload_size),
      encoding: 'latin1',
    })
    await owner.post(`/v1/scripts/${id}/update`, { script: 'print("mended")' })
    const { page, complaints } = await open(owner, `${address}?tab=errors`)
    await page.getByRole('button', { name: 'Find lines' }).click()
    await page.getByText('Paste an error or traceback.').waitFor()
    await page.getByLabel('Error or traceback').fill(failed.stderr)
    await page.getByLabel('Failing version').selectOption('Version 1')
    await page.getByRole('button', { name: 'Find lines' }).click()
    await page.getByRole('button', { name: 'Line 3' }).click()
    await page.getByText('in shop.buy', { exact: true }).waitFor()
    await editor(page, 'Source of version 1').getByText('item.price.gold').waitFor()
    await page.locator('.cm-lint-marker-error').first().waitFor()
    await page.getByText('shop.lua:3: attempt to index').waitFor()
    await page.getByLabel('Error or traceback').fill('nothing of interest')
    await page.getByLabel('Failing version').selectOption('')
    await page.getByRole('button', { name: 'Find lines' }).click()
    await page.getByText('No locations found').waitFor()
    expect(complaints).toEqual([])
  })

  it('names the user whose copy leaked', async () => {
    const { owner, project, id, address } = await scriptOf({
      script: `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`,
    })
    const key = await createUser(owner, project)
    const client = new ProtocolClient(at().url)
    const { reply, keys, script } = await client.run(id, { key, fp: { machine_id: component('leaker') } })
    if (!reply.ok) throw new Error(reply.reason)
    const { page } = await open(owner, `${address}?tab=trace`)
    await page.getByRole('button', { name: 'Find the source of the leak' }).click()
    await page.getByText('Paste the leaked copy or drop its file.').waitFor()
    await chooseCopy(page, fileOf('leak.txt', script ?? (await client.fetchScript(keys, reply))))
    await page.getByRole('button', { name: 'Find the source of the leak' }).click()
    await page.getByText(key).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Open user' }).getAttribute('href')).toContain(key)
    await page.getByText('1,024 of 1,024 marks match').waitFor()
  })

  it('lists the users whose numbers are in a lifted copy, with the likelihood of each', async () => {
    const { owner, project, id, address } = await scriptOf({
      script: "return ('%.9g, %.9g'):format(WARD_VARY(61.25, 0.01), WARD_VARY(2.5, 0.1))",
    })
    const key = await createUser(owner, project)
    const client = new ProtocolClient(at().url)
    const { reply, keys, script } = await client.run(id, { key, fp: { machine_id: component('lifter') } })
    if (!reply.ok) throw new Error(reply.reason)
    const copy = script ?? (await client.fetchScript(keys, reply))
    const [ran] = await runLua('lua5.1', [{ name: 'copy', code: `print((function(...) ${copy}\nend)()())` }])
    const [numbers = ''] = ran?.output.split('\n') ?? []
    const { page } = await open(owner, `${address}?tab=trace`)
    await chooseCopy(page, fileOf('lifted.txt', `x = { ${numbers} }`))
    await page.getByRole('button', { name: 'Find the source of the leak' }).click()
    await page.getByText(key).waitFor()
    await page.getByText('2 numbers match').waitFor()
    await page.getByText('Read 2 of 2 WARD_VARY numbers.').waitFor()
    await page.getByText(/^99\.\d+% likely$/).waitFor()
    await inspect(page, 'scripts, a trace by numbers')
  })

  it('is read-only without permission to upload, and the reason is shown', async () => {
    const { owner, project } = await scriptOf()
    const { page } = await open(owner, `${project}/scripts`, { seat: { role: 'reader' } })
    await page.getByRole('link', { name: 'Greeter' }).waitFor()
    const button = page.getByRole('button', { name: 'Upload a script' })
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    await button.focus()
    await page.getByRole('tooltip').getByText('scripts:write').waitFor()
  })
})
