/** Mails new API keys to their accounts, retrying until a mail server accepts each of them. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { takeDelivery } from './api-keys.ts'

const EVERY_MS = 10_000

/** When the process dies before recording a sent mail, the mail is sent twice. No mail is lost. */
export function mailApiKeys(deps: Deps, mailer: Mailer): Worker {
  return {
    name: 'mail-api-keys',
    everyMs: EVERY_MS,
    async run(signal) {
      const delivery = await takeDelivery(deps)
      if (!delivery) return false
      const mail = { to: delivery.email, subject: SUBJECT, text: textFor(delivery.apiKey) }
      await mailer.send(mail, signal)
      await delivery.delivered()
      return true
    },
  }
}

const SUBJECT = 'Your new Scriptward API key'

function textFor(apiKey: string): string {
  return [
    'The API key of your Scriptward account was replaced. The new one is:',
    '',
    apiKey,
    '',
    'The old one no longer works. If you did not ask for this, someone else may know it: ask your operator to',
    'check your account, and use the new key only on a machine that you trust.',
    '',
  ].join('\n')
}
