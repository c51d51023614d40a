/** Invitations to an account: single-use links for one email address, valid for a week. */

import { newId } from '../../api/ids.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { hashCredential } from '../access/credential.ts'
import { lockRights } from '../access/own-rights.ts'
import { linkFor } from '../access/single-use.ts'
import { type MailText, queueMail } from '../accounts/mails.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { describeSeat, type Giver } from './members.ts'
import { type GivingRefused, readSeat, refuseGiving, type SeatDraft } from './seat-drafts.ts'
import {
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  insertInvitation,
  type ListedInvitation,
  listInvitations,
} from './store/invitations.ts'
import { countMembers, findMemberByEmail } from './store/members.ts'

const INVITATION_MS = 7 * 86_400_000
export const MAX_MEMBERS = 100
const MAX_INVITATIONS = 100
const SECRET_BYTES = 32

type Addressed = Pick<InvitationRow, 'customer_id' | 'email'>
type Invited = { readonly invitation: ReturnType<typeof describeInvitation>; readonly link: string }
type InviteRefused =
  | GivingRefused
  | Refused<
      | 'already_member'
      | 'already_invited'
      | 'max_members_reached'
      | 'max_invitations_reached'
      | 'unauthorized'
      | 'forbidden'
    >

/** Returns the pending invitations of an account. */
export async function invitationsOf({ db, now }: Deps, customer: CustomerRow) {
  const rows = await listInvitations(db.read, customer.id)
  return rows.filter((row) => row.expires_at > now()).map((row) => describeInvitation(row, customer))
}

/** The link is included only in the response and, if email is set up, in the email. */
export async function invite(
  deps: Deps,
  { customer, caller }: Giver,
  { email, ...draft }: SeatDraft & { readonly email: string },
): Promise<Invited | InviteRefused> {
  const now = deps.now()
  const secret = deps.random(SECRET_BYTES).toString('base64url')
  const link = linkFor(deps.config, 'invitation', secret)
  return deps.db.transaction(async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'members:write')
    if (own instanceof Refused) return own
    const seat = await readSeat(tx, own, draft)
    if (seat instanceof Refused) return seat
    const to = { customer_id: customer.id, email: email.toLowerCase() }
    const refused = await refusePlace(tx, to, now)
    if (refused) return refused
    const { actor } = caller
    const row = await insertInvitation(tx, {
      id: newId('inv', now, deps.random),
      ...to,
      ...seat,
      hash: hashCredential(secret),
      invited_by: actor.id ?? actor.name,
      created_at: now,
      expires_at: now + INVITATION_MS,
    })
    if (!row) return refuse('already_invited')
    deps.annotateAudit({ nouns: { invitation_id: row.id } })
    await queueMail(deps, tx, mailFor(row, { account: customer.email, inviter: actor.name, link }))
    return { invitation: describeInvitation({ ...row, inviter: actor.name }, customer), link }
  })
}

export async function withdrawInvitation(
  deps: Deps,
  { customer, caller }: Giver,
  id: string,
): Promise<
  undefined | Refused<'owners_only' | 'beyond_own_rights' | 'not_found' | 'unauthorized' | 'forbidden'>
> {
  return deps.db.transaction(async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'members:write')
    if (own instanceof Refused) return own
    const row = await findInvitation(tx, customer.id, id)
    if (!row) return refuse('not_found')
    const refused = refuseGiving(own, row, 'invitation_id')
    if (refused) return refused
    await deleteInvitation(tx, id)
    return undefined
  })
}

async function refusePlace(tx: Queries, { customer_id, email }: Addressed, now: number) {
  await deleteExpiredInvitations(tx, customer_id, now)
  if (await findMemberByEmail(tx, customer_id, email)) return refuse('already_member')
  if ((await countMembers(tx, customer_id)) >= MAX_MEMBERS) return refuse('max_members_reached')
  const waiting = await listInvitations(tx, customer_id)
  return waiting.length >= MAX_INVITATIONS ? refuse('max_invitations_reached') : undefined
}

type Letter = { readonly account: string; readonly inviter: string; readonly link: string }

function mailFor({ email, role }: InvitationRow, { account, inviter, link }: Letter): MailText {
  const text = [
    `${inviter} invited you to join the Scriptward account ${account} as ${role}.`,
    '',
    'To accept, open this link within seven days. It works once:',
    '',
    link,
    '',
    "If you don't know them, you can ignore this email.",
    '',
  ]
  return { to: email, subject: "You're invited to a Scriptward account", text: text.join('\n') }
}

function describeInvitation(row: ListedInvitation, customer: CustomerRow) {
  const { id, email, inviter, created_at, expires_at } = row
  return { id, email, ...describeSeat(row, customer), invited_by: inviter, created_at, expires_at }
}
