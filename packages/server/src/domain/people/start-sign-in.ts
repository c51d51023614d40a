/** Begins a sign-in: whatever proved who the person is, this gives their browser its cookie. */
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../limits/networks.ts'
import type { Queries } from '../../store/engine/db.ts'
import { listMemberships } from '../../store/tables/members.ts'
import { updatePerson } from '../../store/tables/people.ts'
import { insertSignIn, type PersonRow } from '../../store/tables/sign-ins.ts'
import { hashCredential } from '../access/credential.ts'
import { newId } from '../ids.ts'

const COOKIE_BYTES = 32
const MAX_BROWSER = 120

/** From where a person signs in. `browser` is what it calls itself. */
export type Whence = { readonly address: string; readonly browser: string }

/** The value of the cookie: 256 random bits in base64url. They look at the account that they have had longest. */
export async function startSignIn(
  deps: Deps,
  tx: Queries,
  person: PersonRow,
  { address, browser }: Whence,
): Promise<string> {
  const cookie = deps.random(COOKIE_BYTES).toString('base64url')
  const now = deps.now()
  const [first] = await listMemberships(tx, person.id)
  await insertSignIn(tx, {
    id: newId('sgn', now, deps.random),
    hash: hashCredential(cookie),
    person_id: person.id,
    customer_id: first?.customer_id ?? null,
    created_at: now,
    proved_at: now,
    last_used_at: now,
    network: networkOf(address),
    browser: browser.slice(0, MAX_BROWSER),
  })
  deps.note({
    actor: { kind: 'person', id: person.id, name: person.email },
    ...(first && { customerId: first.customer_id }),
  })
  await updatePerson(tx, person.id, { last_sign_in_at: now })
  return cookie
}
