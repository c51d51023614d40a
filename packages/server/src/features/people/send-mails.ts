/** Sends pending emails, and retries each until a mail server accepts it. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { takeMail } from '../accounts/mails.ts'
import { sendDue } from '../accounts/send-due.ts'

/** Polling interval. It is short because a user is waiting for the link. */
const EVERY_MS = 2_000

/**
 * If the process dies before it records that an email was sent, the email is sent again. No email is lost.
 */
export function sendMails(deps: Deps, mailer: Mailer): Worker {
  return {
    name: 'send-mails',
    everyMs: EVERY_MS,
    run: (signal) => sendDue(mailer, () => takeMail(deps), signal),
  }
}
