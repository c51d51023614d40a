/** Invitations to an account: a link that counts once, for a week, for one e-mail address. */
import type { Deps } from '../../deps.ts'
import type { CustomerRow } from '../../store/tables/customers.ts'
import {
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  type ListedInvitation,
  listInvitations,
} from '../../store/tables/invitations.ts'
import { countMembers, findMemberByEmail } from '../../store/tables/members.ts'
import { hashCredential } from '../access/credential.ts'
import { lockRights } from '../access/own-rights.ts'
import { newId } from '../ids.ts'
import { Refused, refuse } from '../refusals.ts'
import { describeSeat, type Giver } from './members.ts'
import { type GivingRefused, readSeat, refuseGiving, type SeatDraft } from './seat-drafts.ts'

export const INVITATION_MS = 7 * 86_400_000
export const MAX_MEMBERS = 100
export const MAX_INVITATIONS = 100
const SECRET_BYTES = 32

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

/** Those that wait. */
export async function invitationsOf({ db, now }: Deps, customer: CustomerRow) {
  const rows = await listInvitations(db.read, customer.id)
  return rows.filter((row) => row.expires_at > now()).map((row) => describeInvitation(row, customer))
}

/** The link is in no other place than the answer and, where mail is set up, the mail. */
export async function invite(
  deps: Deps,
  { customer, caller }: Giver,
  { email: given, ...draft }: SeatDraft & { readonly email: string },
) {
  const now = deps.now()
  const email = given.toLowerCase()
  const secret = deps.random(SECRET_BYTES).toString('base64url')
  const id = newId('inv', now, deps.random)
  const { actor } = caller
  return deps.db.transaction(
    async (
      tx,
    ): Promise<
      { readonly invitation: ReturnType<typeof describeInvitation>; readonly secret: string } | InviteRefused
    > => {
      const own = await lockRights(tx, customer.id, caller, 'members:write')
      if (own instanceof Refused) return own
      const seat = await readSeat(tx, own, draft)
      if (seat instanceof Refused) return seat
      await deleteExpiredInvitations(tx, customer.id, now)
      if (await findMemberByEmail(tx, customer.id, email)) return refuse('already_member')
      if ((await countMembers(tx, customer.id)) >= MAX_MEMBERS) return refuse('max_members_reached')
      const waiting = await listInvitations(tx, customer.id)
      if (waiting.length >= MAX_INVITATIONS) return refuse('max_invitations_reached')
      const whom = { id, customer_id: customer.id, email, hash: hashCredential(secret) }
      const given = { invited_by: actor.id ?? actor.name, created_at: now, expires_at: now + INVITATION_MS }
      const row = await insertInvitation(tx, { ...whom, ...seat, ...given })
      if (!row) return refuse('already_invited')
      deps.note({ nouns: { invitation_id: id } })
      return { invitation: describeInvitation({ ...row, inviter: actor.name }, customer), secret }
    },
  )
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

function describeInvitation(row: ListedInvitation, customer: CustomerRow) {
  const { id, email, inviter, created_at, expires_at } = row
  return { id, email, ...describeSeat(row, customer), invited_by: inviter, created_at, expires_at }
}
