/** Tests test runs in a real browser: protected scripts in Luau, their isolation, and the temporary key. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Owner } from '../../packages/server/test/harness.ts'
import { scriptsRoom } from './scripts-room.ts'

const { open, scriptOf } = scriptsRoom()

describe('a test run', () => {
  const start = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click()
  const output = (page: Page) => page.getByRole('region', { name: 'Test run output' })
  const users = async (owner: Owner, project: string) =>
    (await owner.get(`/v1/projects/${project}/users`)).body.users as { note: string; key_expires: number }[]

  it('shows the output of the protected script and the line of an error, and removes its key', async () => {
    const { owner, project, address } = await scriptOf({
      script: `print('hello', ward.note)
task.spawn(function() task.wait(0.05) warn('late') end)
print(game:GetService('Players').LocalPlayer.Name, Instance.new('Part'))
task.wait(0.1)
error('broken here')`,
    })
    const { page, complaints } = await open(owner, `${address}?tab=run`)
    await start(page)
    const inSource = page.getByRole('region', { name: 'With source line numbers' })
    await inSource.getByText('Greeter:5: broken here').waitFor()
    const lines = ((await output(page).locator('pre').textContent()) ?? '').trim().split('\n')
    expect(lines).toEqual(['hello Test run in the dashboard', 'TestPlayer Instance.new()', 'late'])
    await expect.poll(() => users(owner, project)).toEqual([])
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('list', { name: 'Executors' }).getByText('Test run').waitFor()
    expect(complaints).toEqual([])
  })

  it('can be stopped by its author and by leaving the page; its key is labeled and expires soon', async () => {
    const { owner, project, address } = await scriptOf({ script: 'print("on") while true do end' })
    const { page } = await open(owner, `${address}?tab=run`)
    await start(page)
    await output(page).getByText('on', { exact: true }).waitFor()
    const [made] = await users(owner, project)
    expect(made?.note).toBe('Test run in the dashboard')
    expect(made?.key_expires).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the run.').waitFor()
    await expect.poll(() => users(owner, project)).toEqual([])
    await start(page)
    await output(page).getByText('on', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'All versions' }).click()
    await expect.poll(() => users(owner, project)).toEqual([])
  })

  it('ends if it prints too much, reaches only this server, and sees nothing of the browser', async () => {
    const { owner, project, address, id } = await scriptOf({
      script: `print(pcall(request, { Url = 'http://127.0.0.1:1/' }))
print(pcall(request, { Url = '/v1/me' }))
print(fetch, window, self, document, take, send, emit)
while true do print(string.rep('x', 1000)) end`,
    })
    const { page } = await open(owner, `${address}?tab=run`)
    await start(page)
    await page.getByText('characters of output').waitFor()
    const lines = ((await output(page).locator('pre').textContent()) ?? '').split('\n')
    for (const line of lines.slice(0, 2))
      expect(line).toMatch(/^false .*test runs can only reach this server's loader/)
    expect(lines[2]).toBe('nil nil nil nil nil nil nil')
    await expect.poll(() => users(owner, project)).toEqual([])
    await owner.post(`/v1/scripts/${id}/toggle`, { state: false })
    await page.reload()
    await expect
      .poll(() => page.getByRole('button', { name: 'Run', exact: true }).getAttribute('aria-disabled'))
      .toBe('true')
  })

  it('allows WebAssembly only in its worker', async () => {
    const { owner, address } = await scriptOf({ script: 'print("on")' })
    const { page } = await open(owner, `${address}?tab=run`)
    const policies = new Map<string, string>()
    page.on('response', (answer) => {
      policies.set(new URL(answer.url()).pathname, answer.headers()['content-security-policy'] ?? '')
    })
    await page.reload()
    await start(page)
    await output(page).getByText('on', { exact: true }).waitFor()
    const able = [...policies].filter(([, policy]) => policy.includes('wasm-unsafe-eval'))
    expect(able).toEqual([[expect.stringMatching(/luau-worker-[\w-]+\.js$/), expect.any(String)]])
    expect(able[0]?.[1]).toContain("connect-src 'self'")
  })
})
