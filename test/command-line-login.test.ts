/** Tests `scriptward login`, `logout` and `whoami` as authors run them, with a real browser where needed. */
import { existsSync, statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Owner } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { browserOf, type Browser as Person } from '../packages/server/test/people/browsers.ts'
import { createPerson } from '../packages/server/test/people.ts'
import { commandFolder, type Folder, type Started } from './command-line-scene.ts'
import { sharedStage } from './dashboard/stage.ts'
import { signInAs } from './sign-in.ts'

const DAY_MS = 86_400_000

const stage = sharedStage()
const { browser } = stage
const at = () => stage.server
let owner: Owner
let project = ''
let person: Person
let folder: Folder
const NO_TOKEN = { SCRIPTWARD_TOKEN: '', SCRIPTWARD_KEY: '' }
const env = () => ({ SCRIPTWARD_URL: at().url, ...NO_TOKEN })

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
  person = await browserOf(at(), await createPerson(at(), owner.id))
})
beforeEach(() => {
  folder = commandFolder(env)
})
afterEach(() => folder.remove())

const credentials = () => `${folder.path}/.config/scriptward/credentials.json`
const addressIn = ({ err }: Started) => /http\S+#\/command-line\?\S+/.exec(err)?.[0]
const tokens = async () => (await owner.get('/v1/tokens')).body.tokens as { id: string; name: string }[]

/** Waits for the URL that the command prints. */
async function asked(login: Started): Promise<URLSearchParams> {
  await expect.poll(() => addressIn(login)).toBeDefined()
  return new URLSearchParams(addressIn(login)?.split('?')[1])
}

/** Simulates what the page does when the user clicks. Resolves to the redirect URL. */
async function allow(query: URLSearchParams): Promise<string> {
  const { scopes = '', projects, expires_at, port, ...rest } = Object.fromEntries(query)
  const answer = await person.post('/v1/auth/command-line', {
    ...rest,
    scopes: scopes.split(','),
    port: Number(port),
    ...(projects && { projects: projects.split(',') }),
    ...(expires_at && { expires_at: Number(expires_at) }),
  })
  expect([answer.status, answer.error]).toEqual([200, {}])
  return answer.string('redirect_to')
}

async function signedIn(...words: string[]): Promise<void> {
  const login = folder.start(['login', '--no-browser', ...words])
  const answer = await fetch(await allow(await asked(login)), { redirect: 'manual' })
  expect(answer.headers.get('location')).toBe(`${at().url}/dashboard/#/command-line/done`)
  expect([await login.ended, login.err]).toEqual([0, expect.not.stringContaining('warning')])
}

describe('login in a browser', () => {
  /**
   * Opens the URL that the command passes to the browser. `BROWSER` is set to a program that saves the URL to
   * a file.
   */
  async function openedBy(login: Started, page: Page): Promise<void> {
    await expect.poll(() => existsSync(`${folder.path}/opened`)).toBe(true)
    await expect.poll(() => folder.read('opened').trim() === addressIn(login)).toBe(true)
    await page.goto(folder.read('opened').trim())
  }
  function startLogin(...words: string[]): Started {
    folder.write('browser', '#!/bin/sh\necho "$1" > opened')
    folder.executable('browser')
    return folder.start(['login', ...words], { BROWSER: `${folder.path}/browser` })
  }

  it('takes one click; the token is stored for this server, readable only by its owner, and used', async () => {
    const context = await browser.newContext()
    await signInAs(context, at(), owner.id)
    const page = await context.newPage()
    const login = startLogin('--name', 'Command line of Ada', '--project', project)
    await openedBy(login, page)
    await page.getByText('Command line of Ada').waitFor()
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    await page.getByRole('heading', { name: 'Signed in on the command line' }).waitFor()
    expect(await login.ended).toBe(0)
    expect(login.out).toMatch(/^signed in to http:\S+ as 'Command line of Ada', until 20\d\d-/)
    expect(statSync(credentials()).mode & 0o777).toBe(0o600)
    expect(statSync(`${folder.path}/.config/scriptward`).mode & 0o777).toBe(0o700)
    const kept = JSON.parse(folder.read('.config/scriptward/credentials.json'))
    expect(Object.keys(kept.services)).toEqual([at().url])
    const { token, expiresAt } = kept.services[at().url]
    expect(Math.abs(expiresAt - Date.now() - 90 * DAY_MS)).toBeLessThan(DAY_MS)
    expect(login.out + login.err).not.toContain(token)
    expect((await folder.run(['users', 'list', '--project', project])).status).toBe(0)
    await context.close()
  })

  it('exits with 3 if the user declines, and stores nothing', async () => {
    const context = await browser.newContext()
    await signInAs(context, at(), owner.id)
    const page = await context.newPage()
    const login = startLogin()
    await openedBy(login, page)
    const before = (await tokens()).length
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    expect([await login.ended, login.err]).toEqual([3, expect.stringContaining('denied in the browser')])
    expect([existsSync(credentials()), (await tokens()).length]).toEqual([false, before])
    await context.close()
  })
})

describe('login without a browser', () => {
  it('ignores callbacks with the wrong state and keeps waiting', async () => {
    const login = folder.start(['login', '--no-browser', '--json', '--expires', 'never'])
    const query = await asked(login)
    const here = `http://127.0.0.1:${query.get('port')}`
    const code = 'A'.repeat(43)
    for (const path of [`/?code=${code}`, `/?code=${code}&state=${'x'.repeat(43)}`, '/favicon.ico'])
      expect((await fetch(here + path)).status).toBe(404)
    await fetch(await allow(query), { redirect: 'manual' })
    expect([await login.ended, login.err]).toEqual([0, expect.any(String)])
    expect(JSON.parse(login.out)).toMatchObject({ url: at().url, expires_at: null, projects: null })
  })

  it('fails with a message if the code is invalid, and stores nothing', async () => {
    const login = folder.start(['login', '--no-browser'])
    const query = await asked(login)
    const wrong = `http://127.0.0.1:${query.get('port')}/?code=${'A'.repeat(43)}&state=${query.get('state')}`
    expect((await fetch(wrong, { redirect: 'manual' })).headers.get('location')).not.toContain('done')
    expect([await login.ended, login.err]).toEqual([2, expect.stringContaining('Sign in again')])
    expect(existsSync(credentials())).toBe(false)
  })

  it('accepts the callback URL from a browser on another machine', async () => {
    const login = folder.start(['login', '--no-browser'])
    const address = await allow(await asked(login))
    login.child.stdin?.write('what?\n')
    await expect.poll(() => login.err).toContain("That isn't the expected URL")
    login.child.stdin?.write(`${address}\n`)
    expect([await login.ended, login.out]).toEqual([0, expect.stringContaining('signed in to')])
  })

  it('replaces the token of this server and revokes the previous one', async () => {
    await signedIn('--name', 'First')
    await signedIn('--name', 'Second')
    const names = (await tokens()).map(({ name }) => name)
    expect([names.includes('First'), names.includes('Second')]).toEqual([false, true])
  })

  it('revokes a token that it cannot store', async () => {
    folder.write('.config/scriptward/credentials.json', '{"services": {}}')
    const before = await tokens()
    const login = folder.start(['login', '--no-browser'])
    const address = await allow(await asked(login))
    folder.write('in-the-way', '')
    folder.replace('.config/scriptward', 'in-the-way')
    await fetch(address, { redirect: 'manual' })
    expect([await login.ended, login.err]).toEqual([1, expect.stringContaining('is a file, not a folder')])
    expect(await tokens()).toEqual(before)
  })

  it('exits with 130 at Ctrl-C, closes its port and changes nothing', async () => {
    const login = folder.start(['login', '--no-browser'])
    const port = (await asked(login)).get('port')
    login.child.kill('SIGINT')
    expect(await login.ended).toBe(130)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    expect(existsSync(credentials())).toBe(false)
  })
})

describe('a signed-in command line', () => {
  it('shows where its token came from, and prefers one from the environment', async () => {
    await signedIn('--name', 'Mine', '--scope', 'users:read', 'scripts:read')
    const mine = await folder.run(['whoami'])
    expect(mine.stdout).toMatch(/^token\s+Mine$/m)
    expect(mine.stdout).toContain(`'scriptward login', ${credentials()}`)
    expect(mine.stdout).toMatch(/^expires\s+20\d\d-/m)
    const { credential } = JSON.parse((await folder.run(['whoami', '--json'])).stdout)
    expect(credential).toEqual({ from: 'login', file: credentials(), expires_at: expect.any(Number) })
    const given = await folder.run(['whoami', '--json'], { SCRIPTWARD_TOKEN: owner.apiKey })
    expect(JSON.parse(given.stdout)).toMatchObject({
      kind: 'api_key',
      credential: { from: 'SCRIPTWARD_TOKEN' },
    })
    const elsewhere = await folder.run(['whoami'], { SCRIPTWARD_URL: 'http://127.0.0.1:1' })
    expect([elsewhere.status, elsewhere.stderr]).toEqual([3, expect.stringContaining('not signed in to')])
    const current = await folder.run(['whoami'], { SCRIPTWARD_URL: '' })
    expect([current.status, current.stdout]).toEqual([0, mine.stdout])
  })

  it('revokes and deletes the token on logout', async () => {
    await signedIn('--name', 'To be ended')
    const { token } = JSON.parse(folder.read('.config/scriptward/credentials.json')).services[at().url]
    const out = await folder.run(['logout'])
    expect([out.status, out.stdout]).toEqual([0, expect.stringContaining("revoked the token 'To be ended'")])
    expect((await at().client(token).get('/v1/me')).status).toBe(401)
    expect(JSON.parse(folder.read('.config/scriptward/credentials.json'))).toEqual({ services: {} })
    expect((await folder.run(['logout'])).stdout).toContain('not signed in to')
    expect((await folder.run(['whoami'])).status).toBe(3)
  })

  it('stays signed in if the server is unreachable, unless --forget is given', async () => {
    const gone = 'http://127.0.0.1:1'
    const kept = { token: 'swt_x', tokenId: 'tok_x', name: 'Gone', expiresAt: null }
    folder.write('.config/scriptward/credentials.json', JSON.stringify({ services: { [gone]: kept } }))
    const failed = await folder.run(['logout', '--url', gone])
    expect([failed.status, failed.stderr]).toEqual([4, expect.stringContaining('You are still signed in')])
    const forgot = await folder.run(['logout', '--forget', '--url', gone])
    expect([forgot.status, forgot.stdout]).toEqual([
      0,
      expect.stringContaining('still valid until you revoke it'),
    ])
    folder.write('.config/scriptward/credentials.json', '{')
    const damaged = await folder.run(['whoami'])
    expect([damaged.status, damaged.stderr]).toEqual([1, expect.stringContaining('is damaged')])
  })
})
