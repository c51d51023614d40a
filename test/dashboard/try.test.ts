/** Tests `scriptward try` as a new user runs it, with its dashboard in a real browser. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withTemporaryServer } from '../../packages/cli/src/trying/temporary-server.ts'
import { commandFolder, type Folder } from '../command-line-scene.ts'
import { sharedStage } from './stage.ts'

const OPENS = /Dashboard \(signed in\): (\S+)/
const stage = sharedStage()

let folder: Folder
beforeAll(() => {
  folder = commandFolder(() => ({}))
  folder.write('own/keep', '')
})
afterAll(() => folder.remove())

/** Settings of a user's real server must not affect the temporary server. */
const here = () => ({ TMPDIR: `${folder.path}/own`, SCRIPTWARD_BASE_URL: 'https://ward.example.com' })
const left = () => readdirSync(`${folder.path}/own`)

it('opens the dashboard signed in, and leaves nothing behind after Ctrl-C', async () => {
  const trial = folder.start(['try', '--no-browser'], here())
  await expect.poll(() => trial.out + trial.err).toMatch(OPENS)
  expect(trial.out).toContain('Hello, first customer!')
  const context = await stage.browser.newContext()
  const page = await context.newPage()
  await page.goto(OPENS.exec(trial.out)?.[1] ?? '')
  await page.getByRole('link', { name: 'My game' }).first().waitFor()
  expect(page.url()).toContain('/dashboard/')
  await context.close()
  trial.child.kill('SIGINT')
  expect(await trial.ended).toBe(130)
  expect(left()).toEqual(['keep'])
})

it('gives the dashboard to nobody without the link', async () => {
  const trial = folder.start(['try', '--no-browser'], here())
  await expect.poll(() => trial.out + trial.err).toMatch(OPENS)
  const { origin } = new URL(OPENS.exec(trial.out)?.[1] ?? '')
  const response = await fetch(`${origin}/`)
  expect(response.status).toBe(404)
  expect(response.headers.getSetCookie()).toEqual([])
  trial.child.kill('SIGTERM')
  await trial.ended
  expect(left()).toEqual(['keep'])
})

it('ends after the example with --once, and prints JSON', async () => {
  const { status, stdout } = await folder.run(['try', '--once', '--json'], here())
  expect(status).toBe(0)
  const { output } = JSON.parse(stdout) as { readonly output: readonly string[] }
  expect(output[0]).toBe('Hello, first customer!')
  expect(left()).toEqual(['keep'])
})

it('says where it could not create its folder, and what to do', async () => {
  const missing = `${folder.path}/missing`
  const { status, stderr } = await folder.run(['try', '--once'], { ...here(), TMPDIR: missing })
  expect(status).toBe(1)
  expect(stderr).toContain(
    `scriptward: Can't create a temporary folder in ${missing} (ENOENT). Set TMPDIR to a folder that you can write to.`,
  )
})

it('waits for nothing after a Ctrl-C that came before its server', async () => {
  const used: string[] = []
  const env = { ...process.env, ...here() }
  const trial = withTemporaryServer({ env, signal: AbortSignal.abort() }, async ({ url }) => used.push(url))
  await expect(trial).rejects.toThrow('aborted')
  expect(used).toEqual([])
  expect(left()).toEqual(['keep'])
})
