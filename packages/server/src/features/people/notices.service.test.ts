/**
 * Changes to the credentials or email address of an account or user are reported by email to their owner. The
 * email is queued in the same transaction as the change.
 */
import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { Authenticator, type Options } from '../../../test/people/authenticator.ts'
import { browserOf } from '../../../test/people/browsers.ts'
import { createPerson, signIn } from '../../../test/people.ts'
import { Refused } from '../../api/refusals.ts'
import { browserToken } from '../access/credential.ts'
import { takeMail } from '../accounts/mails.ts'
import { beginTry } from './sign-in/tries.ts'

describe.each(anyEngine)('a mail to the owner on $name', (engine) => {
  const { at } = serverOn(engine)
  /** Returns the pending emails, oldest first. */
  const mails = async () => {
    const all: { to: string; text: string }[] = []
    for (let next = await takeMail(at().deps); next; next = await takeMail(at().deps)) {
      all.push(next.mail)
      await next.delivered()
    }
    return all
  }

  it('reports that the API key was replaced, by the account or by an operator', async () => {
    const owner = await at().createCustomer({ email: 'shop@example.com' })
    await owner.post('/v1/account/reset')
    await at().admin.post(`/v1/admin/customers/${owner.id}/reset`)
    const sent = await mails()
    expect(sent.map(({ to }) => to)).toEqual(['shop@example.com', 'shop@example.com'])
    expect(sent[0]?.text).toContain("Your Scriptward account's API key was replaced")
  })

  it('reports that an authenticator app or a passkey was added or removed', async () => {
    const person = await createPerson(at())
    const browser = await browserOf(at(), person)
    const secret = (await browser.post('/v1/auth/totp/begin')).string('secret')
    const code = new TOTP({ secret }).generate({ timestamp: at().clock.now })
    expect((await browser.post('/v1/auth/totp/finish', { code })).status).toBe(200)
    expect((await browser.post('/v1/auth/totp/remove')).status).toBe(200)
    const added: string[] = []
    for (const name of ['Laptop', 'Phone']) {
      const begun = await browser.post('/v1/auth/passkeys/add-begin')
      const { ticket, options } = begun.body as unknown as { ticket: string; options: Options }
      const response = new Authenticator(`http://localhost:${at().deps.config.port}`).create(options)
      const finished = await browser.post('/v1/auth/passkeys/add-finish', { ticket, response, name })
      added.push((finished.body.passkey as { id: string }).id)
    }
    expect((await browser.post(`/v1/auth/passkeys/${added[0]}/remove`)).status).toBe(200)
    const sent = await mails()
    expect(new Set(sent.map(({ to }) => to))).toEqual(new Set([person.email]))
    expect(sent.map(({ text }) => /(authenticator app|passkey).* (added|removed)/.exec(text)?.[0])).toEqual([
      'authenticator app was added',
      'authenticator app was removed',
      'passkey “Laptop” was added',
      'passkey “Phone” was added',
      'passkey was removed',
    ])
  })

  it("warns of password guessing once a day, and not for attempts in the user's own browser", async () => {
    const { deps } = at()
    const person = await createPerson(at())
    const { cookie = '' } = await signIn(at(), person)
    const known = browserToken(cookie.replace('scriptward=', ''))
    const guess = async (browser: { readonly known?: string }) => {
      for (let n = 0; n < 60; n += 1) {
        const whence = { address: `198.51.${n}.1`, browser: '', ...browser }
        const tried = await beginTry(deps, { email: person.email, person }, whence)
        if (!(tried instanceof Refused)) await tried.wasWrong()
        if (n % 5 === 4) at().clock.now += 15 * 60_000
      }
    }
    await guess({ known })
    expect(await mails()).toEqual([])
    await guess({})
    const sent = await mails()
    expect(sent.map(({ to }) => to)).toEqual([person.email])
    expect(sent[0]?.text).toContain('wrong passwords were entered')
  })

  it('is not queued when the change is rejected', async () => {
    const person = await createPerson(at())
    const browser = await browserOf(at(), person)
    expect((await browser.post('/v1/auth/totp/remove')).error.type).toBe('no_authenticator_app')
    expect(await mails()).toEqual([])
  })
})
