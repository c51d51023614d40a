/** Operators can send a test email, and read the mail server's response without its password. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { type MailServer, startMailServer } from '../../../test/mail-server.ts'
import { createOwner } from '../../../test/nouns.ts'

const TO = 'ada@example.com'
const PATH = '/v1/admin/mail/test'
const MINUTE_MS = 60_000

let mails: MailServer
let server: TestServer
const from = 'Scriptward <keys@example.com>'
const started = (url: string) => startServer(sqlite, { config: { mail: { url, from } } })
const ask = (on = server) => on.admin.post(PATH, { to: TO })
beforeAll(async () => {
  mails = await startMailServer()
  server = await started(mails.url)
})
afterAll(async () => {
  await server?.close()
  await mails?.close()
})

describe('a test message', () => {
  it("reaches its recipient, and the response has the mail server's words", async () => {
    const { host } = new URL(mails.url)
    expect((await ask()).body).toEqual({ success: true, to: TO, mail_server: host, answer: '250 taken' })
    expect(mails.received).toMatchObject([{ from: 'keys@example.com', to: TO }])
    expect(mails.received[0]?.text).toContain('Subject: Test message from Scriptward')
    const { entries } = (await server.admin.get('/v1/admin/audit?action=admin.mail.test')).body
    expect(entries).toMatchObject([{ changes: { to: { after: TO } } }])
  })

  it('is only for operators, and needs an address', async () => {
    const { owner } = await createOwner(server)
    expect((await owner.post(PATH, { to: TO })).error.type).toBe('forbidden')
    for (const to of [undefined, '', 'ada', 'ada@[127.0.0.1]', 'ada@example.com\r\nBcc: eve@example.com'])
      expect((await server.admin.post(PATH, { to })).error.type).toBe('invalid_request')
    expect(mails.received).toHaveLength(1)
  })

  it("that is rejected is reported with the mail server's words", async () => {
    server.clock.now += 10 * MINUTE_MS
    mails.refuse = true
    const { status, error } = await ask()
    mails.refuse = false
    expect([status, error.type]).toEqual([503, 'mail_not_sent'])
    expect(error.why).toMatch(/^554 refused: .*Test message from Scriptward/)
    expect(String(error.why).length).toBeLessThanOrEqual(500)
  })

  it('is limited to five at once and one per minute after that', async () => {
    server.clock.now += 10 * MINUTE_MS
    for (let sent = 0; sent < 5; sent += 1) expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 429, error: { type: 'rate_limited', retry_after: 60 } })
    server.clock.now += MINUTE_MS
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(429)
  })

  it('never shows user or password, in any form in which the mail server repeats them', async () => {
    const own = await startMailServer()
    own.refuseLogin = true
    const url = new URL(own.url)
    const login = { user: 'ward@example.com', password: 'h4rd/ to+guess' }
    url.username = encodeURIComponent(login.user)
    url.password = encodeURIComponent(login.password)
    const other = await started(url.href)
    const { error } = await ask(other)
    expect(error.why).toMatch(/^535 5\.7\.8 wrong login: AUTH PLAIN …$/)
    expect(other.log.join('\n')).not.toContain('guess')
    await other.close()
    await own.close()
  })

  it('names the connection error when the mail server is down', async () => {
    const other = await started('smtp://127.0.0.1:1')
    expect((await ask(other)).error.why).toContain('ECONNREFUSED 127.0.0.1:1')
    await other.close()
  })

  it('is refused with the setting to change when no mail server is set', async () => {
    const other = await startServer(sqlite, { config: { mail: undefined } })
    expect(await ask(other)).toMatchObject({ status: 409, error: { type: 'no_mail_server' } })
    expect(String((await ask(other)).error.message)).toContain('SCRIPTWARD_SMTP_URL')
    await other.close()
  })
})
