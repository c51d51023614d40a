/** Sends due emails for the jobs that have a queue of them. */
import { type Mailer, MailRejected } from '../../platform/mail/mailer.ts'
import type { MailText } from './mails.ts'

export type DueMail = { readonly mail: MailText; delivered(): Promise<void> }

/**
 * Sends every email that `take` returns, and resolves to whether there were any. If the mail server rejects
 * an email, the others are still sent, and the first rejection is thrown at the end. Other errors would affect
 * every email, so they are thrown immediately.
 */
export async function sendDue(
  mailer: Mailer,
  take: () => Promise<DueMail | undefined>,
  signal: AbortSignal,
): Promise<boolean> {
  let rejected: MailRejected | undefined
  let count = 0
  for (let due = await take(); due !== undefined; due = signal.aborted ? undefined : await take()) {
    count += 1
    try {
      await mailer.send(due.mail, signal)
      await due.delivered()
    } catch (error) {
      if (!(error instanceof MailRejected)) throw error
      rejected ??= error
    }
  }
  if (rejected !== undefined) throw rejected
  return count > 0
}
