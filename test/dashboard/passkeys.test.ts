/**
 * Tests passkeys in a real browser with a virtual authenticator: the WebAuthn ceremonies up to the session
 * cookie.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { createPerson, signIn } from '../../packages/server/test/people.ts'
import { addAuthenticator } from '../authenticator.ts'
import { sharedStage } from './stage.ts'

const PACKAGE = path.dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser'))
const LIBRARY = readFileSync(path.join(PACKAGE, '../dist/bundle/index.umd.min.js'), 'utf8')
/** Page code that sends the same requests as the dashboard. */
const PAGE = `
  window.ask = async (path, body = {}) => {
    const csrf = /scriptward-csrf=([^;]+)/.exec(document.cookie)?.[1]
    const headers = { 'content-type': 'application/json', ...(csrf && { 'x-scriptward-csrf': csrf }) }
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }
  window.add = async (name) => {
    const { ticket, options } = await ask('/v1/auth/passkeys/add-begin')
    const response = await SimpleWebAuthnBrowser.startRegistration({ optionsJSON: options })
    return ask('/v1/auth/passkeys/add-finish', { ticket, response, name })
  }
  window.enter = async () => {
    const { ticket, options } = await ask('/v1/auth/passkeys/begin')
    const response = await SimpleWebAuthnBrowser.startAuthentication({ optionsJSON: options })
    return ask('/v1/auth/passkeys/finish', { ticket, response })
  }
  window.who = async () => {
    const csrf = /scriptward-csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
    return (await fetch('/v1/auth/passkeys', { headers: { 'x-scriptward-csrf': csrf } })).json()
  }`

type Answer = {
  readonly success: boolean
  readonly error?: { readonly type: string; readonly address?: string }
  readonly passkeys?: readonly { readonly name: string }[]
}
type Credential = { readonly credentialId: string; readonly signCount: number }

const stage = sharedStage()
const { browser } = stage
let server: TestServer
const origin = () => `http://localhost:${server.deps.config.port}`

beforeAll(() => {
  server = stage.server
})

describe('in Chromium', () => {
  it('a passkey can be added, and signs its user in without an email address', async () => {
    await withDevice(async ({ page, context, device, id }) => {
      await enterAs(context)
      expect(await run(page, `add('Laptop')`)).toMatchObject({ success: true, passkey: { name: 'Laptop' } })
      const { credentials } = await device.send('WebAuthn.getCredentials', id)
      expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
      await context.clearCookies()
      expect((await run(page, 'who()')).error?.type).toBe('unauthorized')
      expect(await run(page, 'enter()')).toEqual({ success: true, done: true })
      expect((await run(page, 'who()')).passkeys?.map(({ name }) => name)).toEqual(['Laptop'])
    })
  })

  it('a copy of a passkey is rejected once the original was used again', async () => {
    await withDevice(async ({ page, context, device, id }) => {
      await enterAs(context)
      await run(page, `add('Laptop')`)
      const copy = (await device.send('WebAuthn.getCredentials', id)).credentials[0] as Credential
      for (let n = 0; n < 2; n += 1) expect(await run(page, 'enter()')).toMatchObject({ success: true })
      await device.send('WebAuthn.removeCredential', { ...id, credentialId: copy.credentialId })
      await device.send('WebAuthn.addCredential', { ...id, credential: copy } as never)
      expect((await run(page, 'enter()')).error?.type).toBe('passkey_refused')
    })
  })

  it('a device without user verification is not offered', async () => {
    await withDevice(async ({ page, context, device, id }) => {
      await enterAs(context)
      await run(page, `add('Laptop')`)
      await device.send('WebAuthn.setUserVerified', { ...id, isUserVerified: false })
      await expect(run(page, 'enter()')).rejects.toThrow(/NotAllowedError/)
    })
  })

  it('a page at an IP address shows the URL where passkeys work', async () => {
    await withDevice(async ({ page }) => {
      await open(page, `http://127.0.0.1:${server.deps.config.port}`)
      const { error } = await run(page, `ask('/v1/auth/passkeys/begin')`)
      expect(error).toMatchObject({ type: 'passkeys_unavailable', address: origin() })
    })
  })
})

type Stage = {
  readonly page: Page
  readonly context: BrowserContext
  readonly device: CDPSession
  readonly id: { readonly authenticatorId: string }
}

/** Opens a page in a separate browser with an authenticator that verifies the user. */
async function withDevice(act: (stage: Stage) => Promise<void>): Promise<void> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await open(page, origin())
    const { device, authenticatorId } = await addAuthenticator(page)
    await act({ page, context, device, id: { authenticatorId } })
  } finally {
    await context.close()
  }
}

/** Opens a URL on the server, so that the page has the server's origin. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/healthz`)
  await page.evaluate(LIBRARY)
  await page.evaluate(PAGE)
}

function run(page: Page, call: string): Promise<Answer> {
  return page.evaluate<Answer>(call)
}

async function enterAs(context: BrowserContext): Promise<void> {
  const person = await createPerson(server)
  const headers = await signIn(server, person)
  const [name = '', value = ''] = headers.cookie?.split('=') ?? []
  const csrf = headers['x-scriptward-csrf'] ?? ''
  await context.addCookies([
    { name, value, url: origin(), httpOnly: true, sameSite: 'Lax' },
    { name: 'scriptward-csrf', value: csrf, url: origin(), sameSite: 'Lax' },
  ])
}
