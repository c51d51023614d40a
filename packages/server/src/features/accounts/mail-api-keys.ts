/** Emails new API keys to their accounts, and retries until the mail server accepts the email. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { takeDelivery } from './api-keys.ts'
import { type DueMail, sendDue } from './send-due.ts'

const EVERY_MS = 10_000

/**
 * If the process dies before it records that an email was sent, the email is sent again. It is never lost.
 */
export function mailApiKeys(deps: Deps, mailer: Mailer): Worker {
  return {
    name: 'mail-api-keys',
    everyMs: EVERY_MS,
    run: (signal) => sendDue(mailer, () => nextMail(deps), signal),
  }
}

async function nextMail(deps: Deps): Promise<DueMail | undefined> {
  const delivery = await takeDelivery(deps)
  if (!delivery) return undefined
  const { email, apiKey, delivered } = delivery
  return { mail: { to: email, subject: SUBJECT, text: textFor(apiKey) }, delivered }
}

const SUBJECT = 'Your new Scriptward API key'

function textFor(apiKey: string): string {
  return [
    "Your Scriptward account's API key was replaced. Your new key is:",
    '',
    apiKey,
    '',
    "The old key no longer works. If you didn't request this, someone else may have your key: ask your server's",
    'operator to check your account, and use the new key only on machines you trust.',
    '',
  ].join('\n')
}
