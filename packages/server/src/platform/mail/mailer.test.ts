/**
 * Email that contains secrets is sent only over encrypted connections, and failures don't leak its content.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/mail-server.ts'
import { mustEncrypt, openMailer } from './mailer.ts'

const MAIL = { to: 'author@example.com', subject: 'Key', text: 'sw_secret' }

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())

const send = (url: string, signal = new AbortController().signal) =>
  openMailer(url, 'Scriptward <keys@example.com>').send(MAIL, signal)

it('the mailer sends a mail', async () => {
  await send(server.url)
  expect(server.received).toMatchObject([{ from: 'keys@example.com', to: 'author@example.com' }])
  expect(server.received[0]?.text).toMatch(/^sw_secret$/m)
})

it('the mailer never sends mail off this machine unencrypted', () => {
  const local = [
    'smtp://localhost',
    'smtp://127.0.0.1:2525',
    'smtp://u:p@[::1]:25',
    'smtps://mail.example.com',
  ]
  expect(local.map(mustEncrypt)).toEqual([false, false, false, false])
  const elsewhere = [
    'smtp://mail.example.com:587',
    'smtp://localhost.example.com',
    'smtp://10.0.0.1',
    'smtp://[::2]',
  ]
  expect(elsewhere.map(mustEncrypt)).toEqual([true, true, true, true])
})

it('the mailer reports why a mail was not sent without quoting its content', async () => {
  server.refuse = true
  const error = await send(server.url).catch((thrown: unknown) => thrown)
  expect(String((error as Error).stack)).not.toContain('sw_secret')
  expect((error as Error).message).toBe('the email could not be sent: EMESSAGE 554 DATA')
  await expect(send('smtp://127.0.0.1:1')).rejects.toThrow('the email could not be sent: ESOCKET CONN')
})

it('the mailer stops as soon as its signal aborts', async () => {
  await expect(send(server.url, AbortSignal.abort())).rejects.toThrow('the email could not be sent')
})
