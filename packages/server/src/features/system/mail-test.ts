/**
 * Sends a test email, so that operators can see whether their mail server accepts it and how the server
 * responds.
 */
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { tryMailer } from '../../platform/mail/mailer.ts'

export type Delivery = {
  readonly to: string
  /** Host and port of the mail server. */
  readonly mail_server: string
  readonly answer: string
}

/** The limit applies to the entire server, because mail servers block senders of many similar emails. */
const LIMIT_KEY = 'server'

export async function testMail(
  { config, limits, now }: Pick<Deps, 'config' | 'limits' | 'now'>,
  to: string,
): Promise<Delivery | Refused<'no_mail_server' | 'mail_not_sent' | 'rate_limited'>> {
  const { mail, baseUrl } = config
  if (mail === undefined) return refuse('no_mail_server')
  const waitMs = await limits.signIns.takeAttempt('mailTest', LIMIT_KEY, now())
  if (waitMs > 0) return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
  const { isSent, answer } = await tryMailer(mail.url, mail.from, { to, ...messageFrom(baseUrl) })
  if (!isSent) return refuse('mail_not_sent', { why: answer.replace(/\.$/, '') })
  return { to, mail_server: new URL(mail.url).host, answer }
}

function messageFrom(baseUrl: string | undefined) {
  const where = baseUrl === undefined ? '' : ` at ${baseUrl}`
  return {
    subject: 'Test message from Scriptward',
    text: `This is a test message from the Scriptward server${where}.\n\nIf you can read it, the server can send sign-in links and new API keys.\n`,
  }
}
