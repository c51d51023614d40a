/**
 * Tokens for the command line: a user approves the request in the browser, and the command line exchanges
 * the code that it receives for a token. Sources: RFC 8252 §7.3 for the loopback address, RFC 7636 for
 * the verifier.
 */
import { hash } from 'node:crypto'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { findCustomer } from '../accounts/store/customers.ts'
import { findPerson } from '../people/store/people.ts'
import type { SignedIn } from '../people/store/sign-ins.ts'
import type { Caller } from './caller.ts'
import { issueOnce, lookAtOnce, takeOnce } from './single-use.ts'
import type { SingleUseRow } from './store/single-uses.ts'
import { makeToken, readNewRights, type TokenAsker, type TokenMembers } from './tokens.ts'

/** The code expires quickly, because the program that exchanges it is already waiting. */
const CODE_MS = 60_000
const CODE = ['command_line'] as const

/** `code_challenge` is the SHA-256 hash of the verifier in base64url. */
export type Allowed = TokenMembers & { readonly code_challenge: string }

/**
 * Returns the code. Permissions that the user can't grant are rejected here, while the user is still on the
 * page.
 */
export async function allowCommandLine(
  deps: Deps,
  { person, seat }: SignedIn,
  { caller, allowed }: { readonly caller: Caller; readonly allowed: Allowed },
) {
  if (!seat) return refuse('forbidden', { needs: 'an account' })
  const asker: TokenAsker = { customer: seat.customer, caller }
  const { name, code_challenge, ...given } = allowed
  return deps.db.transaction(async (tx) => {
    const rights = await readNewRights(deps, tx, asker, given)
    if (rights instanceof Refused) return rights
    return issueOnce(deps, tx, {
      purpose: 'command_line',
      personId: person.id,
      customerId: seat.customer.id,
      data: { ...rights, name, code_challenge } satisfies Allowed,
      forMs: CODE_MS,
    })
  })
}

export type Exchange = { readonly code: string; readonly code_verifier: string }

/**
 * A wrong verifier invalidates the code. Its sender must have intercepted the code, and must not get a second
 * try. The legitimate program asks for approval again.
 */
export async function exchangeCode(deps: Deps, { code, code_verifier }: Exchange) {
  const row = await lookAtOnce(deps, code, CODE)
  if (row === undefined) return refuse('code_gone')
  const { code_challenge, ...members } = JSON.parse(row.data ?? '{}') as Allowed
  if (hash('sha256', code_verifier, 'base64url') !== code_challenge) {
    await deps.unauditedDb.transaction((tx) => takeOnce(deps, tx, code, CODE))
    return refuse('code_gone')
  }
  return deps.db.transaction(async (tx) => {
    const taken = await takeOnce(deps, tx, code, CODE)
    const asker = taken && (await askerOf(deps, tx, taken))
    return asker ? makeToken(deps, tx, asker, members) : refuse('code_gone')
  })
}

/** The user who approved the request. Their current permissions are read when the token is created. */
async function askerOf(
  { annotateAudit }: Deps,
  tx: Queries,
  { person_id, customer_id }: SingleUseRow,
): Promise<TokenAsker | undefined> {
  const person = await findPerson(tx, person_id ?? '')
  const customer = await findCustomer(tx, customer_id ?? '')
  if (person?.disabled !== 0 || !customer) return undefined
  const actor = { kind: 'person', id: person.id, name: person.email } as const
  annotateAudit({ actor, customerId: customer.id })
  return { customer, caller: { actor, ...NOTHING } }
}

const NOTHING = {
  scopes: new Set<never>(),
  projects: undefined,
  authenticatedAt: undefined,
  isOwner: false,
  issuer: undefined,
}
