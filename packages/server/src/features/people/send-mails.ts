/** Sends pending emails, and retries each until a mail server accepts it. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { takeMail } from '../accounts/mails.ts'

/** Polling interval. It is short because a user is waiting for the link. */
const EVERY_MS = 2_000

/**
 * If the process dies before it records that an email was sent, the email is sent again. No email is lost.
 */
export function sendMails(deps: Deps, mailer: Mailer): Worker {
  return {
    name: 'send-mails',
    everyMs: EVERY_MS,
    async run(signal) {
      const taken = await takeMail(deps)
      if (!taken) return false
      await mailer.send(taken.mail, signal)
      await taken.delivered()
      return true
    },
  }
}
