/**
 * Replaces an account's API key. If the new key must not appear in the response, it is held until it is
 * delivered. `credentials.ts` generates keys, and a worker sends the emails.
 */

import { type Reason, type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { hasOwner } from '../people/store/members.ts'
import { type ApiKey, newApiKey } from './credentials.ts'
import { type MailText, queueMail } from './mails.ts'
import { type CustomerRow, findCustomer, updateApiKey } from './store/customers.ts'
import {
  claimDueMail,
  deleteWaitingApiKey,
  insertWaitingApiKey,
  takeWaitingApiKey,
} from './store/waiting-api-keys.ts'

type Holder = Pick<CustomerRow, 'id' | 'api_key_hash' | 'email'>

export type Delivery = { readonly email: string; readonly apiKey: string; delivered(): Promise<void> }

/**
 * Replaces the account's current key and returns the new one. If two calls run concurrently, the later one is
 * rejected because the key that it would replace is no longer current. The previous key keeps working for
 * `overlapMs`. Any key before that stops working immediately.
 */
export async function resetApiKey<R extends Reason = never>(
  deps: Deps,
  customer: Holder,
  overlapMs = 0,
  refuseCaller?: (tx: Queries) => Promise<Refused<R> | undefined>,
): Promise<string | Refused<R | 'unauthorized'>> {
  const apiKey = newApiKey(deps.random)
  const until = overlapMs > 0 ? deps.now() + overlapMs : null
  return deps.db.transaction(async (tx) => {
    const refused = await refuseCaller?.(tx)
    if (refused) return refused
    if (!(await replace(tx, customer, apiKey, until))) return refuse('unauthorized')
    await deleteWaitingApiKey(tx, customer.id)
    await queueMail(deps, tx, keyReplaced(customer.email))
    return apiKey.text
  })
}

/**
 * Like `resetApiKey`, but hides the new key from a thief of the old one. The new key is held until it has
 * been emailed to the account's address or collected by a signed-in owner. If neither is possible, nothing
 * changes.
 */
export async function resetApiKeyUnseen(
  deps: Deps,
  customer: Holder,
): Promise<undefined | Refused<'unauthorized' | 'mail_not_configured'>> {
  const apiKey = newApiKey(deps.random)
  const now = deps.now()
  const row = {
    customer_id: customer.id,
    api_key_hash: apiKey.hash,
    sealed: deps.secrets.seal('apiKey', customer.id, apiKey.text),
    created_at: now,
    mail_at: now,
  }
  return deps.db.transaction(async (tx) => {
    if (deps.config.mail === undefined && !(await hasOwner(tx, customer.id)))
      return refuse('mail_not_configured')
    if (!(await replace(tx, customer, apiKey))) return refuse('unauthorized')
    await insertWaitingApiKey(tx, row)
    return undefined
  })
}

/** Returns the key that is held for this account, and deletes it. */
export async function takeApiKey(
  { secrets }: Deps,
  tx: Queries,
  customerId: string,
): Promise<string | Refused<'no_api_key_waits'>> {
  const waiting = await takeWaitingApiKey(tx, customerId)
  return waiting === undefined
    ? refuse('no_api_key_waits')
    : secrets.openText('apiKey', customerId, waiting.sealed)
}

/** Returns a key whose email is due, and schedules the next attempt. Call `delivered` to end the attempts. */
export async function takeDelivery(deps: Deps): Promise<Delivery | undefined> {
  const now = deps.now()
  const due = await deps.db.transaction(async (tx) => {
    const waiting = await claimDueMail(tx, now)
    const customer = waiting && (await findCustomer(tx, waiting.customer_id))
    return customer && { waiting, email: customer.email }
  })
  if (!due) return undefined
  const { customer_id: id, api_key_hash: hash, sealed } = due.waiting
  return {
    email: due.email,
    apiKey: deps.secrets.openText('apiKey', id, sealed),
    delivered: async () => {
      await deps.db.transaction((tx) => deleteWaitingApiKey(tx, id, hash))
    },
  }
}

function replace(
  tx: Queries,
  { api_key_hash }: Holder,
  { hash, start }: ApiKey,
  until: number | null = null,
): Promise<boolean> {
  return updateApiKey(tx, api_key_hash, {
    api_key_hash: hash,
    api_key_start: start,
    previous_api_key_hash: until === null ? null : api_key_hash,
    previous_api_key_until: until,
  })
}

/** Without this email, a thief could replace the key without its owner noticing. */
function keyReplaced(to: string): MailText {
  return {
    to,
    subject: 'Your Scriptward API key was replaced',
    text: "Your Scriptward account's API key was replaced.\n\nIf this wasn't you, replace it again in the dashboard under Account, or contact your server's operator.\n",
  }
}
