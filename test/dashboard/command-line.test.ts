/**
 * Tests the “Authorize the command line?” page in a real browser: what users see, and that the token is
 * created only when they click.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Owner } from '../../packages/server/test/harness.ts'
import { createProject } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { listenOnFreePort } from '../../packages/server/test/ports.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const STATE = 'state-of-this-sign-in'
const verifier = randomBytes(32).toString('base64url')
const SCOPES = ['projects:write', 'scripts:write', 'scripts:source', 'users:write', 'sessions:write']

const stage = sharedStage()
let owner: Owner
let project = ''
const NARROW: Seat = { role: 'custom', scopes: ['tokens:write', 'projects:write', 'scripts:write'] }
/** The command line's local callback server, and the URLs requested from it. */
let program: Server
const visits: string[] = []

beforeAll(async () => {
  owner = await stage.server.createCustomer({ email: 'harbour@example.com' })
  project = await createProject(owner, { name: 'Harbour' })
  program = createServer((request, response) => {
    visits.push(request.url ?? '')
    const page = request.url?.includes('code=') ? 'command-line/done' : ''
    response.writeHead(303, { location: `${stage.server.url}/dashboard/#/${page}` }).end()
  })
  await listenOnFreePort(program)
})
afterAll(async () => {
  program?.closeAllConnections()
  program?.close()
})

const addressWith = (more: Record<string, string> = {}) => {
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const port = String((program.address() as AddressInfo).port)
  const asked = { name: 'Command line on ada-laptop', scopes: SCOPES.join(','), projects: project }
  return `${stage.server.url}/dashboard/#/command-line?${new URLSearchParams({ ...asked, port, state: STATE, code_challenge, ...more })}`
}

/** Opens a page and expects no console errors. */
async function withPage(
  { seat, look = {} }: { readonly seat?: Seat; readonly look?: BrowserContextOptions },
  work: (page: Page) => Promise<void>,
) {
  const context = await stage.browser.newContext(look)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  if (seat) await signInAs(context, stage.server, owner.id, seat)
  await work(page)
  expect(complaints).toEqual([])
  await context.close()
}

const OWNER: Seat = { role: 'owner' }

describe('authorizing a command line', () => {
  it('grants a token only after a click, and only to the program that asked', async () => {
    const end = Date.now() + 90 * 86_400_000
    await withPage({ seat: OWNER }, async (page) => {
      await page.goto(addressWith({ expires_at: String(end) }))
      for (const shown of [
        'Harbour',
        'Command line on ada-laptop',
        'Upload, edit, enable, disable and remove scripts',
      ])
        await page.getByText(shown, { exact: true }).waitFor()
      expect(visits).toEqual([])
      expect((await owner.get('/v1/tokens')).body.total).toBe(0)
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.getByRole('heading', { name: 'Signed in on the command line' }).waitFor()
      const query = new URL(visits.pop() ?? '', 'http://127.0.0.1').searchParams
      expect(query.get('state')).toBe(STATE)
      await expect.poll(() => page.url()).not.toContain(query.get('code'))
      const body = { code: query.get('code'), code_verifier: verifier }
      const made = await stage.server.client().post('/v1/tokens/exchange', body)
      expect(made.body.token).toMatchObject({ scopes: SCOPES, projects: [project], expires_at: end })
    })
  })

  it('informs the program if the user declines', async () => {
    await withPage({ seat: OWNER }, async (page) => {
      await page.goto(addressWith())
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('heading', { name: 'Projects' }).waitFor()
      expect(visits.pop()).toBe(`/?error=access_denied&state=${STATE}`)
    })
  })

  it('requires signing in first, and grants no more than the user has', async () => {
    await withPage({}, async (page) => {
      await page.goto(addressWith())
      await page.getByLabel('Password').waitFor()
      await signInAs(page.context(), stage.server, owner.id, NARROW)
      await page.reload()
      await page.getByText("Not granted, because you don't have these permissions").waitFor()
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.getByRole('heading', { name: 'Signed in on the command line' }).waitFor()
      const code = new URL(visits.pop() ?? '', 'http://127.0.0.1').searchParams.get('code')
      const made = await stage.server.client().post('/v1/tokens/exchange', { code, code_verifier: verifier })
      expect(made.body.token).toMatchObject({ scopes: ['projects:write', 'scripts:write'] })
    })
  })

  it('is impossible without permission to create tokens, and an incomplete URL is reported', async () => {
    await withPage({ seat: { role: 'support' } }, async (page) => {
      await page.goto(addressWith())
      const allow = page.getByRole('button', { name: 'Authorize', exact: true })
      await expect.poll(() => allow.getAttribute('aria-disabled')).toBe('true')
      await page.goto('about:blank')
      for (const cut of [{ port: '' }, { state: 'short' }, { code_challenge: 'x' }, { scopes: '' }]) {
        await page.goto(addressWith(cut))
        await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
        await page.goto('about:blank')
      }
    })
  })
})
