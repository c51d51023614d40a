/**
 * Emails about changes. They are queued in the database, and a job sends them, retrying until the mail server
 * accepts them.
 */

import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { claimWaitingMail, deleteWaitingMail, insertWaitingMail } from '../people/store/waiting-mails.ts'

export type MailText = { readonly to: string; readonly subject: string; readonly text: string }

/** Unsent emails are discarded after this time, because their links have expired by then. */
export const MAIL_RETENTION_MS = 7 * 86_400_000

/**
 * Queues an email in the transaction of the change that it reports. Does nothing if email is not configured.
 */
export async function queueMail(
  { config, now, random, secrets }: Pick<Deps, 'config' | 'now' | 'random' | 'secrets'>,
  tx: Queries,
  mail: MailText,
): Promise<void> {
  if (config.mail === undefined) return
  const at = now()
  const id = newId('mai', at, random)
  const sealed = secrets.seal('mail', id, JSON.stringify(mail))
  await insertWaitingMail(tx, { id, sealed, created_at: at, mail_at: at })
}

/** Returns an email that is due, and schedules the next attempt. `delivered` ends the attempts. */
export async function takeMail(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
): Promise<{ readonly mail: MailText; delivered(): Promise<void> } | undefined> {
  const { db, now, secrets } = deps
  const row = await db.transaction((tx) => claimWaitingMail(tx, now()))
  if (row === undefined) return undefined
  return {
    mail: JSON.parse(secrets.openText('mail', row.id, row.sealed)) as MailText,
    delivered: () => db.transaction((tx) => deleteWaitingMail(tx, row.id)),
  }
}
